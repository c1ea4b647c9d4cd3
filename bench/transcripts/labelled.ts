import { readFileSync } from 'node:fs';
import { adapters, addedSpans, type CapturedEdit } from '@lineprint/capture';
import { CLOCK_SKEW_MS, type CommitFile } from '@lineprint/contracts';
import { languageOf } from '@lineprint/fingerprint';
import type { CommitContent } from '@lineprint/git';
import type { BackgroundFile, DataSet, LabelledCommit, LabelledSnippet } from '../accuracy/data';
import { TELLING_CHARACTERS } from './compare';
import { comparable, linesOf, type Told } from './told';

/** A commit, and whether the transcripts that it names are all there. */
export interface KnownCommit {
  readonly commit: CommitContent;
  /** 'none' where it names none; what is neither cannot be judged. */
  readonly transcript: 'complete' | 'none' | 'partly absent' | 'unknown';
}

/** Shared words, of all that two lines have, from which one may be made of the other. */
const SIMILAR = 0.5;
/** Added lines by which files are classed, as the other sets do. */
const SIZES = [
  { size: 'tab', most: 3 },
  { size: 'chat', most: 40 },
  { size: 'agent', most: Infinity },
] as const;

interface PlacedEdit {
  readonly edit: CapturedEdit;
  /** Relative to the repository. */
  readonly path: string;
}

/**
 * Files of commits as labelled records. A line is AI's if an edit of the same file that was made before the commit has it
 * literally among the lines that it added; it is nobody's (`skip`) if only another file's edit or a shell command has it, or if
 * a line that an edit added to the file resembles it, for then nobody knows who typed it; else it is human. A short line goes
 * with the longer ones around it, and is skipped where these differ.
 *
 * @param files transcripts
 * @param roots where the working trees lay
 * @param background files before the first of the commits
 */
export function labelledSet(
  files: readonly string[],
  roots: readonly string[],
  told: Told,
  commits: readonly KnownCommit[],
  background: readonly BackgroundFile[],
): DataSet {
  const edits = placedEdits(files, roots);
  const byPath = new Map<string, PlacedEdit[]>();
  for (const edit of edits) byPath.set(edit.path, [...(byPath.get(edit.path) ?? []), edit]);
  const lastTouched = new Map<string, number>();
  const records: LabelledCommit[] = [];
  for (const { commit, transcript } of commits) {
    for (const file of commit.files) {
      const touched = lastTouched.get(file.oldPath ?? file.path);
      // Branches come one after another: which of two commits preceded the other is known by their authors' times alone.
      const since = touched !== undefined && touched <= commit.authoredAt ? touched : undefined;
      lastTouched.set(file.path, commit.authoredAt);
      if (
        (transcript !== 'complete' && transcript !== 'none') ||
        file.content === undefined ||
        commit.parents.length > 1
      )
        continue;
      const own = [file.path, ...(file.oldPath ? [file.oldPath] : [])].flatMap(
        (path) => byPath.get(path) ?? [],
      );
      const before = own.filter(({ edit }) => edit.time <= commit.committedAt + CLOCK_SKEW_MS);
      const record = labelledFile(commit, file, before, told, since);
      const hasAi = /P/.test(record.truth);
      // Of a commit that names no transcript nobody knows what an assistant did in it.
      if (record.scored > 0 && (transcript === 'complete' || !hasAi)) records.push(record.record);
    }
  }
  return { records, snippets: edits.flatMap(snippetsOf), background };
}

function placedEdits(files: readonly string[], roots: readonly string[]): PlacedEdit[] {
  const innermost = [...roots].sort((a, b) => b.length - a.length);
  const seen = new Set<string>();
  return files.flatMap((file) =>
    adapters['claude-code']!.editsOfTranscript!(readFileSync(file, 'utf8')).flatMap((edit) => {
      const absolute = edit.path.startsWith('/') ? edit.path : `${edit.cwd ?? ''}/${edit.path}`;
      const root = innermost.find((path) => absolute.startsWith(`${path}/`));
      const call = `${edit.sessionId} ${edit.toolCallId} ${absolute}`;
      if (root === undefined || seen.has(call)) return [];
      seen.add(call);
      return [{ edit, path: absolute.slice(root.length + 1) }];
    }),
  );
}

/** The runs that an edit added, as clients cut them. */
function snippetsOf({ edit, path }: PlacedEdit, index: number): LabelledSnippet[] {
  const lines = linesOf(edit.after);
  const isText = (line: string) => line.trim() !== '';
  return addedSpans(edit.before, edit.after).flatMap(({ first, last }) => {
    const snippet = lines.slice(first, last + 1);
    if (!snippet.some(isText)) return [];
    const before = lines.slice(0, first).findLast(isText);
    const after = lines.slice(last + 1).find(isText);
    return [
      {
        id: `e${index}-${first}`,
        path,
        language: languageOf(path),
        snippet: snippet.join('\n'),
        time: edit.time / 1000,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      },
    ];
  });
}

function labelledFile(
  commit: CommitContent,
  file: CommitFile,
  edits: readonly PlacedEdit[],
  told: Told,
  since: number | undefined,
): { record: LabelledCommit; truth: string; scored: number } {
  const lines = file.content!.split('\n');
  const added = lines.map(() => '0');
  for (const { newStart, newLines } of file.hunks) {
    for (let line = newStart - 1; line < newStart - 1 + newLines; line++) added[line] = '1';
  }
  const own = new Set<string>();
  for (const { edit } of edits) {
    const after = linesOf(edit.after);
    for (const { first, last } of addedSpans(edit.before, edit.after)) {
      for (const line of after.slice(first, last + 1)) own.add(comparable(line));
    }
  }
  const words = [...own].filter(isTelling).map(wordsOf);
  const labels = lines.map((line, i) => {
    if (added[i] !== '1' || line.trim() === '') return ' ';
    const text = comparable(line);
    if (!isTelling(text)) return '?';
    if (own.has(text)) return 'P';
    if (told.edits.has(text) || told.shell.has(text)) return '-';
    const mine = wordsOf(text);
    return words.some((others) => resemblance(mine, others) >= SIMILAR) ? '-' : 'H';
  });
  const truth = labels.map((label, i) =>
    label === '?' ? shortLine(labels, i, own.has(comparable(lines[i]!))) : label,
  );
  const text = truth.map((label) => (label === 'P' ? 'P' : 'H')).join('');
  const count = added.filter((mark) => mark === '1').length;
  return {
    truth: text,
    scored: truth.filter((label) => label === 'P' || label === 'H').length,
    record: {
      id: `${commit.sha.slice(0, 12)}:${file.path}`,
      language: languageOf(file.path),
      size: text.includes('P') ? SIZES.find(({ most }) => count <= most)!.size : 'neg',
      transform: text.includes('P') ? 'session' : 'neg_outside',
      path: file.path,
      ...(file.oldPath && { aliases: [file.oldPath] }),
      final_file: lines.join('\n'),
      truth: text,
      added: added.join(''),
      skip: truth.map((label) => (label === '-' ? '1' : '0')).join(''),
      time: commit.committedAt / 1000,
      ...(since !== undefined && { since: since / 1000 }),
    },
  };
}

const isTelling = (line: string): boolean => line.trim().length >= TELLING_CHARACTERS;

/** As the next longer added lines above and below are, if they agree. */
function shortLine(labels: readonly string[], at: number, isTold: boolean): string {
  const neighbour = (step: number): string | undefined => {
    let line = at + step;
    while (labels[line] === '?') line += step;
    const label = labels[line];
    return label === ' ' ? undefined : label;
  };
  const [above, below] = [neighbour(-1), neighbour(1)];
  const sides = [above, below].filter((label) => label !== undefined);
  if (sides.length > 0 && sides.every((label) => label === 'P')) return isTold ? 'P' : '-';
  return sides.length > 0 && sides.every((label) => label === 'H') && !isTold ? 'H' : '-';
}

function wordsOf(line: string): Set<string> {
  return new Set(line.match(/\w+|[^\w\s]/g) ?? []);
}

function resemblance(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (Math.min(a.size, b.size) < SIMILAR * Math.max(a.size, b.size)) return 0;
  let shared = 0;
  for (const word of a) if (b.has(word)) shared++;
  return shared / (a.size + b.size - shared);
}
