import { resolve } from 'node:path';
import { type Command } from 'commander';
import { checkAgainstGit, listPushedCommits, openRepository } from '@lineprint/git';
import { openRecords, type RecordOptions, withRecords } from '../capture/line-records';
import {
  connect,
  type ConnectionOptions,
  type DeclarationOptions,
  declarationPatterns,
  withConnection,
  withDeclarations,
} from './connection';
import { facts, pushHistory, reportProblems, repositoryName } from './backfill';

interface PushOptions extends ConnectionOptions, DeclarationOptions, RecordOptions {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly range: string;
  readonly base?: string;
  readonly remote: string;
  readonly deepen: boolean;
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
          .requiredOption(
            '--range <A..B>',
            'the commits to send, as git or a host names them; A all zeros for a new branch',
          )
          .option(
            '--base <ref>',
            'what else is not new, e.g. origin/main: for new branches and force pushes, where A says nothing',
          )
          .option('--remote <name>', 'where a shallow clone fetches what it lacks', 'origin')
          .option('--no-deepen', 'fetch nothing: say so where a shallow clone lacks something')
          .option('--json', 'print the outcome as one JSON object'),
      ),
    ),
  ).action(async (options: PushOptions) => {
    const repository = await openRepository(resolve(options.repo));
    const refs = await listPushedCommits(repository, options.range, {
      ...(options.base ? { base: options.base } : {}),
      ...(options.deepen ? { remote: options.remote } : {}),
      onFetch: (args) => process.stderr.write(`The clone is shallow: git ${args.join(' ')}\n`),
    });
    const connection = await connect(options);
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
