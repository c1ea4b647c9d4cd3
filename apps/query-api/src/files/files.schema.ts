import { sha } from '@lineprint/contracts';
import { z } from 'zod';
import { formatParameter } from '../csv';
import { nextCursor, pageParameters } from '../cursor';
import { folderParameter, headFigures, headSchema } from '../head/head.schema';
import { ledgerParameters } from '../ledger/ledger-filter';

export const fileOrders = ['lines', 'ai', 'ratio', 'path'] as const;
export type FileOrder = (typeof fileOrders)[number];

/** Query parameters of `GET /api/v1/files`. */
export const fileListParameters = z.object({
  ...ledgerParameters,
  repository: z
    .string('send the repository')
    .min(1, 'must not be empty')
    .meta({ description: 'The repository as it was pushed, for example github.com/acme/shop.' }),
  folder: folderParameter,
  sort: z
    .enum(fileOrders, `send one of ${fileOrders.join(', ')}`)
    .default('lines')
    .meta({
      description: 'Most lines, most weighted AI lines or the largest share of AI first, or by path.',
    }),
  ...pageParameters,
  format: formatParameter,
});

const lastCommit = z.object({ commit: sha, at: z.iso.datetime(), userId: z.string() });

const listedFile = z.object({
  path: z.string(),
  language: z.string(),
  ...headFigures,
  lastCommit: lastCommit
    .nullable()
    .meta({ description: 'The newest commit with a line in the file, by the committer’s clock.' }),
});
export type ListedFile = z.output<typeof listedFile>;

export const fileListAnswer = z.object({
  head: headSchema.nullable().meta({ description: 'Null where the branch has no ledger.' }),
  files: z.array(listedFile),
  next: nextCursor,
});
export type FileListAnswer = z.output<typeof fileListAnswer>;
