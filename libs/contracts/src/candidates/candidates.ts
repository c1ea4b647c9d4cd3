import { z } from 'zod';
import { base64, count, epochMs, hex64, identifier, revisionSchema, sha } from '../primitives';
import {
  declarationSchema,
  declaredLinesSchema,
  fileStatuses,
  lineEditsSchema,
  mergedFileSchema,
} from '../commits/commit';

/** A commit without its content: what every later topic says about it. */
export const commitHeaderSchema = z.object({
  tenant: identifier(64),
  projectId: identifier(255),
  repository: identifier(255),
  sha,
  parents: z.array(sha),
  authorName: z.string(),
  authorEmail: z.string(),
  /** The person the lines count for (`personId`): the author's e-mail address, else name. */
  userId: z.string(),
  authoredAt: epochMs,
  committedAt: epochMs,
  branch: z.string().optional(),
  declared: declarationSchema.optional(),
  /** The causal wait ran out: some earlier snippets may not have been indexed. */
  late: z.boolean(),
  /** As the commit's event has it: what is said of a higher revision replaces what was said of a lower one. */
  revision: revisionSchema.optional(),
});
export type CommitHeader = z.infer<typeof commitHeaderSchema>;

/**
 * `count` added lines from `start` (number in the new file, from 0) that are nobody's new authorship: the commit
 * removes them elsewhere (`moved`), or in their place with other white space (`whitespace`).
 */
export const inheritedRangeSchema = z.object({
  start: count,
  count,
  how: z.enum(['moved', 'whitespace']),
  /** The file they stood in, as it was called before the commit, where that is another one. */
  fromFile: z.string().optional(),
  /** Number of the first one in that file before the commit, from 0. */
  fromLine: count,
});
export type InheritedRange = z.infer<typeof inheritedRangeSchema>;

/**
 * Why the syntax tree says nothing of (part of) a file's added lines. The first three are the same in every run;
 * `timeout` and `crashed` are what a parser process did twice, and say that a replay may differ.
 */
export const syntaxFallbacks = ['too-large', 'too-complex', 'failed', 'timeout', 'crashed'] as const;

/** One changed file: its added lines as keyed prints, never as text. */
export const candidateFileSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  status: z.enum(fileStatuses),
  language: identifier(32),
  /** Git's own count of added lines, blank ones included. */
  addedLines: count,
  deletedLines: count,
  blankLines: count,
  /** Why the file does not count (`binary`, `vendored`, `generated`, `lock`, …), if so. */
  excluded: z.string().optional(),
  /** As the commit's event has it. */
  declaredLines: declaredLinesSchema.optional(),
  /**
   * How its lines follow from those of the parent's file. Absent where they are not followed: the file does not count
   * or is deleted, the commit is a merge.
   */
  edits: lineEditsSchema.optional(),
  /** Added lines that came from elsewhere in the commit's parent, ascending. None is blank. */
  inherited: z.array(inheritedRangeSchema),
  /**
   * Packed prints (libs/fingerprint) of the attributable lines: added, not blank, not inherited, not excluded.
   * Their line numbers are those of the new file, from 0.
   */
  linePrints: base64,
  /** Bits of the tokens of each of those lines: uint16 little-endian words, 1/64 bit each. */
  tokenBits: base64,
  /**
   * How often each of those lines occurs elsewhere, two uint16 little-endian words a line: by H1 and by H2.
   * Elsewhere = the repository before the commit and the organisation's snippets below its horizon, less what
   * the commit itself adds; 65535 stands for all above.
   */
  occurrences: base64,
  /**
   * Non-blank lines of the new file around those, which show where they stand: there before the commit, or
   * inherited. Absent where the file has no candidates. `lines` is packed by libs/attribution; the rest is as above,
   * by H1 alone.
   */
  context: z.object({ lines: base64, tokenBits: base64, occurrences: base64 }).optional(),
  /** When the last earlier commit of this repository that touched the file was authored, if one is known. */
  previousCommitAt: epochMs.optional(),
  /** Set where (part of) the file was left to the other lanes, in a language that is parsed. */
  syntaxFallback: z.enum(syntaxFallbacks).optional(),
  /** Keyed hashes of the file's new and old path. */
  pathKeys: z.array(hex64),
  /** For each hunk of attributable lines: first and last index into `linePrints`, neighbours' H1. */
  hunks: z.array(
    z.object({
      first: count,
      last: count,
      before: hex64.optional(),
      after: hex64.optional(),
    }),
  ),
});
export type CandidateFile = z.infer<typeof candidateFileSchema>;

export const candidateSchema = z.object({
  codeId: identifier(64),
  /** Index into `files` of the file that recalled it. */
  file: count,
  /** Recall score: summed key weights. */
  score: z.number(),
  /** Estimated Jaccard similarity of the best hunk or chunk, by lane; absent where the lane has none. */
  text: z.number().min(0).max(1).optional(),
  ast: z.number().min(0).max(1).optional(),
  /** Index into the file's `hunks` of the hunk with the best text similarity. */
  hunk: count.optional(),
});
export type Candidate = z.infer<typeof candidateSchema>;

/** Value of `lineprint.candidates.v1`, key `tenant/repository`: one event a commit. */
export const candidatesEventSchema = z.object({
  commit: commitHeaderSchema,
  /** Non-blank lines counted in the repository before the commit; 0 where none are known. */
  repositoryLines: count,
  /**
   * The lines that the commit removes more often than it adds them, each once, ascending: the low 4 bytes of their H1,
   * little-endian. Absent where there are none.
   */
  removedLines: base64.optional(),
  files: z.array(candidateFileSchema),
  candidates: z.array(candidateSchema),
  /** As the commit's event has it. */
  merged: z.array(mergedFileSchema).max(100_000).optional(),
});
export type CandidatesEvent = z.infer<typeof candidatesEventSchema>;
