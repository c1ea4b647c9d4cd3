import { z } from 'zod';
import { count, epochMs, identifier, revisionSchema, sha, sourceSchema, storedText } from '../primitives';
import { MAX_FILE_LINES } from './line-limits';

/** One `-U0` hunk. Line numbers count from 1; `removed` are the parent's lines without line ends. */
export const hunkSchema = z.object({
  oldStart: count,
  oldLines: count,
  newStart: count,
  newLines: count,
  removed: z.array(z.string()),
  /** The added lines, only where `content` was left out. */
  added: z.array(z.string()).optional(),
});
export type Hunk = z.infer<typeof hunkSchema>;

export const fileStatuses = ['added', 'modified', 'deleted', 'renamed', 'copied', 'typechange'] as const;

/**
 * `count` lines from `start` (number in the new file, from 0) of which a record beside the commit (a git note, a
 * trace) says who wrote them: an AI (P), an AI with a person's changes (M), a person (H).
 */
export const declaredRangeSchema = z.discriminatedUnion('kind', [
  z.object({
    start: count,
    count,
    kind: z.enum(['P', 'M']),
    source: sourceSchema,
    model: identifier(128).optional(),
  }),
  z.object({ start: count, count, kind: z.literal('H') }),
]);
export type DeclaredRange = z.infer<typeof declaredRangeSchema>;

/** Ascending, no line twice: overlapping claims would count a line for two. */
export const declaredLinesSchema = z
  .array(declaredRangeSchema)
  .max(MAX_FILE_LINES)
  .refine(
    (ranges) => ranges.every(({ start }, i) => i === 0 || start >= endOf(ranges[i - 1]!)),
    'ranges must ascend and not overlap',
  );

const endOf = ({ start, count }: DeclaredRange): number => start + count;

export const commitFileSchema = z.object({
  path: identifier(4096),
  oldPath: identifier(4096).optional(),
  status: z.enum(fileStatuses),
  binary: z.boolean(),
  /** Git's own counts against the first parent, blank lines included. */
  addedLines: count,
  deletedLines: count,
  /** The whole new file. Absent for binary, deleted, excluded and very large files. */
  content: z.string().optional(),
  hunks: z.array(hunkSchema),
  /** What records say of single lines; those that the commit does not add are passed over, and others say nothing. */
  declaredLines: declaredLinesSchema.optional(),
  /** Why the pusher sent no lines for this file (libs/git exclusion rules), if so. */
  excluded: storedText(64).optional(),
});
export type CommitFile = z.infer<typeof commitFileSchema>;

/**
 * The edits between two versions of a file, ascending: of each the numbers `oldStart, oldLines, newStart, newLines`,
 * lines numbered from 0.
 */
export const lineEditsSchema = z.array(count).max(4 * MAX_FILE_LINES);

/** Hunks as these numbers: an empty side of a hunk names the line before it. */
export function lineEdits(hunks: readonly Hunk[]): number[] {
  return hunks.flatMap(({ oldStart, oldLines, newStart, newLines }) => [
    oldLines > 0 ? oldStart - 1 : oldStart,
    oldLines,
    newLines > 0 ? newStart - 1 : newStart,
    newLines,
  ]);
}

/** A file that a merge has otherwise than its first parent. */
export const mergedFileSchema = z.object({
  path: identifier(4096),
  /** The parents that have the file, in their order: what is no parent's is the merge's own. Empty where it is gone. */
  from: z
    .array(
      z.object({
        /** Index into `parents`. */
        parent: count,
        /** Its name in the parent, where that is another one. */
        path: identifier(4096).optional(),
        edits: lineEditsSchema,
      }),
    )
    .max(64),
});
export type MergedFile = z.infer<typeof mergedFileSchema>;

/** The commit itself names an AI, in its author, its committer or a trailer. */
export const declarationSchema = z.object({
  tool: identifier(64),
  by: z.enum(['author', 'committer', 'trailer', 'subject']),
  source: sourceSchema,
  model: identifier(128).optional(),
});
export type Declaration = z.infer<typeof declarationSchema>;

/** A part of the lines that stand in a repository whose earlier commits are not sent. */
export const baselineSchema = z.object({
  /** Number of the part, from 0. */
  part: count,
});

const commitFields = {
  repository: identifier(255),
  projectId: identifier(255).optional(),
  sha,
  parents: z.array(sha).max(64),
  authorName: z.string().max(512),
  authorEmail: z.string().max(512),
  committerName: z.string().max(512),
  committerEmail: z.string().max(512),
  authoredAt: epochMs,
  committedAt: epochMs,
  branch: storedText(512).optional(),
  declared: declarationSchema.optional(),
  /**
   * Present where `files` are no change but files as they stand at this commit, each added whole: they say how
   * frequent lines are and are nobody's work. Counted only where no commit of the repository came before.
   */
  baseline: baselineSchema.optional(),
  files: z.array(commitFileSchema).max(100_000),
  /**
   * What a merge has from which parent: lets lines be followed through it. Absent in other commits, and where the
   * clone lacks what it takes.
   */
  merged: z.array(mergedFileSchema).max(100_000).optional(),
};

/** What `POST /api/v1/commits` takes for each commit. */
export const commitPushSchema = z.object(commitFields);
export type CommitPush = z.infer<typeof commitPushSchema>;

/** Value of `lineprint.commits.v1`, key `tenant/repository`. */
export const commitEventSchema = z.object({
  ...commitFields,
  tenant: identifier(64),
  projectId: identifier(255),
  /**
   * End offsets of `lineprint.snippets.v1`, by partition, when ingest accepted the commit. Only snippets
   * below them may be its origin, so that the answer does not depend on how far the indexer has run ahead.
   */
  snippetHorizon: z.array(z.int().min(0)),
  /**
   * Present where the commit comes again because of snippets that arrived late, 1 the first time: its results
   * replace those of lower revisions. Nothing but this, `snippetHorizon` and `firstHorizon` differs from the original.
   */
  revision: revisionSchema.optional(),
  /** The original's `snippetHorizon`. From there on to its own a revision sees what was made before the commit. */
  firstHorizon: z.array(z.int().min(0)).optional(),
});
export type CommitEvent = z.infer<typeof commitEventSchema>;
