/**
 * Aider publishes for each of its releases which share of the lines that were added since the one before, and still
 * stand, its own commits have. The same from our lineage, by what the commits declare.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../tools/setup.mjs';
import { publishedFiles } from './aider-files.mjs';
import { CopiedBlocks } from './dist/lineage/copied-blocks.js';
import { followHistory, noMoves, productMoves } from './dist/lineage/follow-history.js';
import { round, table } from './table.mjs';

const POINTS = 2;
/** Letters and digits of a block that moved: all published rows were made with `git blame -M100 -C100 -C -C`. */
const MOVED = 100;

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

/**
 * `ours` follows moves and copies as the published figures do. `byProductMoves`: the same with what the product itself
 * calls inherited. `asItStands`: `ours`, but a block is only taken for moved while enough of it is left at the tag.
 */
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
  const published = await publishedFiles(git);
  const byAider = new Set();
  const found = new Map();
  const copied = new CopiedBlocks(MOVED);
  const rules = [copied, productMoves, noMoves];
  const { commits, skipped } = await followHistory(path, rules, (commit, moved, byProduct, added) => {
    const { declared, parents, sha } = commit;
    // A committer named so has committed somebody's own edits: the published figures count those as that person's.
    if (declared?.tool === 'aider' && declared.by !== 'committer') byAider.add(sha);
    // To git, all lines of a history's first commit are older than any range.
    if (parents.length === 0) for (const set of between.values()) set.delete(sha);
    for (const release of endsAt.get(sha) ?? []) {
      const shares = new Shares(between.get(release), byAider);
      found.set(release, {
        ours: shares.of(moved),
        product: shares.of(byProduct),
        blocks: blocksIn(added, moved, copied, shares),
        shares,
      });
    }
  });
  const rows = [];
  for (const release of releases) {
    const counted = found.get(release);
    const row = {
      tag: release.end_tag,
      published: Number(release.aider_percentage),
      ours: counted ? shareOf(counted.ours) : null,
      byProductMoves: counted ? shareOf(counted.product) : null,
      asItStands: counted ? shareOf(withoutBlocks(counted, isCut)) : null,
      publishedLines: Number(release.total_lines),
      ourLines: counted?.ours.lines ?? null,
    };
    if (!counted) row.reason = 'HEAD does not reach the tag';
    else if (!isWithin(row, row.ours)) row.reason = whyApart(row, counted, published.get(row.tag));
    rows.push(row);
  }
  const within = (key) => rows.filter((row) => isWithin(row, row[key])).length;
  return {
    releases: rows.length,
    within2Points: within('ours'),
    within2PointsByProductMoves: within('byProductMoves'),
    within2PointsAsItStands: within('asItStands'),
    commits,
    skipped,
    rows,
  };
}

const isWithin = ({ published }, share) => share !== null && Math.abs(published - share) <= POINTS;
const shareOf = ({ lines, ai }) => (lines === 0 ? null : round((100 * ai) / lines, 2));

/** Counts the lines that a release has added. */
class Shares {
  constructor(inRelease, byAider) {
    this.inRelease = inRelease;
    this.byAider = byAider;
  }

  /** All lines of a release, and of each file: `{ lines, ai, files }`. */
  of(tree) {
    const sum = { lines: 0, ai: 0, files: new Map() };
    for (const [path, lineage] of tree) {
      if (!isSource(path)) continue;
      for (const { origin, count } of lineage) this.add(sum, path, origin, count);
    }
    return sum;
  }

  has(origin) {
    return origin !== undefined && this.inRelease.has(origin.commit);
  }

  add(sum, path, origin, count) {
    if (!this.has(origin)) return;
    const ai = this.byAider.has(origin.commit) ? count : 0;
    const file = sum.files.get(path) ?? { lines: 0, ai: 0 };
    sum.files.set(path, { lines: file.lines + count, ai: file.ai + ai });
    sum.lines += count;
    sum.ai += ai;
  }
}

/** The blocks that the release has copied, with the origins of their lines. */
function blocksIn(added, moved, copied, shares) {
  const blocks = [];
  for (const [path, lineage] of added) {
    if (!isSource(path)) continue;
    const standing = copied.standing(lineage).filter((block) => shares.has(block));
    if (standing.length === 0) continue;
    const origins = moved.get(path).flatMap(({ origin, count }) => Array(count).fill(origin));
    for (const block of standing) {
      blocks.push({ ...block, file: path, origins: origins.slice(block.start, block.start + block.count) });
    }
  }
  return blocks;
}

const isCut = ({ score }) => score < MOVED;

/** `ours` with the lines of some blocks counted for the commits that copied them. */
function withoutBlocks({ ours, blocks, shares }, isLeft) {
  const sum = { lines: ours.lines, ai: ours.ai, files: new Map(ours.files) };
  for (const block of blocks) {
    if (!isLeft(block)) continue;
    for (const origin of block.origins) shares.add(sum, block.file, origin, -1);
    shares.add(sum, block.file, block, block.count);
  }
  return sum;
}

/** The reason why a row is out, with figures, and the file that is most apart. */
function whyApart(row, counted, files) {
  const standing = withoutBlocks(counted, isCut);
  const cut = sumOf(counted.blocks.filter(isCut), ({ count }) => count);
  const reasons = [];
  if (cut > 0) {
    reasons.push(
      `later edits have left ${cut} lines of copied blocks, less than ${MOVED} letters and digits of each: git blame looks ` +
        `from the tag and does not find them; counted for the commits that copied them: ${row.asItStands} %`,
    );
  }
  const file = mostApart(standing, files);
  if (!isWithin(row, row.asItStands) && file) {
    const { path, published, ours } = file;
    const whole = sumOf(
      counted.blocks.filter((block) => block.file === path && !isCut(block)),
      ({ origins }) => origins.filter((origin) => !counted.shares.has(origin)).length,
    );
    const lines = standing.lines - ours.lines + published.lines;
    const withPublished = shareOf({ lines, ai: standing.ai - ours.ai + published.ai });
    reasons.push(
      `of ${path} ${published.lines} lines are published (${published.ai} by aider), ours are ${ours.lines} (${ours.ai}), and ` +
        `${whole} stand in whole copied blocks: git compares added lines with a file by one diff, which may cross a copy; ` +
        `with the published ones: ${withPublished} %`,
    );
  }
  return reasons.join('; ');
}

const sumOf = (items, number) => items.reduce((sum, item) => sum + number(item), 0);

function mostApart({ files }, published = new Map()) {
  const none = { lines: 0, ai: 0 };
  const apart = ({ published: a, ours: b }) =>
    Math.abs(a.ai - b.ai) + Math.abs(a.lines - a.ai - b.lines + b.ai);
  return [...published.keys()]
    .map((path) => ({ path, published: published.get(path), ours: files.get(path) ?? none }))
    .sort((a, b) => apart(b) - apart(a))[0];
}

function gitIn(path) {
  const run = promisify(execFile);
  return async (...args) => (await run('git', ['-C', path, ...args], { maxBuffer: 64 << 20 })).stdout;
}

export function render({ rows, releases, within2Points, within2PointsByProductMoves }) {
  return [
    table(
      ['release', 'published %', 'ours %', 'lines', 'our lines', 'by product moves %'],
      rows.map(({ tag, published, ours, publishedLines, ourLines, byProductMoves }) => [
        tag,
        published.toFixed(2),
        ours?.toFixed(2) ?? '-',
        publishedLines.toLocaleString('en-US'),
        ourLines?.toLocaleString('en-US') ?? '-',
        byProductMoves?.toFixed(2) ?? '-',
      ]),
    ),
    '',
    ...rows.filter(({ reason }) => reason !== undefined).map(({ tag, reason }) => `${tag}: ${reason}.`),
    '',
    `${within2Points} of ${releases} releases are within ${POINTS} points, by the product's own moves ${within2PointsByProductMoves}.`,
  ].join('\n');
}
