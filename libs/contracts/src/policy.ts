import { z } from 'zod';
import { identifier } from './primitives';

/** An organisation's own rule on what counts. Of several that fit a path the last one decides. */
export const exclusionRuleSchema = z.object({
  /** Which paths, as in `.gitattributes` (`pathMatcher`). */
  glob: identifier(1024),
  /** Why, for whoever reads the policy. */
  reason: z.string().max(1024).optional(),
  /** True takes out of an earlier rule again. What the repository itself excludes has no lines to bring back. */
  include: z.boolean().optional(),
});
export type ExclusionRule = z.infer<typeof exclusionRuleSchema>;

/** Thresholds and counting rules of the line-attributor. Immutable once named; results are keyed by the id. */
export const policySchema = z.object({
  id: identifier(64),
  engine: z.string(),
  thresholds: z.object({
    /** Bits a cluster of matched lines needs to count, in the file that its snippet was accepted in. */
    minBits: z.number(),
    /** … in any other file. */
    minBitsElsewhere: z.number(),
    /** … of a snippet that names no neighbouring line, though it is no whole file, and is not intact. */
    minBitsUnplaced: z.number(),
    /** Bits from which a match is SUSPECT (flagged, not counted). */
    suspectBits: z.number(),
    /** Bits from which a match is HIGH. */
    highBits: z.number(),
    /** Bloom similarity from which two lines in a gap are one changed line. */
    lineSimilarity: z.number(),
    /** The seed's ladder of MinHash similarities, for v1 clients. */
    similarityHigh: z.number(),
    similarityLow: z.number(),
    similaritySuspect: z.number(),
  }),
  /** Files that do not count here, beyond those that the pusher leaves out. */
  exclusions: z.array(exclusionRuleSchema).max(1000).optional(),
});
export type Policy = z.infer<typeof policySchema>;

/** Sources: docs/engine.md; the similarity ladder is the seed's (6.6). */
export const DEFAULT_POLICY: Policy = {
  id: 'default',
  engine: '2',
  thresholds: {
    minBits: 22,
    minBitsElsewhere: 60,
    minBitsUnplaced: 120,
    suspectBits: 12,
    highBits: 80,
    lineSimilarity: 0.5,
    similarityHigh: 0.85,
    similarityLow: 0.55,
    similaritySuspect: 0.3,
  },
};

/** A snippet may be a commit's origin only this long. */
export const SNIPPET_TTL_MS = 90 * 86_400_000;
/** A client's clock may run this far ahead of the committer's. */
export const CLOCK_SKEW_MS = 60_000;
