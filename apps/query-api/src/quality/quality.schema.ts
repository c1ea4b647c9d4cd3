import { z } from 'zod';
import { checkPeriod, periodParameters } from '../stats/period-parameters';
import { policyParameter } from '../tenant-view';

const number = z.int().min(0);

export const qualityParameters = z
  .object({
    ...periodParameters,
    period: periodParameters.period.default('30d'),
    policy: policyParameter,
  })
  .superRefine((query, context) =>
    checkPeriod(query, (path, message) => context.addIssue({ code: 'custom', path: [path], message })),
  );

/** Answer of `GET /api/v1/data-quality`: what the numbers do not know. */
export const qualityAnswer = z.object({
  period: z.object({ start: z.iso.date(), end: z.iso.date() }),
  commits: z
    .object({
      counted: number,
      provisional: number.meta({ description: 'On no branch that counts.' }),
      late: number.meta({ description: 'Judged before all earlier snippets were indexed.' }),
      revised: number.meta({ description: 'Judged anew because snippets came late.' }),
      declared: number.meta({ description: 'That name an AI themselves.' }),
    })
    .meta({ description: 'Of the days in question.' }),
  lines: z
    .object({
      total: number,
      matched: number,
      declared: number,
      estimated: number.meta({
        description: 'Known by an old client’s signature alone, whole hunks at a time.',
      }),
      suspect: number.meta({ description: 'Human lines flagged because a match was too weak to count.' }),
      provisional: number.meta({
        description: 'Attributable lines that do not count yet; in no other number.',
      }),
    })
    .meta({
      description: 'AI lines (preserved + modified) by evidence, unweighted, of the days in question.',
    }),
  snippets: z.object({ accepted: number, neverMatched: number }).meta({
    description: 'Accepted on the days in question, and of them those that no commit has matched until now.',
  }),
  reanalysis: z.object({ pending: number }).meta({ description: 'Commits that wait to be judged anew.' }),
  deadLetters: z.object({ open: number, more: z.boolean() }).nullable().meta({
    description: 'Records that could not be processed, for keys with the scope `admin`; null for others.',
  }),
  repositories: z.object({
    total: number,
    withoutDefaultBranch: z.array(z.string()).meta({
      description: 'Nobody has told their default branch: all their commits count, and no ledger is kept.',
    }),
    gaps: z
      .array(z.object({ repository: z.string(), missing: number }))
      .meta({ description: 'Commits that others name as a parent and nobody has sent, by repository.' }),
  }),
  reconciliation: z
    .object({ finishedAt: z.iso.datetime(), days: number, differences: number })
    .nullable()
    .meta({ description: 'The last proof that daily sums are what results say; null before the first.' }),
});
export type QualityAnswer = z.output<typeof qualityAnswer>;
