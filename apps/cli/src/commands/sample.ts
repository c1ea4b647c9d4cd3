import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { defaultDeclarationPatterns } from '@lineprint/git';
import { waitForAnalysis } from '../demo/analysis-wait';
import { replaySample } from '../demo/sample-replay';
import { summaryTable } from '../demo/summary-table';
import { connect, type ConnectionOptions, withConnection } from './connection';

interface SampleOptions extends ConnectionOptions {
  readonly protocol: '1' | '2';
  readonly json?: boolean;
}

export function addSampleCommand(program: Command): void {
  withConnection(
    program
      .command('sample')
      .description("Send the demo's sample to a running Lineprint and check its verdicts.")
      .addOption(
        new Option('--protocol <version>', 'send what clients of this version of the protocol send')
          .choices(['1', '2'])
          .default('2'),
      )
      .option('--json', 'print the outcome as one JSON object'),
  ).action(async (options: SampleOptions) => {
    const connection = await connect(options);
    // An address where nobody answers queries would show only when everything is sent.
    await connection.reader.analysed();
    const directory = await mkdtemp(join(tmpdir(), 'lineprint-sample-'));
    try {
      const replay = await replaySample(connection, join(directory, 'sample'), {
        declarations: defaultDeclarationPatterns,
        url: connection.url,
        protocol: options.protocol === '1' ? 1 : 2,
      });
      const summary = await waitForAnalysis(connection.reader, replay.report.accepted, {
        repository: replay.name,
      });
      const { lines, right } = await replay.score(connection.reader);
      process.stdout.write(
        options.json
          ? `${JSON.stringify({ ...summary, truth: { lines, right, aiRatio: replay.aiRatio } })}\n`
          : `${summaryTable(summary)}\n\n${right} of ${lines} lines right\n`,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
}
