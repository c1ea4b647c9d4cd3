/** The commit that each line at HEAD comes from, by our lineage and by `git blame`. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { followHistory, noMoves } from './dist/lineage/follow-history.js';
import { causesOf } from './blame-causes.mjs';
import { placesOf } from './blame-places.mjs';
import { round, table } from './table.mjs';

const MOST_FILES = 10;
/** Git calls a file binary that has a NUL among so many. */
const BINARY_BYTES = 8000;
const run = promisify(execFile);

/**
 * `share` is of the lines that are followed: all of every file that has lines, but for those that were added by more than
 * the reader takes of one commit, or that its attributes call binary (`excluded`).
 */
export async function measure({ repo = '.' }) {
  const path = resolve(repo);
  const git = async (...args) =>
    (await run('git', ['-C', path, ...args], { maxBuffer: 1 << 30, encoding: 'latin1' })).stdout;
  const started = performance.now();
  let head;
  // Blame without -M does not follow what moved.
  const excluded = new Set();
  const { commits, skipped } = await followHistory(path, [noMoves], ({ sha, files }, tree) => {
    for (const file of files) if (file.excluded !== undefined) excluded.add(`${sha} ${file.path}`);
    head = { sha, tree };
  });
  const followSeconds = (performance.now() - started) / 1000;
  const differing = [];
  const sums = { files: 0, lines: 0, equal: 0, excluded: 0 };
  for (const [name, lineage] of head.tree) {
    const blamed = await placesOf(git, head.sha, name);
    const ours = lineage.flatMap(({ origin, line, count }) =>
      Array.from({ length: count }, (_, i) => origin && { ...origin, line: line + i }),
    );
    const wrong = [];
    for (const [i, theirs] of blamed.entries()) {
      if (theirs.commit === ours[i]?.commit) sums.equal += 1;
      else if (!ours[i] && excluded.has(`${theirs.commit} ${theirs.path}`)) sums.excluded += 1;
      else wrong.push({ git: theirs, ours: ours[i] });
    }
    sums.files += 1;
    sums.lines += blamed.length;
    if (wrong.length > 0) differing.push({ path: name, lines: blamed.length, wrong });
  }
  const unfollowed = await linesBeyond(git, head);
  sums.lines += unfollowed;
  sums.excluded += unfollowed;
  differing.sort((a, b) => b.wrong.length - a.wrong.length);
  return {
    commits,
    skipped,
    ...sums,
    share: round(sums.equal / (sums.lines - sums.excluded), 5),
    causes: await causesOf(
      git,
      head.sha,
      differing.flatMap(({ wrong }) => wrong),
    ),
    commitsPerSecond: round(commits / followSeconds, 1),
    differing: differing
      .slice(0, MOST_FILES)
      .map(({ path: name, lines, wrong }) => ({ path: name, lines, differ: wrong.length })),
  };
}

/** The lines of text in files at HEAD of which there is no lineage. */
async function linesBeyond(git, { sha, tree }) {
  let lines = 0;
  for (const row of (await git('ls-tree', '-r', '-z', sha)).split('\0').filter(Boolean)) {
    const [, mode, id, name] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(row);
    if (!mode.startsWith('100') || tree.has(Buffer.from(name, 'latin1').toString())) continue;
    // A clone may lack the largest.
    const text = await git('cat-file', 'blob', id).catch(() => '');
    if (!text.slice(0, BINARY_BYTES).includes('\0')) lines += text.split('\n').length - 1;
  }
  return lines;
}

export function render({ lines, excluded, files, share, causes, differing }) {
  const followed = (lines - excluded).toLocaleString('en-US');
  return [
    `${(100 * share).toFixed(3)} % of ${followed} lines in ${files} files come from the commit that git blame names.`,
    `${excluded.toLocaleString('en-US')} more were added beyond the reader's limits and are not followed.`,
    '',
    table(
      ['why lines differ', 'lines'],
      Object.entries(causes).map(([cause, count]) => [cause, `${count}`]),
    ),
    '',
    table(
      ['differing most', 'lines', 'differ'],
      differing.map(({ path, lines: all, differ }) => [path, `${all}`, `${differ}`]),
    ),
  ].join('\n');
}
