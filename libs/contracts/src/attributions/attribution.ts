import { z } from 'zod';
import {
  base64,
  confidenceSchema,
  count,
  evidenceSchema,
  identifier,
  lineKindSchema,
  sha,
  sourceSchema,
} from '../primitives';
import { commitHeaderSchema, inheritedRangeSchema } from '../candidates/candidates';
import { fileStatuses } from '../commits/commit';

/** The lines of one file that share an origin: one row of `ai_attribution_results`. */
export const attributionResultSchema = z.object({
  /** The snippet, or null where the lines are human or only declared. */
  codeId: identifier(64).nullable(),
  source: sourceSchema.nullable(),
  model: z.string().optional(),
  evidence: evidenceSchema,
  confidence: confidenceSchema,
  /** Reported MinHash similarity (0 to 1), null where no lane has one. */
  similarity: z.number().min(0).max(1).nullable(),
  /** Evidence of the match, in bits. */
  bits: z.number().min(0),
  preserved: count,
  modified: count,
  human: count,
  /** Of `human`: lines flagged for review because a match was too weak to count. */
  suspect: count,
});
export type AttributionResult = z.infer<typeof attributionResultSchema>;

/** `count` lines from `start` (number in the new file, from 0) of one kind and origin. */
export const lineRangeSchema = z.object({
  start: count,
  count,
  kind: lineKindSchema,
  /** Index into the file's `results`. */
  result: count,
});
export type LineRange = z.infer<typeof lineRangeSchema>;

/**
 * `count` added lines from `start` (number in the new file, from 0) that a commit of another line of history added to
 * the same file before: a rebase, a cherry-pick or a squash has brought them, and they count there.
 */
export const copiedRangeSchema = z.object({
  start: count,
  count,
  how: z.literal('copied'),
  fromCommit: sha,
  /** The first one's number in the new file of `fromCommit`, from 0; the others follow it. */
  fromLine: count.optional(),
});
export type CopiedRange = z.infer<typeof copiedRangeSchema>;

export const attributedFileSchema = z.object({
  path: z.string(),
  oldPath: z.string().optional(),
  status: z.enum(fileStatuses),
  language: identifier(32),
  addedLines: count,
  deletedLines: count,
  blankLines: count,
  /**
   * How many of `inherited` there are: neither of AI nor human in this commit. Of a file that counts,
   * preserved + modified + human + inherited + blank lines are the added ones.
   */
  inheritedLines: count,
  inherited: z.array(z.union([inheritedRangeSchema, copiedRangeSchema])),
  excluded: z.string().optional(),
  results: z.array(attributionResultSchema),
  lines: z.array(lineRangeSchema),
  /**
   * Why each line of the ranges with evidence `matched` was given to its snippet: by which rule, from which of the
   * snippet's lines, with how many bits. Packed by libs/attribution, 5 bytes a line, in the order of the lines.
   */
  explanations: base64,
});
export type AttributedFile = z.infer<typeof attributedFileSchema>;

/** Value of `lineprint.attributions.v1`, key `tenant/repository`: the verdict on one commit under one policy. */
export const attributionEventSchema = z.object({
  policy: identifier(64),
  commit: commitHeaderSchema,
  files: z.array(attributedFileSchema),
});
export type AttributionEvent = z.infer<typeof attributionEventSchema>;
