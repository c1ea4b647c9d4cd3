/** A repository's history into Lineprint in one process, against the time in which git prints the same changes. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root } from '../tools/setup.mjs';
import { runCommand } from './command-line.mjs';
import { descendants, processes, threads } from './pipeline/processes.mjs';
import { withServer } from './server.mjs';
import { round, table } from './table.mjs';

const SAMPLE_MS = 200;

/** Whose processor time it is, by the process's command. */
const STAGES = [
  ['parser', /parser-process/],
  ['server', /standalone/],
  ['commandLine', /cli\/dist/],
  ['git', /^git |\/git /],
];

export async function measure({ repo = root, max }) {
  if (max !== undefined && !/^[1-9]\d*$/.test(max))
    throw new Error(`--max ${max} is not a number of commits.`);
  const path = resolve(repo);
  const state = await mkdtemp(join(tmpdir(), 'lineprint-bench-'));
  try {
    const run = await withServer(async ({ url, apiKey }) => {
      const usage = new Usage();
      const begin = performance.now();
      // It ends when every commit that it sent has its result.
      const answer = JSON.parse(
        await runCommand(
          ['backfill', '--repo', path, ...(max === undefined ? [] : ['--max', max]), '--json'],
          {
            LINEPRINT_URL: url,
            LINEPRINT_QUERY_URL: url,
            LINEPRINT_API_KEY: apiKey,
            LINEPRINT_STATE_DIRECTORY: state,
          },
        ),
      );
      return { answer, seconds: (performance.now() - begin) / 1000, usage: usage.stop() };
    });
    const { answer, seconds, usage } = run;
    const commits = answer.commits + answer.merges;
    const gitSeconds = await printHistory(path, answer.commits);
    return {
      commits,
      commitsPerSecond: round(commits / seconds, 1),
      gitLogSeconds: round(gitSeconds, 2),
      ratio: round(seconds / gitSeconds, 1),
      peakRssMb: round(usage.peakBytes / 1e6, 0),
      seconds: round(seconds, 1),
      addedLines: answer.lines.added,
      cpuMsPerCommit: round((1000 * usage.seconds) / commits, 2),
      stages: Object.fromEntries(
        Object.entries(usage.stages).map(([stage, cpu]) => [
          stage,
          { cpuSeconds: round(cpu, 1), cpuMsPerCommit: round((1000 * cpu) / commits, 2) },
        ]),
      ),
    };
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** What the processes that this one has started use from now on. */
class Usage {
  before = this.#times();
  last = this.before;
  peakBytes = 0;
  timer = setInterval(() => this.#sample(), SAMPLE_MS);

  /** @returns {{seconds: number, stages: Record<string, number>, peakBytes: number}} */
  stop() {
    clearInterval(this.timer);
    this.#sample();
    const stages = {};
    let seconds = 0;
    for (const [id, { stage, seconds: after }] of this.last) {
      const used = after - (this.before.get(id)?.seconds ?? 0);
      stages[stage] = (stages[stage] ?? 0) + used;
      seconds += used;
    }
    return { seconds, stages, peakBytes: this.peakBytes };
  }

  #sample() {
    // What has ended keeps the time that it was last seen with.
    this.last = new Map([...this.last, ...this.#times()]);
  }

  #times() {
    const all = processes();
    const own = descendants(all, process.pid);
    const started = all.filter(({ pid }) => own.has(pid) && pid !== process.pid);
    const bytes = started.reduce((sum, { rssBytes }) => sum + rssBytes, 0);
    this.peakBytes = Math.max(this.peakBytes ?? 0, bytes);
    return new Map(
      started.flatMap(({ pid, command, seconds }) => {
        // One that has just ended has a time, but no command any more.
        const known = this.last?.get(`${pid}`)?.stage;
        const stage = known ?? STAGES.find(([, pattern]) => pattern.test(command))?.[0] ?? 'other';
        if (stage !== 'server') return [[`${pid}`, { stage, seconds }]];
        // The compiler and the collector have threads of their own; the first is what commits wait for.
        return threads(pid).map(({ id, seconds }) => [
          `${pid}/${id}`,
          { stage: id === pid ? 'server' : 'serverThreads', seconds },
        ]);
      }),
    );
  }
}

/** Seconds in which git prints the newest commits that are no merges, to nowhere. */
function printHistory(repo, commits) {
  const begin = performance.now();
  const args = ['-C', repo, 'log', '-p', '--no-merges', `--max-count=${commits}`, 'HEAD'];
  const git = spawn('git', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return new Promise((done, fail) => {
    git.once('error', fail);
    git.once('close', (code) =>
      code === 0 ? done((performance.now() - begin) / 1000) : fail(new Error(`git log ended with ${code}.`)),
    );
  });
}

export function render(answer) {
  const stages = Object.entries(answer.stages).map(([stage, { cpuSeconds, cpuMsPerCommit }]) => [
    stage,
    cpuSeconds.toFixed(1),
    cpuMsPerCommit.toFixed(2),
  ]);
  return [
    `${answer.commits} commits, ${answer.addedLines.toLocaleString('en-US')} attributable lines in ${answer.seconds} s:`,
    `${answer.commitsPerSecond} commits/s, ${answer.peakRssMb} MB at most, all processes together.`,
    `git log -p --no-merges takes ${answer.gitLogSeconds} s; Lineprint ${answer.ratio} times as long.`,
    '',
    table(['processor time', 'seconds', 'ms a commit'], stages),
  ].join('\n');
}
