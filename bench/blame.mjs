/** The commit that each line at HEAD comes from, by our lineage and by `git blame`. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { followHistory } from './lineage/follow-history.mjs';
import { round, table } from './table.mjs';

const MOST_FILES = 10;
const run = promisify(execFile);

export async function measure({ repo = '.' }) {
  const path = resolve(repo);
  const started = performance.now();
  let head;
  // Blame without -M does not follow what moved.
  const { commits, skipped } = await followHistory(path, { inherit: false }, ({ sha }, tree) => {
    head = { sha, tree };
  });
  const followSeconds = (performance.now() - started) / 1000;
  const differing = [];
  const sums = { files: 0, lines: 0, equal: 0, unknown: 0 };
  for (const [name, lineage] of head.tree) {
    const blamed = await blame(path, head.sha, name);
    const ours = lineage.flatMap(({ origin, count }) => Array(count).fill(origin?.commit));
    const wrong = blamed.filter((sha, i) => sha !== ours[i]).length;
    sums.files += 1;
    sums.lines += blamed.length;
    sums.equal += blamed.length - wrong;
    sums.unknown += ours.filter((sha) => sha === undefined).length;
    if (wrong > 0) differing.push({ path: name, lines: blamed.length, differ: wrong });
  }
  differing.sort((a, b) => b.differ - a.differ);
  return {
    commits,
    skipped,
    ...sums,
    share: round(sums.equal / sums.lines, 5),
    commitsPerSecond: round(commits / followSeconds, 1),
    differing: differing.slice(0, MOST_FILES),
  };
}

/** The commit of each line. */
async function blame(path, sha, name) {
  const args = ['-C', path, 'blame', '--porcelain', sha, '--', name];
  const { stdout } = await run('git', args, { maxBuffer: 1 << 30, encoding: 'latin1' });
  return [...stdout.matchAll(/^([0-9a-f]{40,64}) \d+ \d+(?: \d+)?$/gm)].map(([, id]) => id);
}

export function render({ lines, files, share, differing }) {
  return [
    `${(100 * share).toFixed(3)} % of ${lines.toLocaleString('en-US')} lines in ${files} files come from the commit that git blame names.`,
    '',
    table(
      ['differing most', 'lines', 'differ'],
      differing.map(({ path, lines: all, differ }) => [path, `${all}`, `${differ}`]),
    ),
  ].join('\n');
}
