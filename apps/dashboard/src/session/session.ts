import { useSyncExternalStore } from 'react';

/** What the page sends with each request: an API key, or the token of an OpenID provider. */
export interface Session {
  readonly kind: 'key' | 'oidc';
  readonly credential: string;
}

const STORED_AS = 'lineprint.session';
const KEY_IN_ADDRESS = /^#key=(lp_[0-9a-f_]+)$/;

const listeners = new Set<() => void>();
let current: Session | null = readStored();

function readStored(): Session | null {
  const text = sessionStorage.getItem(STORED_AS);
  return text === null ? null : (JSON.parse(text) as Session);
}

/** Until the tab is closed: a credential that outlives it could be taken by whoever uses the browser next. */
export function startSession(session: Session): void {
  sessionStorage.setItem(STORED_AS, JSON.stringify(session));
  change(session);
}

/** Why there is no session: nobody has logged in, the person logged out, or the server refused the credential. */
export type Ended = 'never-begun' | 'logged-out' | 'refused';
let ended: Ended = 'never-begun';

export function endSession(why: 'logged-out' | 'refused'): void {
  ended = why;
  sessionStorage.removeItem(STORED_AS);
  change(null);
}

export function whyEnded(): Ended {
  return ended;
}

export function currentSession(): Session | null {
  return current;
}

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, currentSession);
}

/**
 * Takes a key that the address names (`/#key=lp_…`, as the demo prints it) and removes it from the address bar and
 * the tab's history. What stands behind `#` is sent to no server.
 */
export function takeKeyFromAddress(): void {
  const key = keyOf(location.hash);
  if (key === null) return;
  history.replaceState(null, '', location.pathname + location.search);
  startSession({ kind: 'key', credential: key });
}

/** The API key in the fragment of an address; null where there is none. */
export function keyOf(fragment: string): string | null {
  return KEY_IN_ADDRESS.exec(fragment)?.[1] ?? null;
}

function change(session: Session | null): void {
  current = session;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
