/** Why two lineages of a line differ, asked of git. */
import { placesOf } from './blame-places.mjs';

/**
 * A line has two origins, and the newer commit is the one that only one of the two goes beyond. What that commit did to
 * the line says why:
 *
 * - `context`: `git diff` itself calls the line added with one amount of context (1 is ours, 0 that of blame) and not with
 *   the other; of equal lines above each other, or of lines that were replaced by some equal ones, either may be new.
 * - `laterContext`: a commit after that one changes the file, and the two diffs of it differ: both keep the line, and may
 *   have it from two lines.
 * - `rename`: the whole diff of the commit pairs files otherwise than one that looks for the source of this file alone.
 * - `merge`: the commit is a merge, or none of the two is an ancestor of the other: they come by different parents.
 * - `unknown`: our lineage has no origin.
 * - `other`: none of these.
 *
 * @param {(...args: string[]) => Promise<string>} git in the repository
 * @param {string} head
 * @param {{ git: Place, ours: Place | undefined }[]} lines
 * @typedef {import('./blame-places.mjs').Place} Place
 * @returns {Promise<Record<string, number>>} lines by cause
 */
export async function causesOf(git, head, lines) {
  const ask = remembering(git);
  const causes = { context: 0, laterContext: 0, rename: 0, merge: 0, unknown: 0, other: 0 };
  for (const line of lines) causes[await causeOf(ask, head, line)] += 1;
  return causes;
}

async function causeOf(ask, head, { git: theirs, ours }) {
  if (!ours) return 'unknown';
  const newer = await newerOf(ask, theirs, ours);
  if (!newer) return 'merge';
  const { commit, path } = newer;
  const [, ...parents] = (await ask('rev-list', '--parents', '-1', commit)).trim().split(' ');
  if (parents.length !== 1) return parents.length > 1 ? 'merge' : 'other';
  const [parent] = parents;
  const before = sourceIn(await ask('diff-tree', '-r', '-M50%', '--name-status', parent, commit), path);
  // Blame looks for what became this file, whatever else that has become.
  const beyond = (await placesOf(ask, `${commit}^!`, path)).find((place) => place.commit !== commit);
  if (beyond && beyond.path !== before) return 'rename';
  if (before === undefined) return 'other';
  const [none, one] = await diffs(ask, parent, commit, before, path);
  if (addsLine(none, newer.line) !== addsLine(one, newer.line)) return 'context';
  return (await differsLater(ask, head, newer)) ? 'laterContext' : 'other';
}

async function differsLater(ask, head, { commit, path }) {
  const later = await ask('rev-list', '--parents', '--no-merges', `${commit}..${head}`, '--', path);
  for (const row of later.split('\n').filter(Boolean)) {
    const [child, parent] = row.split(' ');
    const [none, one] = await diffs(ask, parent, child, path, path).catch(() => ['', '']);
    if (changesOf(none) !== changesOf(one)) return true;
  }
  return false;
}

/** The one of two commits that follows on the other, as a place; undefined where none does. */
async function newerOf(ask, a, b) {
  const base = (await ask('merge-base', a.commit, b.commit).catch(() => '')).trim();
  return base === a.commit ? b : base === b.commit ? a : undefined;
}

/** The name that a file had before; undefined for a new one. */
function sourceIn(nameStatus, path) {
  const rows = nameStatus.split('\n').map((row) => row.split('\t'));
  const row = rows.find((each) => each.at(-1) === path);
  return row === undefined || row[0] === 'A' ? undefined : row[1];
}

/** What became of a file, without context and with one line of it. */
function diffs(ask, parent, commit, before, path) {
  const files = [`${parent}:${before}`, `${commit}:${path}`];
  return Promise.all([0, 1].map((context) => ask('diff', `-U${context}`, '--indent-heuristic', ...files)));
}

/** Whether a diff adds the line with this number in the new file, from 0. */
function addsLine(text, line) {
  return [...changed(text)].some(({ sign, at }) => sign === '+' && at === line);
}

function changesOf(text) {
  return [...changed(text)].map(({ sign, at }) => `${sign}${at}`).join(' ');
}

/** The lines that a diff removes and adds, by their numbers in the old and the new file, from 0. */
function* changed(text) {
  let [from, to] = [0, 0];
  let isHunk = false;
  for (const row of text.split('\n')) {
    const [, oldStart, oldLines, newStart, newLines] =
      /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(row) ?? [];
    if (oldStart !== undefined) {
      isHunk = true;
      // An empty side names the line before it.
      from = Number(oldStart) - (oldLines === '0' ? 0 : 1);
      to = Number(newStart) - (newLines === '0' ? 0 : 1);
    } else if (isHunk) {
      if (row[0] === '-') yield { sign: '-', at: from };
      if (row[0] === '+') yield { sign: '+', at: to };
      if (row[0] === '-' || row[0] === ' ') from += 1;
      if (row[0] === '+' || row[0] === ' ') to += 1;
    }
  }
}

/** Asks git each question once. */
function remembering(git) {
  const answers = new Map();
  return (...args) => {
    const key = args.join('\0');
    if (!answers.has(key)) answers.set(key, git(...args));
    return answers.get(key);
  };
}
