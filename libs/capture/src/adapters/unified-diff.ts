import { patchSides } from './replacement';

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * Before and after of the hunks of one file's unified diff, one under the other. A hunk ends where its header says:
 * a removed line that begins with `--` looks like the header of the next file.
 */
export function unifiedDiffSides(diff: string): { before: string; after: string } {
  const hunkLines: string[] = [];
  let old = 0;
  let now = 0;
  for (const line of diff.split(/\r?\n/)) {
    if (old <= 0 && now <= 0) {
      const [, oldLines = '1', newLines = '1'] = HUNK.exec(line) ?? [undefined, '0', '0'];
      old = Number(oldLines);
      now = Number(newLines);
      continue;
    }
    // Some writers leave out the space of an empty line.
    const marked = line === '' ? ' ' : line;
    if (marked.startsWith('\\')) continue;
    if (!marked.startsWith('+')) old--;
    if (!marked.startsWith('-')) now--;
    hunkLines.push(marked);
  }
  return patchSides(hunkLines);
}
