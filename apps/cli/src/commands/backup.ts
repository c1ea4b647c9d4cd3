import { type Command, Option } from 'commander';
import { backUpDirectory, restoreDirectory } from '@lineprint/persistence';
import { loadConfig } from '@lineprint/platform';

interface BackupOptions {
  readonly database?: string;
  readonly json?: boolean;
}

export function addBackupCommands(program: Command): void {
  withDirectory(
    program
      .command('backup <folder>')
      .description(
        'Copy the directory of the embedded mode (all there is: numbers, snippets, log) to a new folder, while the server is stopped. Postgres has pg_dump for it.',
      ),
  ).action(async (folder: string, options: BackupOptions) => {
    const database = databaseOf(options);
    await backUpDirectory(database, folder);
    print(options, { database, backup: folder }, `${database} is copied to ${folder}.`);
  });
  withDirectory(
    program
      .command('restore <folder>')
      .description('Put a copy that `backup` has made in its place; what is there is put aside.'),
  ).action(async (folder: string, options: BackupOptions) => {
    const database = databaseOf(options);
    const aside = await restoreDirectory(folder, database, new Date());
    const before = aside === null ? '' : ` What was there is in ${aside}.`;
    print(options, { database, backup: folder, aside }, `${database} is as it was in ${folder}.${before}`);
  });
}

function withDirectory(command: Command): Command {
  return command
    .addOption(new Option('--database <url>', 'pglite:DIRECTORY (default: LINEPRINT_DATABASE_URL)'))
    .option('--json', 'print the outcome as one JSON object');
}

function databaseOf({ database }: BackupOptions): string {
  return database ?? loadConfig().databaseUrl;
}

function print({ json }: BackupOptions, outcome: object, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(outcome) : text}\n`);
}
