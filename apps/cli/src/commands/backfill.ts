import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import {
  branchName,
  checkAgainstGit,
  type CommitRef,
  defaultBranchName,
  type GitCheck,
  type HistoryOptions,
  type HistoryReport,
  listCommits,
  openRepository,
  type Repository,
  sendBaseline,
  sendHistory,
} from '@lineprint/git';
import { loadClientSettings } from '@lineprint/platform';
import { clearState, loadState, saveState, statePath } from '../backfill/backfill-state';
import { tellBranch } from '../backfill/pushed-branch';
import { tellMailmap } from '../backfill/pushed-mailmap';
import { openRecords, type RecordOptions, withRecords } from '../capture/line-records';
import { waitForAnalysis } from '../demo/analysis-wait';
import { summaryTable } from '../demo/summary-table';
import { ProgressBar } from '../terminal/progress-bar';
import {
  type Connection,
  connect,
  type ConnectionOptions,
  type DeclarationOptions,
  declarationPatterns,
  positiveInteger,
  withConnection,
  withDeclarations,
} from './connection';

interface BackfillCommandOptions extends ConnectionOptions, DeclarationOptions, RecordOptions {
  readonly repo: string;
  readonly name?: string;
  readonly project?: string;
  readonly ref: string;
  readonly defaultBranch?: string;
  readonly max?: number;
  readonly restart?: boolean;
  readonly wait: boolean;
  readonly json?: boolean;
}

export function addBackfillCommand(program: Command): void {
  withRecords(
    withDeclarations(
      withConnection(
        program
          .command('backfill')
          .description(
            'Send the history of a repository, oldest first. Stop with Ctrl-C; the next run goes on there.',
          )
          .requiredOption('--repo <path>', 'path of the repository (bare or not)')
          .option('--name <name>', 'name that results carry (default: name of the folder)')
          .option('--project <id>', 'project that the commits belong to (default: the name)')
          .option('--ref <ref>', 'branch or commit whose history is sent', 'HEAD')
          .option(
            '--default-branch <name>',
            'the default branch: commits that neither it nor another counted branch leads to are provisional (default: what `origin` says)',
          )
          .option('--max <n>', 'only the newest n commits', positiveInteger)
          .option('--restart', 'begin again; commits that are known count once')
          .option('--no-wait', 'do not wait for the results')
          .option('--json', 'print the outcome as one JSON object'),
      ),
    ),
  ).action(runBackfill);
}

async function runBackfill(options: BackfillCommandOptions): Promise<void> {
  const connection = await connect(options);
  const repository = await openRepository(resolve(options.repo));
  const name = options.name ?? repositoryName(options.repo);
  const refs = await listCommits(repository, {
    ref: options.ref,
    ...(options.max ? { max: options.max } : {}),
  });
  // An address where nobody answers queries would show only when everything is sent.
  if (options.wait) await connection.reader.analysed(name);
  const path = statePath(loadClientSettings().stateDirectory, `${name}@${options.ref}`, connection);
  if (options.restart) await clearState(path);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const records = await openRecords(repository, options);
  const outcome = await pushHistory(connection, repository, refs, {
    ...(records ? { records } : {}),
    name,
    ...(options.project ? { projectId: options.project } : {}),
    declarations: declarationPatterns(options),
    statePath: path,
    url: connection.url,
    signal: stop.signal,
  });
  records?.close();
  const { report } = outcome;
  if (report.stopped) {
    process.stderr.write('Stopped; what was sent is safe. Run the same command to go on.\n');
    process.exitCode = 130;
    return;
  }
  await tellHistory(connection, repository, refs, {
    name,
    ref: options.ref,
    ...(options.project ? { projectId: options.project } : {}),
    ...(options.defaultBranch ? { defaultBranch: options.defaultBranch } : {}),
  });
  const git = await checkAgainstGit(refs.slice(outcome.resumedAt), repository, report);
  reportProblems(report, git);
  if (options.wait && outcome.accepted > 0) {
    const bar = new ProgressBar('analysis', outcome.accepted, 'commits');
    const summary = await waitForAnalysis(connection.reader, outcome.accepted, {
      repository: name,
      signal: stop.signal,
      onProgress: (done) => bar.update(done),
    });
    bar.finish(summary.commits + summary.merges);
    if (stop.signal.aborted) {
      process.stderr.write('Stopped; everything is sent, and is being analysed.\n');
      process.exitCode = 130;
      return;
    }
    if (!options.json) process.stdout.write(`${summaryTable(summary)}\n`);
    else process.stdout.write(`${JSON.stringify({ ...summary, ...facts(report, git) })}\n`);
  } else if (options.json) {
    process.stdout.write(`${JSON.stringify(facts(report, git))}\n`);
  }
  if (report.refused.length > 0 || !git.equal) process.exitCode = 1;
}

/** Says what the branch names whose history was sent. */
export async function tellHistory(
  connection: Connection,
  repository: Repository,
  refs: readonly CommitRef[],
  of: { name: string; projectId?: string; ref: string; defaultBranch?: string },
): Promise<void> {
  const sha = refs.at(-1)?.sha;
  if (sha === undefined) return;
  const branch = await branchName(repository, of.ref);
  const pushed = {
    repository: of.name,
    ...(of.projectId === undefined ? {} : { projectId: of.projectId }),
    branch,
    defaultBranch: of.defaultBranch ?? (await defaultBranchName(repository, 'origin', branch)),
    sha,
  };
  await tellBranch(connection.client, pushed);
  await tellMailmap(connection.client, repository, pushed);
}

export interface SendOptions {
  readonly name: string;
  readonly projectId?: string;
  readonly declarations: ReturnType<typeof declarationPatterns>;
  /** Where to keep how far it has come; nowhere when absent. */
  readonly statePath?: string;
  readonly url: string;
  readonly records?: HistoryOptions['records'];
  readonly capturedBefore?: HistoryOptions['capturedBefore'];
  readonly signal?: AbortSignal;
}

/** Sends a history with a progress bar, going on where an earlier run stopped. */
export async function pushHistory(
  connection: Connection,
  repository: Repository,
  refs: readonly CommitRef[],
  options: SendOptions,
): Promise<{ report: HistoryReport; resumedAt: number; accepted: number }> {
  const state = options.statePath ? await loadState(options.statePath) : undefined;
  const known = state ? refs.findIndex(({ sha }) => sha === state.lastSha) + 1 : 0;
  const acceptedBefore = known > 0 ? state!.accepted : 0;
  const bar = new ProgressBar('backfill', refs.length, 'commits', process.stderr, known);
  if (known > 0) process.stderr.write(`Going on after ${known} commits that an earlier run sent.\n`);
  if (known === 0) {
    const { name, projectId } = options;
    const names = { repository: name, ...(projectId ? { projectId } : {}) };
    const parent = refs[0]?.parents[0];
    const wanted = parent !== undefined && (await connection.door.wantsBaseline(name));
    const files = wanted ? await sendBaseline(repository, parent, names, connection.client) : 0;
    if (files > 0) process.stderr.write(`Sent ${files} files that stand before the first commit.\n`);
  }
  const report = await sendHistory(refs.slice(known), {
    repository,
    name: options.name,
    ...(options.projectId ? { projectId: options.projectId } : {}),
    sink: connection.client,
    lineKey: connection.lineKey,
    declarations: options.declarations,
    ...(options.records ? { records: options.records } : {}),
    ...(options.capturedBefore ? { capturedBefore: options.capturedBefore } : {}),
    ...(options.signal ? { signal: options.signal } : {}),
    onProgress: async ({ done, accepted, sha }) => {
      bar.update(known + done);
      if (options.statePath) {
        await saveState(options.statePath, {
          repository: options.name,
          url: options.url,
          lastSha: sha,
          accepted: acceptedBefore + accepted,
        });
      }
    },
  });
  bar.finish(known + report.commits + report.merges + report.skipped.length);
  return { report, resumedAt: known, accepted: acceptedBefore + report.accepted };
}

export function repositoryName(path: string): string {
  const name = basename(resolve(path)).replace(/\.git$/, '');
  return name === '' ? 'repository' : name;
}

/** What a person must know: commits that are missing from the numbers, and a count that is not git's. */
export function reportProblems(report: HistoryReport, git: GitCheck): void {
  const say = (text: string) => process.stderr.write(`${text}\n`);
  for (const { sha, reason } of report.skipped) say(`skipped ${sha}: ${reason}`);
  for (const { sha, code, detail } of report.refused) say(`refused ${sha}: ${code}: ${detail}`);
  say(
    git.equal
      ? `Added lines equal git's own count: ${git.addedLines} in the counted files of ${git.commits} commits.`
      : `Added lines differ from git's own count: ${git.addedLines} here, ${git.gitAddedLines} by git --numstat. Please report this.`,
  );
}

export function facts(report: HistoryReport, git: GitCheck) {
  return {
    sent: {
      commits: report.commits,
      merges: report.merges,
      declared: report.declared,
      fingerprints: report.fingerprints,
    },
    skipped: report.skipped,
    refused: report.refused,
    git: { ...git, mergeAddedLines: report.mergeAddedLines },
  };
}
