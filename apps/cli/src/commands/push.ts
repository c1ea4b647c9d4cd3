import { resolve } from 'node:path';
import { type Command } from 'commander';
import {
  branchName,
  checkAgainstGit,
  commitId,
  defaultBranchName,
  listPushedCommits,
  openRepository,
  type Repository,
} from '@lineprint/git';
import { type PushedBranch, tellBranch } from '../backfill/pushed-branch';
import { tellMailmap } from '../backfill/pushed-mailmap';
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

const ZEROS = /^0+$/;
const ID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

interface PushOptions extends ConnectionOptions, DeclarationOptions, RecordOptions {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly range: string;
  readonly base?: string;
  readonly branch?: string;
  readonly defaultBranch?: string;
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
          .option(
            '--branch <name>',
            'the branch that is pushed (default: what B names, or what is checked out)',
          )
          .option(
            '--default-branch <name>',
            'the default branch: commits that neither it nor another counted branch leads to are provisional (default: what the remote says)',
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
    const pushed = {
      repository: options.name ?? repositoryName(options.repo),
      ...(options.project ? { projectId: options.project } : {}),
      ...(await pushedBranch(repository, options)),
    };
    await tellBranch(connection.client, pushed);
    await tellMailmap(connection.client, repository, pushed);
    const git = await checkAgainstGit(refs, repository, report);
    reportProblems(report, git);
    if (options.json) process.stdout.write(`${JSON.stringify(facts(report, git))}\n`);
    if (report.refused.length > 0 || !git.equal) process.exitCode = 1;
  });
}

/** What the range says of the branch that is pushed. */
async function pushedBranch(
  repository: Repository,
  { range, branch, defaultBranch, remote }: PushOptions,
): Promise<Pick<PushedBranch, 'branch' | 'defaultBranch' | 'sha' | 'before'>> {
  const [from, to] = range.includes('..') ? (range.split('..') as [string, string]) : [undefined, range];
  const isDeleted = ZEROS.test(to);
  const sha = isDeleted ? null : await commitId(repository, to);
  const checkedOut = sha === repository.head ? await branchName(repository, 'HEAD') : undefined;
  const before = from === undefined || ZEROS.test(from) ? undefined : await pushedFrom(repository, from);
  return {
    branch: branch ?? (isDeleted ? undefined : ((await branchName(repository, to)) ?? checkedOut)),
    defaultBranch: defaultBranch ?? (await defaultBranchName(repository, remote)),
    sha: sha ?? null,
    ...(before === undefined ? {} : { before }),
  };
}

/** A commit that was forced away may be nowhere any more, and is known by its id. */
async function pushedFrom(repository: Repository, from: string): Promise<string | undefined> {
  return (await commitId(repository, from)) ?? (ID.test(from) ? from : undefined);
}
