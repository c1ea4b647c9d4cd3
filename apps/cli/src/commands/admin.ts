import { type Command, Option } from 'commander';
import { bootstrap, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { LineprintError, loadClientSettings, loadConfig } from '@lineprint/platform';

export function addAdminCommand(program: Command): void {
  program
    .command('admin')
    .description('Set up an installation.')
    .command('init')
    .description('Migrate the database; create the organisation, its line key and its first API key.')
    .addOption(
      // Described, because the help must not show the password in it.
      new Option('--database <url>', 'database URL').default(
        loadClientSettings().databaseUrl,
        'LINEPRINT_DATABASE_URL',
      ),
    )
    .option('--json', 'print the outcome as one JSON object')
    .action(async (options: { database?: string; json?: boolean }) => {
      if (!options.database) {
        throw new LineprintError(
          'database-missing',
          'Give a database: --database or LINEPRINT_DATABASE_URL.',
        );
      }
      const database = await openDatabase(options.database);
      try {
        const { applied } = await migrate(database, MIGRATIONS_DIRECTORY);
        const made = await bootstrap(database, loadConfig().bootstrap);
        if (options.json) {
          process.stdout.write(`${JSON.stringify(made)}\n`);
          return;
        }
        process.stdout.write(
          [
            `Database: ${applied.length} migrations applied.`,
            `Organisation ${made.orgId}, line key ${made.keyId}.`,
            made.apiKey
              ? `Administrator API key (shown once): ${made.apiKey}`
              : 'The organisation has API keys already; none was made.',
            '',
          ].join('\n'),
        );
      } finally {
        await database.close();
      }
    });
}
