/** The whole pipeline on a repository's history, against the time git alone takes to print the same changes. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { root } from '../../tools/setup.mjs';
import { round, table } from '../table.mjs';

export async function measureRepository({ repo, max }) {
  if (max !== undefined && !/^[1-9]\d*$/.test(max))
    throw new Error(`--max ${max} is not a number of commits.`);
  const limit = max === undefined ? [] : ['--max', max];
  const args = ['apps/cli/dist/main.js', 'demo', '--once', '--json', '--repo', resolve(repo), ...limit];
  const demo = JSON.parse((await run(process.execPath, args)).stdout);
  // The same commits in the same order, with the -U0 hunks and renames that Lineprint reads, to /dev/null.
  const gitArgs = ['-C', resolve(repo), 'log', '-p', '-U0', '-M', '--topo-order'];
  const newest = max === undefined ? [] : [`--max-count=${max}`];
  const git = await run('git', [...gitArgs, ...newest, 'HEAD'], { output: 'ignore' });
  const commits = demo.commits + demo.merges;
  const seconds = demo.seconds;
  return {
    repository: demo.repository,
    commits,
    addedLines: demo.lines.added,
    lineprint: {
      seconds,
      commitsPerSecond: round(commits / seconds, 1),
      addedLinesPerSecond: round(demo.lines.added / seconds, 0),
      peakRssMb: demo.peakRssMb,
    },
    git: {
      seconds: round(git.seconds, 2),
      commitsPerSecond: round(commits / git.seconds, 1),
      addedLinesPerSecond: round(demo.lines.added / git.seconds, 0),
    },
    timesGit: round(seconds / git.seconds, 1),
  };
}

export function renderRepository({ repository, commits, addedLines, lineprint, git, timesGit }) {
  const row = (name, rates, memory) => [
    name,
    rates.seconds.toFixed(2),
    rates.commitsPerSecond.toLocaleString('en-US'),
    rates.addedLinesPerSecond.toLocaleString('en-US'),
    memory,
  ];
  return [
    `${repository}: ${commits} commits, ${addedLines.toLocaleString('en-US')} attributable lines added`,
    '',
    table(
      ['', 'seconds', 'commits/s', 'added lines/s', 'peak RSS'],
      [
        row('git log -p alone', git, ''),
        row('lineprint, start to table', lineprint, `${lineprint.peakRssMb} MB`),
      ],
    ),
    '',
    `Lineprint takes ${timesGit} times as long as git alone.`,
  ].join('\n');
}

/** Runs a program to its end; its stderr is ours. */
async function run(command, args, { output = 'pipe' } = {}) {
  const started = performance.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', output, 'inherit'] });
  const chunks = [];
  child.stdout?.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}.`);
  return { stdout: Buffer.concat(chunks).toString('utf8'), seconds: (performance.now() - started) / 1000 };
}
