import {
  confidenceSchema,
  evidenceSchema,
  lineKindSchema,
  sha as fullSha,
  sourceSchema,
} from '@lineprint/contracts';
import { z } from 'zod';
import { nextCursor, pageParameters } from '../cursor';
import { summaryAnswer, summaryParameters } from '../summary/summary.schema';

/** Query parameters of `GET /api/v1/policies/{id}/diff/{other}`. */
export const diffParameters = summaryParameters.omit({ policy: true });
/** Query parameters of `GET /api/v1/policies/{id}/diff/{other}/lines`. */
export const flippedLinesParameters = diffParameters.extend(pageParameters);

const figures = summaryAnswer.shape.byPerson.valueType;
const number = z.int().min(0);

const beforeAfter = <S extends z.ZodType>(schema: S) => z.object({ from: schema, to: schema });
const split = z.record(z.string(), beforeAfter(figures));

export const originSchema = z
  .object({
    kind: lineKindSchema.meta({ description: 'P kept from AI, M changed from AI, H human' }),
    confidence: confidenceSchema,
    evidence: evidenceSchema,
    source: sourceSchema.nullable(),
  })
  .nullable()
  .meta({ description: 'What a line is under a policy; null where the policy does not count its file.' });
export type Origin = z.output<typeof originSchema>;

/** Answer of `GET /api/v1/policies/{id}/diff/{other}`. Each split's figures are those of the summary. */
export const diffAnswer = z.object({
  from: z.string(),
  to: z.string(),
  commits: z
    .object({ both: number, onlyFrom: number, onlyTo: number })
    .meta({ description: 'Merges included. Everything else here is of the commits that both have judged.' }),
  lines: beforeAfter(summaryAnswer.shape.lines),
  total: beforeAfter(figures),
  byProject: split,
  byLanguage: split,
  bySource: split,
  byPerson: split,
  byConfidence: split,
  byEvidence: split,
  flips: z.array(z.object({ from: originSchema, to: originSchema, lines: number })).meta({
    description: 'How many lines go from what to what, the most first. Other lines stay what they are.',
  }),
});
export type DiffAnswer = z.output<typeof diffAnswer>;
export type BeforeAfter<T> = { from: T; to: T };

/** Answer of `GET /api/v1/policies/{id}/diff/{other}/lines`. */
export const flippedLinesAnswer = z.object({
  from: z.string(),
  to: z.string(),
  files: z.array(
    z.object({
      repository: z.string(),
      sha: fullSha,
      path: z.string(),
      lines: z.array(
        z.object({
          start: number.meta({ description: 'Number of the first line in the new file, from 0.' }),
          count: z.int().min(1),
          from: originSchema,
          to: originSchema,
        }),
      ),
    }),
  ),
  next: nextCursor,
});
export type FlippedLinesAnswer = z.output<typeof flippedLinesAnswer>;
export type FlippedRange = FlippedLinesAnswer['files'][number]['lines'][number];
