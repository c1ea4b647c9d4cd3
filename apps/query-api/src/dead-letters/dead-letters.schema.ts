import { TOPICS } from '@lineprint/contracts';
import { z } from 'zod';
import { nextCursor, pageParameters } from '../cursor';

const topic = z
  .enum(TOPICS, `send one of ${Object.values(TOPICS).join(', ')}`)
  .optional()
  .meta({ description: 'The topic in which records failed.' });
const code = z.string().optional().meta({ description: 'Why they failed, for example `event-invalid`.' });
const group = z.string().optional().meta({ description: 'The consumer group that could not process them.' });

/** Query parameters of `GET /api/v1/dead-letters`. */
export const deadLetterListParameters = z.object({
  topic,
  code,
  group,
  state: z
    .enum(['open', 'redriven', 'dropped', 'all'])
    .default('open')
    .meta({ description: 'What became of them.' }),
  ...pageParameters,
});

const offset = z.coerce.number('send a whole number').int('send a whole number').min(0, 'send 0 or more');

/** Path parameters of `GET /api/v1/dead-letters/{topic}/{partition}/{offset}`, the parts of an `id`. */
export const deadLetterPath = {
  topic: z.string().meta({ description: 'The dead-letter topic, for example lineprint.commits.v1.dlq.' }),
  partition: offset.meta({ description: 'The partition of the dead-letter topic.' }),
  offset: offset.meta({ description: 'The offset in it.' }),
};

const number = z.int().min(0);
const time = z.iso.datetime();

export const deadLetterSchema = z.object({
  id: z.string().meta({ description: 'Dead-letter topic, partition and offset, joined by slashes.' }),
  state: z.enum(['open', 'redriven', 'dropped']),
  decidedAt: time.nullable(),
  decidedBy: z
    .string()
    .nullable()
    .meta({ description: 'The person whose key decided, if it was a personal one.' }),
  topic: z.enum(TOPICS).meta({ description: 'The topic in which it failed.' }),
  partition: number.nullable(),
  offset: number.nullable(),
  key: z.string(),
  eventId: z.string().nullable(),
  group: z.string().nullable(),
  step: z.string().nullable().meta({ description: 'Where it failed: `decode`, `claim` or `process`.' }),
  code: z.string().nullable(),
  message: z.string().nullable(),
  attempts: number.meta({ description: 'Failed attempts, those before it was redriven included.' }),
  deadLetteredAt: time,
  bytes: number,
});
export type DeadLetter = z.output<typeof deadLetterSchema>;

export const deadLetterListAnswer = z.object({
  deadLetters: z.array(deadLetterSchema),
  next: nextCursor,
});
export type DeadLetterListAnswer = z.output<typeof deadLetterListAnswer>;

export const deadLetterAnswer = deadLetterSchema.extend({
  headers: z.record(z.string(), z.string()),
  sha256: z.string().meta({ description: 'Of the value, in hex.' }),
  fields: z
    .array(z.string())
    .nullable()
    .meta({ description: 'Names of the fields of a value that is a JSON object; null for any other.' }),
});
export type DeadLetterAnswer = z.output<typeof deadLetterAnswer>;

const dryRun = z.boolean().default(false).meta({ description: 'Only say what would be done.' });

/** Body of `POST /api/v1/dead-letters/redrive` and `/drop`. */
export const deadLetterSelection = z
  .strictObject({
    ids: z
      .array(z.string())
      .min(1, 'send one id at least')
      .max(1_000, 'send 1,000 ids at most')
      .optional()
      .meta({ description: 'The letters, by `id`.' }),
    filter: z
      .strictObject({ topic, code, group })
      .optional()
      .meta({ description: 'Or all open letters that pass it; an empty one takes every open letter.' }),
    dryRun,
  })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), {
    error: 'send either `ids` or `filter`',
  });

export const decidedLettersAnswer = z.object({
  letters: z.array(
    z.object({
      id: z.string(),
      key: z.string(),
      code: z.string().nullable(),
      takenAlong: z.boolean().meta({
        description: 'Not selected, but an earlier open one of the same key and group.',
      }),
    }),
  ),
  remaining: number.meta({ description: 'Open ones that were left for the next call: it takes 1,000.' }),
  unchanged: z.array(z.string()).meta({
    description:
      'Selected ids that had been redriven or dropped, or that have no record to send (step `decode`).',
  }),
  unknown: z.array(z.string()).meta({ description: 'Selected ids that are none of the organisation’s.' }),
  dryRun: z.boolean(),
});
export type DecidedLettersAnswer = z.output<typeof decidedLettersAnswer>;
