import { CLOCK_SKEW_MS, type LineKind } from '@lineprint/contracts';
import type { CommitContent } from '@lineprint/git';
import { comparable, type FirstSeen, linesOf, type Told } from './told';

/** A commit of the export, as far as it is read here. */
export interface ExportedCommit {
  readonly sha: string;
  readonly files: readonly {
    readonly path: string;
    readonly lines: readonly { start: number; count: number; kind: LineKind }[];
  }[];
}

/** Lines of one commit, or of many: what was found of them, and what transcripts have literally. */
export interface LineCounts {
  lines: number;
  kept: number;
  changed: number;
  /** Literally in the new text of an edit that was made before the commit. */
  literal: number;
  /** Found and literal; neither is in both. */
  both: number;
  /** Not found and not in any edit, but in a shell command that ran before the commit. */
  shellOnly: number;
}

export interface ComparedCommit {
  readonly sha: string;
  readonly all: LineCounts;
  /** Lines of 12 characters and more: shorter ones are everywhere. */
  readonly telling: LineCounts;
}

/** As long as a line must be to tell something: `return nil` and `})` do not. */
export const TELLING_CHARACTERS = 12;

export const noLines = (): LineCounts => ({
  lines: 0,
  kept: 0,
  changed: 0,
  literal: 0,
  both: 0,
  shellOnly: 0,
});

/** Compares each line that the pipeline judged with what transcripts have. */
export function compareCommit(commit: CommitContent, exported: ExportedCommit, told: Told): ComparedCommit {
  const all = noLines();
  const telling = noLines();
  for (const { text, kind } of judgedLines(commit, exported)) {
    const line = comparable(text);
    const wasTold = (seen: FirstSeen) => (seen.get(line) ?? Infinity) <= commit.committedAt + CLOCK_SKEW_MS;
    const literal = wasTold(told.edits);
    const counted = line.trim().length >= TELLING_CHARACTERS ? [all, telling] : [all];
    for (const counts of counted) {
      counts.lines++;
      if (kind === 'P') counts.kept++;
      if (kind === 'M') counts.changed++;
      if (literal) counts.literal++;
      if (literal && kind !== 'H') counts.both++;
      if (!literal && kind === 'H' && wasTold(told.shell)) counts.shellOnly++;
    }
  }
  return { sha: commit.sha, all, telling };
}

/** The lines that count, with their text. */
export function* judgedLines(
  commit: CommitContent,
  exported: ExportedCommit,
): Generator<{ path: string; line: number; text: string; kind: LineKind }> {
  for (const { path, lines } of exported.files) {
    const content = commit.files.find((file) => file.path === path)?.content;
    if (content === undefined) continue;
    const texts = linesOf(content);
    for (const { start, count, kind } of lines) {
      for (let line = start; line < start + count; line++) yield { path, line, text: texts[line]!, kind };
    }
  }
}

export function addCounts(sum: LineCounts, counts: LineCounts): void {
  for (const name of Object.keys(sum) as (keyof LineCounts)[]) sum[name] += counts[name];
}
