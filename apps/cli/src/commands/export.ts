import type { Command } from 'commander';
import { ReadClient } from '../api/read-client';
import { addresses, apiKeyOf, type ConnectionOptions, withConnection } from './connection';

interface ExportOptions extends ConnectionOptions {
  readonly repository?: string;
  readonly policy?: string;
}

export function addExportCommand(program: Command): void {
  withConnection(
    program
      .command('export')
      .description('Print every result in a fixed order: two runs over the same input print the same bytes.')
      .option('--repository <name>', 'only this repository')
      .option('--policy <id>', 'the results of this policy (default: the active one)')
      .option('--json', 'one JSON value a line (the only form there is)'),
  ).action(async (options: ExportOptions) => {
    const { repository, policy } = options;
    const reader = new ReadClient(addresses(options).queryUrl, apiKeyOf(options));
    for await (const text of reader.export({
      ...(repository !== undefined && { repository }),
      ...(policy !== undefined && { policy }),
    })) {
      if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve));
    }
  });
}
