import { z } from 'zod';
import { formatParameter } from '../csv';
import { ledgerParameters } from '../ledger/ledger-filter';

export const survivalDimensions = ['origin', 'source', 'model'] as const;
export type SurvivalDimension = (typeof survivalDimensions)[number];

const day = z.iso.date('send a day such as 2026-06-01').optional();

/** Query parameters of `GET /api/v1/survival`. */
export const survivalParameters = z.object({
  ...ledgerParameters,
  born_from: day.meta({
    description: 'Only lines born on this day or later, in the organisation’s time zone.',
  }),
  born_to: day.meta({ description: 'Only lines born on this day or earlier.' }),
  by: z
    .enum(survivalDimensions, `send one of ${survivalDimensions.join(', ')}`)
    .default('origin')
    .meta({ description: 'AI against human lines, or AI lines by source or model beside human ones.' }),
  format: formatParameter,
});

const number = z.int().min(0);
const share = z.number().min(0).max(1);
const shareAt = (days: number) =>
  share.nullable().meta({
    description: `Share that stands ${days} days after birth; null where no line that stood has been watched so long.`,
  });

const curveSchema = z.object({
  key: z
    .string()
    .meta({ description: '`ai` or `human`; by source or model: its name, `unknown` without one.' }),
  born: number.meta({ description: 'Lines that came to stand in the branch.' }),
  points: z.array(z.object({ age: number, alive: share })).meta({
    description: 'Kaplan-Meier: the share alive from this age (whole days) until the next point’s.',
  }),
  watchedDays: number.meta({ description: 'The age up to which the curve says something.' }),
  at7: shareAt(7),
  at30: shareAt(30),
  at90: shareAt(90),
  halfLifeDays: number.nullable().meta({
    description: 'The first age at which no more than half of the lines stand; null before that.',
  }),
  churn14: z
    .object({ born: number, rewritten: number, ratio: share.nullable() })
    .meta({ description: 'Of the lines born at least 14 days ago, those that died within 14 days.' }),
});
export type SurvivalCurveAnswer = z.output<typeof curveSchema>;

const cohortSchema = z.object({
  week: z.iso.date().meta({ description: 'The Monday of the lines’ week of birth.' }),
  key: curveSchema.shape.key,
  born: number,
  alive7: shareAt(7),
  alive30: shareAt(30),
  alive90: shareAt(90),
  now: share.meta({ description: 'Share that still stands.' }),
});
export type SurvivalCohort = z.output<typeof cohortSchema>;

export const survivalAnswer = z.object({
  curves: z.array(curveSchema).meta({ description: 'The key with most lines first.' }),
  cohorts: z.array(cohortSchema).meta({ description: 'By week, oldest first, and key.' }),
});
export type SurvivalAnswer = z.output<typeof survivalAnswer>;
