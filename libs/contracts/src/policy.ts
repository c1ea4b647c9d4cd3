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

/** Version of the rules that the line-attributor applies: a policy names the one that its thresholds were made for. */
export const ENGINE_VERSION = '2';

/** Bits are sums over lines; nothing that a person could have accepted comes near this. */
const MAX_BITS = 1_000_000;
const bits = z
  .number('send a number of bits')
  .min(0, 'must not be negative')
  .max(MAX_BITS, `at most ${MAX_BITS}`);
const similarity = z
  .number('send a number from 0 to 1')
  .min(0, 'must not be negative')
  .max(1, 'must not pass 1');

/** The first of each pair is never above the second: else a rule could not be met, or a weaker match would count more. */
const ASCENDING = [
  ['suspectBits', 'minBits'],
  ['minBits', 'minBitsElsewhere'],
  ['minBits', 'minBitsUnplaced'],
  ['minBits', 'highBits'],
  ['similaritySuspect', 'similarityLow'],
  ['similarityLow', 'similarityHigh'],
] as const;

/**
 * A policy that somebody makes: what `policySchema` takes, with nothing that it does not know (a misspelt threshold
 * would silently change nothing), an id that stands in an address as it is, and thresholds that make sense together.
 */
export const newPolicySchema = z
  .strictObject({
    id: z
      .string('send an id')
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
        'send 1 to 64 letters, digits, dots, dashes or underscores',
      ),
    engine: z.literal(ENGINE_VERSION, `send "${ENGINE_VERSION}", the engine that judges here`),
    thresholds: z
      .strictObject({
        minBits: bits,
        minBitsElsewhere: bits,
        minBitsUnplaced: bits,
        suspectBits: bits,
        highBits: bits,
        lineSimilarity: similarity.gt(0, 'must be above 0: else any two lines are alike'),
        similarityHigh: similarity,
        similarityLow: similarity,
        similaritySuspect: similarity,
      })
      .superRefine((thresholds, context) => {
        for (const [lower, upper] of ASCENDING) {
          if (thresholds[lower] <= thresholds[upper]) continue;
          context.addIssue({
            code: 'custom',
            path: [upper],
            message: `is ${thresholds[upper]}, below ${lower}, which is ${thresholds[lower]}`,
          });
        }
      }),
    exclusions: z.array(exclusionRuleSchema.strict()).max(1000).optional(),
  })
  .meta({ description: 'Thresholds and counting rules. Immutable: what is changed has another id.' });

/** Sources: docs/engine.md; the similarity ladder is the seed's (6.6). */
export const DEFAULT_POLICY: Policy = {
  id: 'default',
  engine: ENGINE_VERSION,
  thresholds: {
    minBits: 22,
    minBitsElsewhere: 65,
    minBitsUnplaced: 120,
    suspectBits: 12,
    highBits: 80,
    lineSimilarity: 0.52,
    similarityHigh: 0.85,
    similarityLow: 0.55,
    similaritySuspect: 0.3,
  },
};

/** A snippet may be a commit's origin only this long. */
export const SNIPPET_TTL_MS = 90 * 86_400_000;
/** A client's clock may run this far ahead of the committer's. */
export const CLOCK_SKEW_MS = 60_000;

/** Which commits come again when snippets arrive that they should have known. */
export const REANALYSIS_LIMITS = {
  /** An older snippet is no origin of theirs. */
  maxAgeMs: SNIPPET_TTL_MS,
  /** So many of a repository for one batch of snippets, those that follow the first one of them in the log. */
  maxCommits: 2_000,
} as const;
