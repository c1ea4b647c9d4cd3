import type { Command } from 'commander';
import { LineprintError } from '@lineprint/platform';
import { ReadClient } from '../api/read-client';
import { type ConnectionOptions, withConnection } from './connection';

export function addExportCommand(program: Command): void {
  withConnection(
    program
      .command('export')
      .description('Print every result in a fixed order: two runs over the same input print the same bytes.')
      .option('--repository <name>', 'only this repository')
      .option('--json', 'one JSON value a line (the only form there is)'),
  ).action(async (options: ConnectionOptions & { repository?: string }) => {
    if (!options.apiKey) {
      throw new LineprintError('credential-missing', 'Give an API key: --api-key or LINEPRINT_API_KEY.');
    }
    const reader = new ReadClient((options.queryUrl ?? options.url).replace(/\/+$/, ''), options.apiKey);
    for await (const text of reader.export(options.repository)) {
      if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  });
}
