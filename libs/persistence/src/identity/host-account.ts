/** An account of a git host, as the address says that the host commits with for people who hide theirs. */
export interface HostAccount {
  /** What stands behind the @: another one for each host. */
  readonly host: string;
  /** Stays when the account is renamed. */
  readonly id: string | null;
  readonly login: string | null;
}

const NOREPLY = /^([^@]+)@((users\.)?noreply\.([a-z0-9-]+(?:\.[a-z0-9-]+)*))$/;

/**
 * The account behind a noreply address, given in lower case; null for any other address. GitHub writes
 * `id+login@users.noreply.github.com` and, for old accounts, `login@…`; GitLab `id-login@users.noreply.gitlab.com` and
 * `id@…`; both on their own hosts alike. Gitea and Forgejo write `login@noreply.<host>`, newer ones `id+login@…`;
 * Bitbucket's clients `login@users.noreply.bitbucket.org`.
 */
export function hostAccount(address: string): HostAccount | null {
  const [, local, host, users, domain] = NOREPLY.exec(address) ?? [];
  if (local === undefined || host === undefined) return null;
  const plus = /^(\d+)\+(.+)$/.exec(local);
  if (plus) return { host, id: plus[1]!, login: plus[2]! };
  // A login of github.com may begin with digits and a hyphen, and may be a number.
  if (users === undefined || domain === 'github.com') return { host, id: null, login: local };
  const [, id, login] = /^(\d+)(?:-(.+))?$/.exec(local) ?? [];
  return id === undefined ? { host, id: null, login: local } : { host, id, login: login ?? null };
}
