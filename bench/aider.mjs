/**
 * Aider publishes for each of its releases which share of the lines that were added since the one before, and still
 * stand, its own commits have. The same from our lineage, by what the commits declare.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../tools/setup.mjs';
import { round, table } from './table.mjs';
import { followHistory } from './lineage/follow-history.mjs';

const POINTS = 2;

/** Which files the published figures are about, by the rule that aider's repository states for them. */
const SUFFIXES = ['.js', '.py', '.scm', '.sh', 'Dockerfile', 'Gemfile'];
const PAGES = new Set([
  'aider/website/index.html',
  'aider/website/share/index.md',
  'aider/website/_includes/head_custom.html',
  'aider/website/_includes/home.css',
  'aider/website/docs/leaderboards/index.md',
]);

function isSource(path) {
  if (path.endsWith('prompts.py') || path.startsWith('tests/fixtures/watch')) return false;
  if (path === 'aider/website/install.sh' || path === 'aider/website/install.ps1') return false;
  return (
    SUFFIXES.some((suffix) => path.endsWith(suffix)) ||
    (path.startsWith('.github/workflows/') && path.endsWith('.yml')) ||
    (path.startsWith('aider/resources/') && path.endsWith('.yml')) ||
    PAGES.has(path) ||
    (path.startsWith('tests/fixtures/languages/') && path.includes('/test.'))
  );
}

export async function measure({ repo, data = '../shared/bench' }) {
  if (repo === undefined) throw new Error('--repo PATH says where a clone of Aider-AI/aider is.');
  const path = resolve(repo);
  const file = join(resolve(root, data), 'aider-releases.json');
  const releases = JSON.parse(await readFile(file, 'utf8'));
  const git = gitIn(path);
  const between = new Map();
  const endsAt = new Map();
  for (const release of releases) {
    const { start_tag: start, end_tag: end } = release;
    between.set(release, new Set((await git('rev-list', `${start}..${end}`)).split('\n')));
    const tip = (await git('rev-parse', `${end}^{commit}`)).trim();
    endsAt.set(tip, [...(endsAt.get(tip) ?? []), release]);
  }
  const byAider = new Set();
  const found = new Map();
  const { commits, skipped } = await followHistory(path, { inherit: true }, (commit, tree) => {
    const { declared, sha } = commit;
    // A committer named so has committed somebody's own edits: the published figures count those as that person's.
    if (declared?.tool === 'aider' && declared.by !== 'committer') byAider.add(sha);
    for (const release of endsAt.get(sha) ?? []) {
      found.set(release, sharesOf(tree, between.get(release), byAider));
    }
  });
  const rows = releases.map((release) => {
    const counted = found.get(release);
    const published = Number(release.aider_percentage);
    const ours = counted?.lines ? round((100 * counted.ai) / counted.lines, 2) : null;
    return {
      tag: release.end_tag,
      published,
      ours,
      publishedLines: Number(release.total_lines),
      ourLines: counted?.lines ?? null,
      ...(ours === null ? { reason: 'HEAD does not reach the tag' } : {}),
    };
  });
  const within = rows.filter(({ published, ours }) => ours !== null && Math.abs(published - ours) <= POINTS);
  return { releases: rows.length, within2Points: within.length, commits, skipped, rows };
}

function sharesOf(tree, inRelease, byAider) {
  let lines = 0;
  let ai = 0;
  for (const [path, lineage] of tree) {
    if (!isSource(path)) continue;
    for (const { origin, count } of lineage) {
      if (!origin || !inRelease.has(origin.commit)) continue;
      lines += count;
      if (byAider.has(origin.commit)) ai += count;
    }
  }
  return { lines, ai };
}

function gitIn(path) {
  const run = promisify(execFile);
  return async (...args) => (await run('git', ['-C', path, ...args], { maxBuffer: 64 << 20 })).stdout;
}

export function render({ rows, releases, within2Points }) {
  return [
    table(
      ['release', 'published %', 'ours %', 'lines', 'our lines'],
      rows.map(({ tag, published, ours, publishedLines, ourLines }) => [
        tag,
        published.toFixed(2),
        ours?.toFixed(2) ?? '-',
        publishedLines.toLocaleString('en-US'),
        ourLines?.toLocaleString('en-US') ?? '-',
      ]),
    ),
    '',
    `${within2Points} of ${releases} releases are within ${POINTS} points.`,
  ].join('\n');
}
