import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command } from 'commander';
import {
  checkAgainstGit,
  type CommitRef,
  type GitCheck,
  type HistoryReport,
  listCommits,
  openRepository,
  type Repository,
} from '@lineprint/git';
import { generateApiKey } from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import { waitForAnalysis } from '../demo/analysis-wait';
import { MemoryPeak } from '../demo/process-memory';
import { replaySample, SAMPLE_NAME, type SampleScore } from '../demo/sample-replay';
import { type Standalone, startStandalone } from '../demo/standalone-process';
import { summaryTable } from '../demo/summary-table';
import type { Summary } from '../api/read-client';
import { ProgressBar } from '../terminal/progress-bar';
import {
  type Connection,
  connect,
  type DeclarationOptions,
  declarationPatterns,
  positiveInteger,
  withDeclarations,
} from './connection';
import { facts, reportProblems, repositoryName, pushHistory, tellHistory } from './backfill';

interface DemoOptions extends DeclarationOptions {
  readonly once?: boolean;
  readonly json?: boolean;
  readonly repo?: string;
  readonly max?: number;
  readonly data?: string;
}

interface Outcome {
  readonly repository: string;
  readonly summary: Summary;
  readonly report: HistoryReport;
  readonly git: GitCheck;
  readonly reconciles: boolean;
  /** Only the sample has a known answer for each line. */
  readonly truth: SampleScore | null;
}

export function addDemoCommand(program: Command): void {
  withDeclarations(
    program
      .command('demo')
      .description(
        'Start Lineprint in one process, run a sample (or a repository of yours) through it, show the result.',
      )
      .option('--once', 'exit after the table instead of serving')
      .option('--json', 'print one JSON object instead of the table')
      .option('--repo <path>', 'run this repository instead of the sample')
      .option('--max <n>', 'only the newest n commits of the repository', positiveInteger)
      .option(
        '--data <directory>',
        'keep the data here (default: a temporary directory, removed at the end)',
      ),
  ).action(runDemo);
}

async function runDemo(options: DemoOptions): Promise<void> {
  const started = performance.now();
  const memory = new MemoryPeak();
  // Before anything is started: a wrong path is said at once.
  const repository = options.repo ? await openRepository(resolve(options.repo)) : undefined;
  const temporary = await mkdtemp(join(tmpdir(), 'lineprint-demo-'));
  const directory = options.data ? resolve(options.data) : temporary;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  const apiKey = generateApiKey();
  let standalone: Standalone | undefined;
  try {
    process.stderr.write('Starting Lineprint in one process, on embedded adapters …\n');
    const repositories = repository
      ? { [repositoryName(repository.path)]: repository.path }
      : { [SAMPLE_NAME]: join(temporary, SAMPLE_NAME) };
    standalone = await startStandalone({
      directory,
      apiKey,
      orgId: 'demo',
      repositories,
      signal: stop.signal,
    });
    if (!standalone) {
      process.exitCode = 130;
      return;
    }
    const connection = await connect({ url: standalone.url, queryUrl: standalone.url, apiKey });
    const outcome = repository
      ? await runRepository(connection, standalone.url, repository, options, stop.signal)
      : await runSample(connection, standalone.url, temporary, options, stop.signal);
    if (!outcome) {
      process.exitCode = 130;
      return;
    }
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    if (options.once) await standalone.stop();
    show(outcome, { seconds, peakRssMb: await memory.stop() }, options);
    if (!outcome.reconciles || !outcome.git.equal) process.exitCode = 1;
    if (!options.once) await serve(standalone, apiKey, stop.signal);
  } finally {
    await standalone?.stop();
    await rm(temporary, { recursive: true, force: true });
    process.removeListener('SIGINT', interrupt);
    process.removeListener('SIGTERM', interrupt);
  }
}

async function runRepository(
  connection: Connection,
  url: string,
  repository: Repository,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const refs = await listCommits(repository, options.max ? { max: options.max } : {});
  const name = repositoryName(repository.path);
  const { report } = await pushHistory(connection, repository, refs, {
    name,
    declarations: declarationPatterns(options),
    url,
    signal,
  });
  return finish(connection, repository, refs, name, report, signal, () => Promise.resolve(null));
}

async function runSample(
  connection: Connection,
  url: string,
  directory: string,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const replay = await replaySample(connection, join(directory, SAMPLE_NAME), {
    declarations: declarationPatterns(options),
    url,
    signal,
  });
  return finish(connection, replay.repository, replay.refs, replay.name, replay.report, signal, () =>
    replay.score(connection.reader),
  );
}

/** Waits for the verdicts and checks them; undefined when it was interrupted. */
async function finish(
  connection: Connection,
  repository: Repository,
  refs: readonly CommitRef[],
  name: string,
  report: HistoryReport,
  signal: AbortSignal,
  score: () => Promise<SampleScore | null>,
): Promise<Outcome | undefined> {
  if (signal.aborted) return undefined;
  await tellHistory(connection, repository, refs, { name, ref: 'HEAD' });
  const git = await checkAgainstGit(refs, repository, report);
  reportProblems(report, git);
  const bar = new ProgressBar('analysis', report.accepted, 'commits');
  const summary = await waitForAnalysis(connection.reader, report.accepted, {
    repository: name,
    signal,
    onProgress: (done) => bar.update(done),
  });
  if (signal.aborted) return undefined;
  bar.finish(summary.commits + summary.merges);
  const reconciles = reconcile(summary, report, git);
  return { repository: name, summary, report, git, reconciles, truth: await score() };
}

/** Every line that was sent has one verdict, is inherited or blank; of a refused commit none is. */
function reconcile({ lines }: Summary, report: HistoryReport, git: GitCheck): boolean {
  const told = lines.added + lines.inherited + lines.blank;
  return report.refused.length === 0 && told === git.addedLines + report.mergeAddedLines;
}

function show(outcome: Outcome, run: { seconds: number; peakRssMb: number }, options: DemoOptions): void {
  const { summary, report, git, truth } = outcome;
  if (options.json) {
    process.stdout.write(
      `${JSON.stringify({
        repository: outcome.repository,
        ...summary,
        ...run,
        reconciles: outcome.reconciles,
        truth: truth && { lines: truth.lines, right: truth.right },
        ...facts(report, git),
      })}\n`,
    );
    return;
  }
  process.stdout.write(`\n${outcome.repository}: ${summaryTable(summary)}\n\n`);
  if (truth) {
    process.stdout.write(
      `Checked against the sample's known answers: ${truth.right} of ${truth.lines} lines right (${((100 * truth.right) / truth.lines).toFixed(1)} %).\n`,
    );
  }
  if (!outcome.reconciles) {
    process.stdout.write(
      'The totals do not reconcile: lines with a verdict, inherited and blank ones are not the lines that were sent.\n',
    );
  }
  process.stdout.write(`${run.seconds} s, ${run.peakRssMb} MB at most, all processes together.\n`);
}

async function serve(standalone: Standalone, apiKey: string, signal: AbortSignal): Promise<void> {
  process.stderr.write(
    [
      '',
      `Open  ${standalone.url}/#key=${apiKey}`,
      `API   ${standalone.url}/api/v1/stats/ai-attribution?scope=organization&period=30d`,
      `Docs  ${standalone.url}/api/docs`,
      `Key   ${apiKey}   (send as \`Authorization: Bearer …\`)`,
      'Serving until Ctrl-C.',
      '',
    ].join('\n'),
  );
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([stopped, standalone.exited]);
  if (!signal.aborted) throw new LineprintError('standalone-failed', 'Lineprint ended by itself.');
}
