import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { LineprintClient } from '@lineprint/capture';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { type DeclarationPattern, declarationPattern, defaultDeclarationPatterns } from '@lineprint/git';
import { LineprintError, loadClientSettings } from '@lineprint/platform';
import { ApiClient } from '../api/api-client';
import { ReadClient } from '../api/read-client';

export interface ConnectionOptions {
  readonly url: string;
  readonly apiKey?: string;
  /** Where the read side answers, if not at `url`. */
  readonly queryUrl?: string;
}

export function withConnection(command: Command): Command {
  const settings = loadClientSettings();
  return command
    .option('--url <url>', 'where Lineprint (ingest) answers', settings.url)
    .option('--query-url <url>', 'where its query API answers, if elsewhere (default: LINEPRINT_QUERY_URL)')
    .addOption(
      // Described, because the help must not show the key.
      new Option('--api-key <key>', 'API key').default(settings.apiKey, 'LINEPRINT_API_KEY'),
    );
}

export function withState(command: Command): Command {
  return command.option('--state <directory>', 'where capture keeps its data', join(homedir(), '.lineprint'));
}

export interface DeclarationOptions {
  readonly aiAuthor?: string[];
  readonly aiTrailer?: string[];
  readonly aiDefaults: boolean;
}

export function withDeclarations(command: Command): Command {
  return command
    .option(
      '--ai-author <regex...>',
      'author or committer `Name <e-mail>` that is an AI, beside the known assistants',
      pattern,
    )
    .option('--ai-trailer <regex...>', 'trailer line that names an AI, beside the known assistants', pattern)
    .option('--no-ai-defaults', 'only the given patterns, not the known assistants');
}

/** Refuses a pattern while the options are read: before anything is started or sent. */
function pattern(text: string, before: string[] = []): string[] {
  try {
    declarationPattern('custom', { author: text });
  } catch {
    throw new InvalidArgumentError('It is not a regular expression.');
  }
  return [...before, text];
}

export function declarationPatterns(options: DeclarationOptions): DeclarationPattern[] {
  return [
    ...(options.aiAuthor ?? []).map((author) => declarationPattern('custom', { author })),
    ...(options.aiTrailer ?? []).map((trailer) => declarationPattern('custom', { trailer })),
    ...(options.aiDefaults ? defaultDeclarationPatterns : []),
  ];
}

/** Reads the number of an option such as `--max`. */
export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is not a positive whole number.');
  return Number(text);
}

/** About a minute in all: a server that is restarted on a busy machine is back by then. */
const RETRIES = 8;

/**
 * Where the two sides answer, without slashes at the end. The environment's query API belongs to the
 * environment's ingest: reading one installation after sending to another would show its numbers for ours.
 */
export function addresses(options: ConnectionOptions): { url: string; queryUrl: string } {
  const settings = loadClientSettings();
  const own = options.url === settings.url ? settings.queryUrl : undefined;
  const trimmed = (url: string) => url.replace(/\/+$/, '');
  return { url: trimmed(options.url), queryUrl: trimmed(options.queryUrl ?? own ?? options.url) };
}

/** The query API of the installation. @throws LineprintError `credential-missing` */
export function queryApi(options: ConnectionOptions): ApiClient {
  return new ApiClient(addresses(options).queryUrl, apiKeyOf(options));
}

/** @throws LineprintError `credential-missing` */
export function apiKeyOf({ apiKey }: ConnectionOptions): string {
  if (apiKey) return apiKey;
  throw new LineprintError('credential-missing', 'Give an API key: --api-key or LINEPRINT_API_KEY.');
}

export interface Connection {
  readonly url: string;
  /** The organisation's line key, by which an installation is known from another at the same address. */
  readonly keyId: string;
  readonly client: LineprintClient;
  /** Reads from ingest. */
  readonly door: ReadClient;
  readonly reader: ReadClient;
  readonly lineKey: LineKey;
}

/** Opens the connection and fetches the organisation's line key: nothing is sent before both work. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  const apiKey = apiKeyOf(options);
  const { url, queryUrl } = addresses(options);
  const door = new ReadClient(url, apiKey);
  const enrolment = await door.enrolment();
  return {
    url,
    keyId: enrolment.keyId,
    client: new LineprintClient({ url, apiKey, retries: RETRIES }),
    door,
    reader: new ReadClient(queryUrl, apiKey),
    lineKey: deriveLineKey(Buffer.from(enrolment.lineKey, 'base64'), enrolment.keyId),
  };
}
