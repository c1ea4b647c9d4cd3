import { MATCH_RULES } from '@lineprint/attribution';
import { lineKindSchema, sha, sourceSchema } from '@lineprint/contracts';
import { z } from 'zod';
import { commitLinesParameters } from '../commits/commits.schema';

export const codeIdParameter = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The snippet, as its client named it.' });

export const snippetParameters = z.object({});

/** Query parameters of `GET /api/v1/snippets/{codeId}/alignment`. */
export const alignmentParameters = z.object({
  ...commitLinesParameters.shape,
  commit: sha.meta({ description: 'The commit that added the lines.' }),
});

const number = z.int().min(0);

export const snippetAnswer = z.object({
  codeId: z.string(),
  sessionId: z.string(),
  userId: z.string(),
  projectId: z.string(),
  repository: z.string().nullable(),
  source: sourceSchema,
  model: z.string().nullable(),
  client: z.string().nullable(),
  language: z.string(),
  fileExtension: z.string(),
  lineCount: number,
  charCount: number,
  editKind: z.string().nullable(),
  acceptedPartially: z.boolean().nullable(),
  declaredBy: z.string().nullable().meta({ description: 'The commit that it was made from, if so.' }),
  protocol: number.meta({ description: 'Which form of the protocol its client speaks.' }),
  hasLinePrints: z.boolean().meta({ description: 'Whether its lines can be told apart.' }),
  createdAt: z.iso.datetime().meta({ description: 'When it was accepted, by the client’s clock.' }),
});
export type SnippetAnswer = z.output<typeof snippetAnswer>;

const matchSchema = z.object({
  newLine: number.meta({ description: 'Number of the line in the commit’s file, from 0.' }),
  rule: z.enum(MATCH_RULES),
  bits: z.number().min(0),
  kind: lineKindSchema,
});
export type AlignedMatch = z.output<typeof matchSchema>;

const alignedLineSchema = z.object({
  line: number.meta({ description: 'Number of the snippet’s line, from 0.' }),
  tokens: number.nullable().meta({
    description: 'How many tokens it has, 255 for more; 0 where it is blank, null without prints of lines.',
  }),
  matched: matchSchema
    .nullable()
    .meta({ description: 'The first line of the file that came from it; null where none did.' }),
  others: z.array(matchSchema).meta({ description: 'Further ones, where it was spread over several lines.' }),
});
export type AlignedLine = z.output<typeof alignedLineSchema>;

export const alignmentAnswer = z.object({
  codeId: z.string(),
  repository: z.string(),
  commit: sha,
  path: z.string(),
  lines: z.array(alignedLineSchema).meta({ description: 'All lines of the snippet.' }),
  words: z.string().meta({
    description: 'In words, such as `14 of 16 lines equal, 1 renamed, 1 gone or joined; 92 bits`.',
  }),
});
export type AlignmentAnswer = z.output<typeof alignmentAnswer>;
