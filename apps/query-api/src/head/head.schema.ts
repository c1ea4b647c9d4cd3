import { sha } from '@lineprint/contracts';
import { z } from 'zod';
import { formatParameter } from '../csv';
import { ledgerParameters } from '../ledger/ledger-filter';

export const headDimensions = [
  'repository',
  'folder',
  'language',
  'person',
  'team',
  'source',
  'model',
  'kind',
] as const;
export type HeadDimension = (typeof headDimensions)[number];

/** `src/` and `./src` name the folder `src`; the root is the empty text. */
export const folderParameter = z
  .string()
  .transform((text) => text.replace(/^(\.?\/)+|\/+$/g, '').replace(/^\.$/, ''))
  .optional()
  .meta({ description: 'Only files below this folder, such as src/app.' });

/** Query parameters of `GET /api/v1/head`. */
export const headParameters = z.object({
  ...ledgerParameters,
  folder: folderParameter,
  by: z
    .enum(headDimensions, `send one of ${headDimensions.join(', ')}`)
    .default('repository')
    .meta({ description: 'What the parts are.' }),
  format: formatParameter,
});

const number = z.int().min(0);

/** Lines that stand at a branch's tip, by what they are. */
export const headFigures = {
  lines: number.meta({ description: 'Non-blank lines: preserved + modified + human + unknown.' }),
  preserved: number.meta({ description: 'Kept as they came from AI.' }),
  modified: number.meta({ description: 'From AI, and changed.' }),
  human: number,
  unknown: number.meta({
    description:
      'Of unknown origin: older than what is known, or of a commit that the policy has not judged.',
  }),
  weighted: z.number().min(0).meta({ description: 'Preserved lines plus half of the modified ones.' }),
  ratio: z.number().min(0).max(1).meta({ description: 'weighted / (preserved + modified + human)' }),
};
const figures = z.object(headFigures);
export type HeadFigures = z.output<typeof figures>;

export const headSchema = z.object({
  repository: z.string(),
  ref: z.string(),
  commit: sha.meta({ description: 'The commit that the ledger stands at.' }),
  at: z.iso.datetime().meta({ description: 'The newest committer’s clock on the way to it.' }),
});

const partSchema = z.object({
  key: z.string().nullable().meta({ description: 'Null for lines of unknown origin.' }),
  ...headFigures,
});
export type HeadPart = z.output<typeof partSchema>;

export const headAnswer = z.object({
  heads: z.array(headSchema),
  total: figures,
  parts: z.array(partSchema).meta({
    description:
      'The same lines split by `by`, the largest part first. A team has its people’s lines: those of others are in no part, and who is in two teams counts in both.',
  }),
});
export type HeadAnswer = z.output<typeof headAnswer>;
