import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { type Config, ConfigError, loadConfig, settingNames, unknownSettings } from '@lineprint/platform';
import { type Checks, failure, type Found, ok, skipped, warning } from './finding';

const DAY_MS = 86_400_000;
/** A certificate that ends sooner is to be renewed now, days. */
const RENEW_BEFORE_DAYS = 21;
const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'rediss:': 6379 };

/** What the environment says. @returns the settings, or undefined where they are wrong */
export async function checkSettings(checks: Checks): Promise<Config | undefined> {
  let config: Config | undefined;
  await checks.run('settings', () => {
    try {
      config = loadConfig();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return failure(error.message, 'docs/configuration.md says what each of them may be.');
    }
    const unknown = unknownSettings();
    if (unknown.length === 0) return ok('valid');
    return warning(
      `Nothing reads ${unknown.join(', ')}.`,
      unknown.map((name) => `Is ${name} to be ${nearest(name)}?`).join(' '),
    );
  });
  return config;
}

/** The known name with the fewest changes to a misspelt one. */
function nearest(name: string): string {
  return settingNames()
    .map((known) => ({ known, changes: changesBetween(name, known) }))
    .reduce((best, next) => (next.changes < best.changes ? next : best)).known;
}

/** How many letters have to be put in, taken out or replaced. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** What is outside of the stores: people's identity provider, the collector of traces, certificates. */
export async function checkSurroundings(checks: Checks, config: Config): Promise<void> {
  const { oidc, otlpUrl } = config;
  if (oidc) await checks.run('identity provider', (signal) => checkIssuer(oidc.issuer, signal));
  if (otlpUrl !== undefined) await checks.run('trace collector', (signal) => checkCollector(otlpUrl, signal));
  const places = tlsPlaces(config);
  const own = config.kafka.cert ?? config.kafka.ca;
  if (places.length > 0 || own !== undefined) {
    await checks.run('certificates', (signal) => checkCertificates(config, places, signal));
  }
}

async function checkIssuer(issuer: string, signal: AbortSignal): Promise<Found> {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  let discovered: { issuer?: unknown; jwks_uri?: unknown };
  try {
    const response = await fetch(url, { signal });
    if (!response.ok) return failure(`${url} answers with ${response.status}.`, ISSUER_ADVICE);
    discovered = (await response.json()) as typeof discovered;
  } catch (error) {
    return failure(`${url} does not answer: ${causeOf(error)}`, ISSUER_ADVICE);
  }
  if (discovered.issuer !== issuer) {
    return failure(
      `It calls itself ${String(discovered.issuer)}.`,
      `Set LINEPRINT_OIDC_ISSUER to that, down to the last slash: its tokens say so.`,
    );
  }
  if (typeof discovered.jwks_uri !== 'string') return failure('It names no keys (jwks_uri).', ISSUER_ADVICE);
  const keys = await fetch(discovered.jwks_uri, { signal });
  if (!keys.ok) return failure(`Its keys are answered with ${keys.status}.`, ISSUER_ADVICE);
  return ok(issuer);
}

const ISSUER_ADVICE =
  'Nobody can log in. Look whether LINEPRINT_OIDC_ISSUER is right and can be reached from here.';

async function checkCollector(otlpUrl: string, signal: AbortSignal): Promise<Found> {
  const url = `${otlpUrl.replace(/\/+$/, '')}/v1/traces`;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal,
    });
    if (response.ok) return ok(otlpUrl);
    return warning(`${url} answers with ${response.status}.`, 'Traces are lost; numbers are not.');
  } catch (error) {
    return warning(`${url} does not answer: ${causeOf(error)}`, 'Traces are lost; numbers are not.');
  }
}

interface Place {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** Where this installation speaks TLS from its first byte on. */
function tlsPlaces({ recallUrl, logUrl, kafka, oidc, otlpUrl }: Config): Place[] {
  const urls = [
    ...(kafka.tls
      ? logUrl
          .replace('kafka://', '')
          .split(',')
          .map((broker) => `https://${broker}`)
      : []),
    ...[recallUrl, oidc?.issuer, otlpUrl].filter((url) => url !== undefined),
  ];
  return urls.flatMap((text) => {
    const url = new URL(text);
    const port = DEFAULT_PORTS[url.protocol];
    if (port === undefined) return [];
    return [{ name: url.host, host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || port }];
  });
}

async function checkCertificates(
  config: Config,
  places: readonly Place[],
  signal: AbortSignal,
): Promise<Found> {
  const { cert, ca } = config.kafka;
  const ends = new Map<string, number>();
  if (cert) ends.set('our own certificate for Kafka', endOf(cert));
  if (ca) ends.set('the authority of Kafka', endOf(ca));
  const unanswered: string[] = [];
  for (const place of places) {
    const end = await servedUntil(place, signal);
    if (end === undefined) unanswered.push(place.name);
    else ends.set(place.name, end);
  }
  const days = [...ends].map(([name, end]) => ({ name, days: Math.floor((end - Date.now()) / DAY_MS) }));
  const soon = days.filter((one) => one.days < RENEW_BEFORE_DAYS);
  const text = (some: typeof days) => some.map((one) => `${one.name}: ${one.days} days left`).join('; ');
  if (soon.some((one) => one.days < 0)) return failure(text(soon), 'It has ended: renew it now.');
  if (soon.length > 0) return warning(text(soon), 'Renew it.');
  if (days.length === 0) return skipped(`${unanswered.join(', ')} did not show a certificate`);
  return ok(text(days));
}

function endOf(pem: string): number {
  return Date.parse(new X509Certificate(pem).validTo);
}

/** When the certificate that a server shows ends, whoever signed it; undefined where it shows none. */
function servedUntil({ host, port }: Place, signal: AbortSignal): Promise<number | undefined> {
  return new Promise((resolve) => {
    // Only its date is read here: whether it is trusted is a matter of the connection itself.
    const socket = connect({
      host,
      port,
      servername: /^[\d.:]+$/.test(host) ? '' : host,
      rejectUnauthorized: false,
    });
    const end = (until: number | undefined) => {
      socket.destroy();
      resolve(until);
    };
    socket.once('secureConnect', () => {
      const { valid_to: text } = socket.getPeerCertificate();
      end(text ? Date.parse(text) : undefined);
    });
    socket.once('error', () => end(undefined));
    signal.addEventListener('abort', () => end(undefined), { once: true });
  });
}

function causeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
