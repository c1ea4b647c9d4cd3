import { z } from 'zod';
import { policyIdParameter } from '../policies/policies.schema';

export const replayIdParameter = z.string().min(1).max(32).meta({ description: 'The id of a replay.' });

const moment = (text: string) =>
  z
    .union([z.iso.date(), z.iso.datetime({ offset: true })], 'send an ISO 8601 date or date-time')
    .transform((value) => new Date(value))
    .optional()
    .meta({ description: text });

/** Body of `POST /api/v1/replays`. */
export const startReplayBody = z
  .strictObject({
    policy: policyIdParameter,
    topic: z.enum(['candidates', 'commits'], 'send candidates or commits').default('candidates').meta({
      description:
        'What is read again: `candidates` for thresholds and counting rules, `commits` when recall or the engine’s features have changed.',
    }),
    repository: z
      .string()
      .min(1)
      .max(255)
      .optional()
      .meta({ description: 'Only commits of this repository get results.' }),
    from: moment(
      'Only commits from this time on get results, by the committer’s clock. A date is its midnight in UTC.',
    ),
    to: moment('Only commits before this time get results.'),
    maxRate: z
      .number()
      .positive()
      .max(1_000_000)
      .optional()
      .meta({ description: 'At most this many commits a second; as fast as it can without.' }),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from < to, {
    path: ['to'],
    message: 'send a time after `from`',
  });

export const startReplayExample = { policy: 'strict-2', maxRate: 500 };

const time = z.iso.datetime();
const number = z.int().min(0);

export const replayAnswer = z.object({
  id: z.string(),
  policy: z.string(),
  topic: z.enum(['candidates', 'commits']),
  stage: z.enum(['index', 'analyse', 'judge-own', 'judge']),
  status: z.enum(['running', 'paused', 'following', 'complete', 'cancelled', 'failed']).meta({
    description:
      'A replay is `running` up to what there was at its start, then `following` what comes, so that its policy may be activated. One of a part ends `complete`.',
  }),
  repository: z.string().nullable(),
  from: time.nullable(),
  to: time.nullable(),
  maxRate: z.number().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  createdBy: z.string().nullable(),
  createdAt: time,
  caughtUpAt: time.nullable(),
  endedAt: time.nullable(),
  done: number.meta({ description: 'Records read of the stage’s topic, …' }),
  total: number.meta({ description: '… and how many there were when it was started or resumed.' }),
  judged: number.meta({ description: 'Commits judged so far, those that came after its start included.' }),
  written: number.meta({ description: 'Those of them with results: inside what was asked for.' }),
  refused: number.meta({ description: 'Records without a verdict: dead letters of the live stream too.' }),
  rate: z.number().nullable().meta({ description: 'Commits a second over the last minute, while it runs.' }),
  secondsLeft: number.nullable().meta({ description: 'At that rate.' }),
  partitions: z.array(
    z.object({ partition: number, start: number, next: number, target: number.nullable() }),
  ),
});
export type ReplayAnswer = z.output<typeof replayAnswer>;

export const replayListAnswer = z.object({
  replays: z.array(replayAnswer).meta({ description: 'Newest first.' }),
});
export type ReplayListAnswer = z.output<typeof replayListAnswer>;
