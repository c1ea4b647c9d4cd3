import type { LineSpan } from '@lineprint/capture';
import type { CommitFile, Declaration, DeclaredRange } from '@lineprint/contracts';
import type { CommitContent } from './read-commits';
import type { FileRecords } from './line-records';

/** The commit with what records say of the lines that it adds; they may say more of its files. */
export function withDeclaredLines(commit: CommitContent, records: FileRecords | undefined): CommitContent {
  if (!records) return commit;
  return {
    ...commit,
    files: commit.files.map((file) => {
      const added = addedRanges(file, records.get(file.path) ?? []);
      return added.length > 0 ? { ...file, declaredLines: added } : file;
    }),
  };
}

/** The parts of ascending ranges that a file's hunks add. */
function addedRanges({ hunks }: CommitFile, ranges: readonly DeclaredRange[]): DeclaredRange[] {
  const added: DeclaredRange[] = [];
  let next = 0;
  for (const { newStart, newLines } of hunks) {
    const [from, to] = [newStart - 1, newStart - 1 + newLines];
    while (next < ranges.length && endOf(ranges[next]!) <= from) next++;
    for (let i = next; i < ranges.length && ranges[i]!.start < to; i++) {
      const start = Math.max(from, ranges[i]!.start);
      const end = Math.min(to, endOf(ranges[i]!));
      if (start < end) added.push({ ...ranges[i]!, start, count: end - start });
    }
  }
  return added;
}

const endOf = ({ start, count }: DeclaredRange): number => start + count;

/** Added lines of one file that are declared to be of one source and model. */
export interface DeclaredHunks extends Pick<Declaration, 'source' | 'model'> {
  readonly hunks: LineSpan[];
}

/**
 * The added lines of a file that a record, or for the rest the commit itself, declares to be an AI's.
 * @returns by source and model, in the order of their first lines
 */
export function declaredHunks(file: CommitFile, commit: Declaration | undefined): DeclaredHunks[] {
  const authors = new Map<string, DeclaredHunks>();
  const ranges = file.declaredLines ?? [];
  let next = 0;
  for (const { newStart, newLines } of file.hunks) {
    const end = newStart - 1 + newLines;
    for (let line = newStart - 1, to = line; line < end; line = to) {
      while (next < ranges.length && endOf(ranges[next]!) <= line) next++;
      const range = ranges[next];
      const isIn = range !== undefined && range.start <= line;
      to = Math.min(end, isIn ? endOf(range) : (range?.start ?? end));
      const author = !isIn ? commit : range.kind === 'H' ? undefined : range;
      if (author) hunksOf(authors, author).push({ first: line, last: to - 1 });
    }
  }
  return [...authors.values()];
}

function hunksOf(
  authors: Map<string, DeclaredHunks>,
  { source, model }: Omit<DeclaredHunks, 'hunks'>,
): LineSpan[] {
  const key = `${source} ${model ?? ''}`;
  let author = authors.get(key);
  if (!author) authors.set(key, (author = { source, ...(model && { model }), hunks: [] }));
  return author.hunks;
}
