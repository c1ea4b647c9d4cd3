import { type Command, InvalidArgumentError } from 'commander';
import { LineprintClient } from '@lineprint/capture';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { type DeclarationPattern, declarationPattern, defaultDeclarationPatterns } from '@lineprint/git';
import { LineprintError, loadClientSettings } from '@lineprint/platform';
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
    .option('--query-url <url>', 'where its query API answers, if elsewhere')
    .option('--api-key <key>', 'API key (default: LINEPRINT_API_KEY)', settings.apiKey);
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
    )
    .option('--ai-trailer <regex...>', 'trailer line that names an AI, beside the known assistants')
    .option('--no-ai-defaults', 'only the given patterns, not the known assistants');
}

/** @throws InvalidArgumentError when a pattern is no regular expression */
export function declarationPatterns(options: DeclarationOptions): DeclarationPattern[] {
  const own = (texts: readonly string[] | undefined, field: 'author' | 'trailer') =>
    (texts ?? []).map((text) => {
      try {
        return declarationPattern('custom', { [field]: text });
      } catch {
        throw new InvalidArgumentError(`--ai-${field}: ${JSON.stringify(text)} is not a regular expression.`);
      }
    });
  return [
    ...own(options.aiAuthor, 'author'),
    ...own(options.aiTrailer, 'trailer'),
    ...(options.aiDefaults ? defaultDeclarationPatterns : []),
  ];
}

export interface Connection {
  readonly client: LineprintClient;
  readonly reader: ReadClient;
  readonly lineKey: LineKey;
}

/** Opens the connection and fetches the organisation's line key: nothing is sent before both work. */
export async function connect(options: ConnectionOptions): Promise<Connection> {
  if (!options.apiKey) {
    throw new LineprintError('credential-missing', 'Give an API key: --api-key or LINEPRINT_API_KEY.');
  }
  const url = options.url.replace(/\/+$/, '');
  const enrolment = await new ReadClient(url, options.apiKey).enrolment();
  return {
    client: new LineprintClient({ url, apiKey: options.apiKey }),
    reader: new ReadClient(options.queryUrl?.replace(/\/+$/, '') ?? url, options.apiKey),
    lineKey: deriveLineKey(Buffer.from(enrolment.lineKey, 'base64'), enrolment.keyId),
  };
}
