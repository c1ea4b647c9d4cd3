import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { CALLBACK_PATH } from './callback-path';
import { startSession } from './session';

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** What to ask the provider for. */
  readonly scope: string;
}

const SETTINGS = 'lineprint.oidc';

function managerOf({ issuer, clientId, scope }: OidcSettings): UserManager {
  return new UserManager({
    authority: issuer,
    client_id: clientId,
    redirect_uri: location.origin + CALLBACK_PATH,
    response_type: 'code',
    scope,
    userStore: new WebStorageStateStore({ store: sessionStorage }),
    stateStore: new WebStorageStateStore({ store: sessionStorage }),
  });
}

/** Leaves for the provider's login page (authorization code with PKCE: the page holds no secret). */
export async function redirectToProvider(settings: OidcSettings): Promise<void> {
  sessionStorage.setItem(SETTINGS, JSON.stringify(settings));
  await managerOf(settings).signinRedirect();
}

/** Ends a login: the provider has sent the browser back with a code. */
export async function finishLogin(): Promise<void> {
  const settings = sessionStorage.getItem(SETTINGS);
  if (settings === null) throw new Error('No login was begun in this tab');
  const user = await managerOf(JSON.parse(settings) as OidcSettings).signinRedirectCallback();
  startSession({ kind: 'oidc', credential: user.access_token });
}
