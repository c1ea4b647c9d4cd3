import { LineprintError } from '@lineprint/platform';

/** What may be fetched from where; the rest of the network is out of bounds, whatever a clone URL says. */
export interface RemotePolicy {
  /** `host` or `host:port`, by HTTPS and SSH; with `http://` before it by plain HTTP, and nothing else. */
  readonly hosts: readonly string[];
}

/** A clone URL that was checked. */
export interface Remote {
  readonly url: string;
  readonly protocol: 'https' | 'ssh' | 'http';
}

const PROTOCOLS = ['https', 'ssh', 'http'] as const;
const PATH = /^\/[A-Za-z0-9~][\w.~+/@%-]*$/;
/** A user in front of the host is part of SSH's address; no program may take a leading dash for an option. */
const USER = /^[A-Za-z0-9_][\w.-]*$/;

/**
 * Checks a clone URL.
 * @throws LineprintError `clone-url-invalid` for what is no `https://` or `ssh://` URL, or has a password in it;
 * `host-not-allowed`
 */
export function remoteOf(cloneUrl: string, { hosts }: RemotePolicy): Remote {
  const invalid = (why: string) =>
    new LineprintError(
      'clone-url-invalid',
      `The clone URL ${why}: give https://HOST/PATH or ssh://git@HOST/PATH, and a credential by reference`,
    );
  let url: URL;
  try {
    url = new URL(cloneUrl);
  } catch (cause) {
    throw new LineprintError('clone-url-invalid', invalid('is no URL').message, { cause });
  }
  const protocol = PROTOCOLS.find((name) => url.protocol === `${name}:`);
  if (!protocol) throw invalid('has another protocol');
  if (url.password !== '' || (url.username !== '' && protocol !== 'ssh'))
    throw invalid('has a credential in it');
  if (url.username !== '' && !USER.test(url.username)) throw invalid('has a strange user');
  if (!PATH.test(url.pathname) || url.search !== '' || url.hash !== '') throw invalid('has a strange path');
  if (!/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(url.hostname)) throw invalid('has a strange host');
  const host = url.host.toLowerCase();
  if (!hosts.includes(protocol === 'http' ? `http://${host}` : host)) {
    throw new LineprintError(
      'host-not-allowed',
      `${protocol === 'http' ? 'http://' : ''}${host} is not among the hosts that mirrors may be fetched from: an operator adds it to LINEPRINT_GIT_HOSTS`,
    );
  }
  return { url: url.href, protocol };
}
