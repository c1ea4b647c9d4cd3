import type { CommitFile, Hunk } from '@lineprint/contracts';
import { type AnalysedText, analyseText, languageOf, type LineKey } from '@lineprint/fingerprint';
import type { ChangedFile, ChangedLine } from './inherited-lines';

/**
 * The lines that a file loses and gets, for `inheritedLines`. They are read in their files, since a comment or a
 * string may begin far above: the old file is the new one with its hunks undone. Where the commit does not carry
 * the new file, each hunk is read by itself.
 * @param whole prints of the new file, where the commit carries it
 * @param analyse reads the old file, whose text may have been read before
 */
export function changedLines(
  file: CommitFile,
  key: LineKey,
  whole: AnalysedText | undefined,
  analyse: (text: string, language: string) => AnalysedText = (text, language) =>
    analyseText(text, language, key),
): ChangedFile {
  const { path, oldPath } = file;
  const language = languageOf(path);
  const readApart = (text: readonly string[], start: number) =>
    text.length > 0 ? apart(analyseText(text.join('\n'), language, key), start) : [];
  const names = { path, ...(oldPath === undefined ? {} : { oldPath }) };
  if (file.excluded !== undefined || file.binary) return { ...names, hunks: [] };
  const isDeleted = file.status === 'deleted';
  const loses = file.hunks.some(({ removed }) => removed.length > 0);
  const oldText = loses && (whole || isDeleted) ? oldFile(file) : undefined;
  const removedIn = within(oldText && analyse(oldText.join('\n'), language));
  const addedIn = within(whole);
  return {
    ...names,
    hunks: file.hunks.map((hunk) => ({
      removed: oldText ? removedIn(oldIndex(hunk), hunk.oldLines) : readApart(hunk.removed, oldIndex(hunk)),
      added: isDeleted
        ? []
        : whole
          ? addedIn(newIndex(hunk), hunk.newLines)
          : readApart(hunk.added ?? [], newIndex(hunk)),
    })),
  };
}

/** Index of a hunk's first line; an empty side names the line before it. */
const oldIndex = ({ oldStart, oldLines }: Hunk) => (oldLines > 0 ? oldStart - 1 : oldStart);
const newIndex = ({ newStart, newLines }: Hunk) => (newLines > 0 ? newStart - 1 : newStart);

/** The file before the commit; undefined where hunks and content do not fit together, as in a merge. */
function oldFile({ content, hunks }: CommitFile): string[] | undefined {
  const lines = content?.split(/\r?\n/) ?? [];
  const old: string[] = [];
  let next = 0;
  for (const hunk of hunks) {
    const start = newIndex(hunk);
    if (start < next) return undefined;
    for (; next < start; next++) old.push(lines[next] ?? '');
    if (old.length !== oldIndex(hunk) || hunk.removed.length !== hunk.oldLines) return undefined;
    for (const line of hunk.removed) old.push(line);
    next += hunk.newLines;
  }
  for (; next < lines.length; next++) old.push(lines[next]!);
  return old;
}

/** Looks up stretches of a text, in ascending order. */
function within(text: AnalysedText | undefined): (start: number, count: number) => ChangedLine[] {
  let ordinal = 0;
  return (start, count) => {
    const lines: ChangedLine[] = [];
    if (!text) return lines;
    const { prints, tokenBits } = text;
    while (ordinal < prints.length && prints[ordinal]!.line < start) ordinal++;
    for (; ordinal < prints.length && prints[ordinal]!.line < start + count; ordinal++) {
      const { line, h1, h2, h3 } = prints[ordinal]!;
      lines.push({ line, ordinal, h1, h2, h3, bits: tokenBits[ordinal]! });
    }
    return lines;
  };
}

/** Lines that were read without their file: only those that no blank line divides are surely neighbours. */
function apart({ prints, tokenBits }: AnalysedText, start: number): ChangedLine[] {
  return prints.map(({ line, h1, h2, h3 }, i) => ({
    line: start + line,
    ordinal: start + line,
    h1,
    h2,
    h3,
    bits: tokenBits[i]!,
  }));
}
