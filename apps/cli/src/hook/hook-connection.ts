import type { CaptureSettings } from '@lineprint/capture';
import type { ClientSettings } from '@lineprint/platform';
import type { HookSettings } from './hook-directory';

/**
 * Where hooks send, and with which key: what `hook install` was given, else the environment's, else what
 * `lineprint login` kept. Address and key are of one source, so that no server is shown another's key.
 * @returns without a key where nobody has one for the address
 */
export function hookConnection(
  { url, apiKey }: Pick<HookSettings, 'url' | 'apiKey'>,
  environment: Pick<ClientSettings, 'url' | 'apiKey'>,
  login: Pick<CaptureSettings, 'url' | 'apiKey'> | undefined,
): { url: string; apiKey?: string } {
  const key = apiKey ?? environment.apiKey;
  if (key !== undefined) return { url: url ?? environment.url, apiKey: key };
  if (login && (url === undefined || trimmed(url) === trimmed(login.url))) {
    return { url: login.url, apiKey: login.apiKey };
  }
  return { url: url ?? environment.url };
}

const trimmed = (url: string): string => url.replace(/\/+$/, '');
