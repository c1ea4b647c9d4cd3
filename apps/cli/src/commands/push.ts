import { resolve } from 'node:path';
import { type Command } from 'commander';
import { checkAgainstGit, listCommits, openRepository } from '@lineprint/git';
import {
  connect,
  type ConnectionOptions,
  type DeclarationOptions,
  declarationPatterns,
  withConnection,
  withDeclarations,
} from './connection';
import { openRecords, type RecordOptions, withRecords } from '../capture/line-records';
import { facts, reportProblems, repositoryName, pushHistory } from './backfill';

interface PushOptions extends ConnectionOptions, DeclarationOptions, RecordOptions {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly range: string;
  readonly json?: boolean;
}

export function addPushCommand(program: Command): void {
  withRecords(
    withDeclarations(
      withConnection(
        program
          .command('push')
          .description('Send a range of commits with their content, for CI and hooks.')
          .option('--repo <path>', 'path of the repository', '.')
          .option('--name <name>', 'name that results carry (default: name of the folder)')
          .option('--project <id>', 'project that the commits belong to (default: the name)')
          .requiredOption('--range <A..B>', 'the commits to send, as git names them')
          .option('--json', 'print the outcome as one JSON object'),
      ),
    ),
  ).action(async (options: PushOptions) => {
    const connection = await connect(options);
    const repository = await openRepository(resolve(options.repo));
    const refs = await listCommits(repository, { range: options.range });
    const records = await openRecords(repository, options);
    const { report } = await pushHistory(connection, repository, refs, {
      ...(records ? { records } : {}),
      name: options.name ?? repositoryName(options.repo),
      ...(options.project ? { projectId: options.project } : {}),
      declarations: declarationPatterns(options),
      url: connection.url,
    });
    records?.close();
    const git = await checkAgainstGit(refs, repository, report);
    reportProblems(report, git);
    if (options.json) process.stdout.write(`${JSON.stringify(facts(report, git))}\n`);
    if (report.refused.length > 0 || !git.equal) process.exitCode = 1;
  });
}
