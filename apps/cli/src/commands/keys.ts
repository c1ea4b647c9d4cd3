import { type Command, Option } from 'commander';
import { type Database, openDatabase, rawCodeKeyUses, rotateRawCode } from '@lineprint/persistence';
import { LineprintError, loadClientSettings, loadConfig, type RawCodeKeys } from '@lineprint/platform';
import { table } from '../terminal/table';

interface KeysOptions {
  readonly database?: string;
  readonly json?: boolean;
}

/** What to do with a key. */
type KeyAdvice = 'current' | 'in use' | 'can be removed' | 'missing';

interface KeyState {
  /** Null for code of a release that named no key. */
  readonly keyId: string | null;
  readonly snippets: number;
  readonly advice: KeyAdvice;
}

export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description(
      'Look after the keys of raw code, LINEPRINT_RAW_CODE_KEY: the current one first, others behind it.',
    );
  for (const [name, description, work] of [
    ['status', 'Say how much code each key has encrypted, and which are not needed any more.', status],
    [
      'rotate',
      'Encrypt with the current key what others have encrypted, while the services run. It can be ended and goes on when it is called again.',
      rotate,
    ],
  ] as const) {
    keys
      .command(name)
      .description(description)
      .addOption(
        // Described, because the help must not show the password in it.
        new Option('--database <url>', 'database URL').default(
          loadClientSettings().databaseUrl,
          'LINEPRINT_DATABASE_URL',
        ),
      )
      .option('--json', 'print the outcome as one JSON object')
      .action(work);
  }
}

async function status(options: KeysOptions): Promise<void> {
  const states = await inDatabase(options, statesOf);
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ keys: states })}\n`
      : `${table(
          ['key', 'snippets', ''],
          states.map(({ keyId, snippets, advice }) => [keyId ?? 'not named', String(snippets), advice]),
          3,
        )}\n`,
  );
}

async function rotate(options: KeysOptions): Promise<void> {
  const { rotated, unreadable } = await inDatabase(options, (database, keys) =>
    rotateRawCode(database, keys, (so) => process.stderr.write(`${so.rotated} encrypted anew …\n`)),
  );
  process.stdout.write(
    options.json
      ? `${JSON.stringify({ rotated, unreadable })}\n`
      : `${rotated} snippets encrypted anew with the current key.\n`,
  );
  if (unreadable > 0) {
    throw new LineprintError(
      'raw-code-key-missing',
      `The code of ${unreadable} snippets cannot be read with any key of LINEPRINT_RAW_CODE_KEY: put the one that it was encrypted with behind the others. \`keys status\` names it.`,
    );
  }
}

async function statesOf(database: Database, { ids }: RawCodeKeys): Promise<KeyState[]> {
  const uses = await rawCodeKeyUses(database);
  const [current] = ids;
  const configured = ids.map((keyId): KeyState => {
    const snippets = uses.find((use) => use.keyId === keyId)?.snippets ?? 0;
    // Code that names no key may be anybody's.
    const isUsed = snippets > 0 || uses.some((use) => use.keyId === null);
    return { keyId, snippets, advice: keyId === current ? 'current' : isUsed ? 'in use' : 'can be removed' };
  });
  const others = uses
    .filter(({ keyId }) => keyId === null || !ids.includes(keyId))
    .map((use): KeyState => ({ ...use, advice: use.keyId === null ? 'in use' : 'missing' }));
  return [...configured, ...others];
}

async function inDatabase<T>(
  options: KeysOptions,
  work: (database: Database, keys: RawCodeKeys) => Promise<T>,
): Promise<T> {
  const { rawCodeKeys } = loadConfig();
  if (!rawCodeKeys) {
    throw new LineprintError(
      'raw-code-key-missing',
      'There is no key: set LINEPRINT_RAW_CODE_KEY as the services have it.',
    );
  }
  if (!options.database) {
    throw new LineprintError('database-missing', 'Give a database: --database or LINEPRINT_DATABASE_URL.');
  }
  const database = await openDatabase(options.database);
  try {
    return await work(database, rawCodeKeys);
  } finally {
    await database.close();
  }
}
