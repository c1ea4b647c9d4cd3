import { confidenceSchema, evidenceSchema, sha, sourceSchema } from '@lineprint/contracts';
import { z } from 'zod';
import { attributedLinesSchema, explanationSchema } from '../commits/commits.schema';
import { policyParameter } from '../tenant-view';
import { lineKinds } from './labelled-lines';

/** Query parameters of `GET /api/v1/files/lines`. */
export const fileLinesParameters = z.object({
  repository: z
    .string('send the repository')
    .min(1, 'must not be empty')
    .meta({ description: 'The repository as it was pushed, for example github.com/acme/shop.' }),
  path: z
    .string('send the path of a file')
    .min(1, 'must not be empty')
    .meta({ description: 'The file, as it is called at that commit.' }),
  commit: sha
    .optional()
    .meta({ description: 'A commit of counted history; by default the tip of the default branch.' }),
  policy: policyParameter,
});

const number = z.int().min(0);

export const missingTexts = [
  'scope',
  'repository',
  'missing',
  'too-large',
  'binary',
  'timeout',
  'differs',
] as const;

const originSchema = z.object({
  commit: sha,
  path: z.string().meta({ description: 'The file in which the commit added them.' }),
  line: number.meta({ description: 'Number of the first one there, from 0.' }),
  author: z.string().nullable(),
  userId: z.string().nullable(),
  at: z.iso.datetime().nullable().meta({ description: 'The author’s clock.' }),
});

const rangeSchema = z.object({
  start: number.meta({ description: 'Number of the first line in the file, from 0.' }),
  count: number,
  kind: z.enum(lineKinds).meta({
    description:
      'P kept from AI, M changed from AI, H human; blank and excluded lines count for nobody; unknown is older than what is known, or not judged under the policy.',
  }),
  origin: originSchema.nullable().meta({
    description:
      'Where they were added. Null where that is not known, and of others’ lines for a personal key.',
  }),
  copiedFrom: sha.nullable().meta({
    description: 'The commit of another line of history that added them first, whose verdict counts.',
  }),
  evidence: evidenceSchema.nullable(),
  confidence: confidenceSchema.nullable(),
  codeId: z.string().nullable().meta({ description: 'The snippet that they came from.' }),
  source: sourceSchema.nullable(),
  model: z.string().nullable(),
  words: attributedLinesSchema.shape.words.nullable(),
  explanations: z.array(explanationSchema).meta({
    description: 'Why: one for each line of the range where evidence is `matched`, none elsewhere.',
  }),
});
export type FileLineRange = z.output<typeof rangeSchema>;

export const fileLinesAnswer = z.object({
  repository: z.string(),
  path: z.string(),
  commit: sha,
  ref: z.string().nullable().meta({ description: 'The branch whose tip the commit is, if so.' }),
  excluded: z.string().nullable().meta({ description: 'Why the file does not count, if so.' }),
  lines: z.array(rangeSchema).meta({ description: 'All lines of the file, in order.' }),
  text: z
    .array(z.string())
    .nullable()
    .meta({ description: 'The lines, read from git now; for who may see code (scope `code`).' }),
  textMissing: z
    .enum(missingTexts)
    .nullable()
    .meta({ description: 'Why there is no text: docs/api.md says what each means.' }),
});
export type FileLinesAnswer = z.output<typeof fileLinesAnswer>;
