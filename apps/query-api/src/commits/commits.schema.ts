import { MATCH_RULES } from '@lineprint/attribution';
import {
  attributedFileSchema,
  attributionResultSchema,
  lineRangeSchema,
  sha as fullSha,
} from '@lineprint/contracts';
import { z } from 'zod';
import { nextCursor, pageParameters } from '../cursor';
import { teamParameter } from '../people-filter';
import { policyParameter } from '../tenant-view';

const repository = z
  .string('send the repository')
  .min(1, 'must not be empty')
  .meta({ description: 'The repository as it was pushed, for example github.com/acme/shop.' });

export const shaParameter = fullSha.meta({ description: 'The full id of the commit, in lower case.' });

/** Query parameters of `GET /api/v1/commits`. */
export const commitListParameters = z.object({
  repository: repository.optional(),
  project_id: z.string().min(1, 'must not be empty').optional().meta({ description: 'Only this project.' }),
  person: z
    .string()
    .min(1, 'must not be empty')
    .optional()
    .meta({ description: 'Only commits of this person, by any address.' }),
  team: teamParameter,
  ...pageParameters,
  policy: policyParameter,
});

/** Query parameters of `GET /api/v1/commits/{sha}`. */
export const commitParameters = z.object({ repository, policy: policyParameter });

/** Query parameters of `GET /api/v1/commits/{sha}/lines`. */
export const commitLinesParameters = z.object({
  repository,
  path: z
    .string('send the path of a file that the commit changed')
    .min(1, 'must not be empty')
    .meta({ description: 'A file that the commit changed, as its path is after the commit.' }),
  policy: policyParameter,
});

const time = z.iso.datetime();
const number = z.int().min(0);

export const commitSchema = z.object({
  repository: z.string(),
  sha: fullSha,
  projectId: z.string(),
  userId: z.string().meta({ description: 'The person the lines count for.' }),
  authorName: z.string(),
  authorEmail: z.string(),
  parents: z.array(z.string()),
  authoredAt: time,
  committedAt: time,
  branch: z.string().nullable(),
  declaredTool: z.string().nullable().meta({ description: 'The AI that the commit itself names.' }),
  declaredBy: z.string().nullable(),
  late: z.boolean().meta({ description: 'Some earlier snippets may not have been indexed in time.' }),
  revision: number.meta({
    description: 'How often it was analysed again because snippets arrived that it should have known.',
  }),
  counted: z.boolean().meta({
    description: 'False for provisional work: no ref that counts leads to it, and it is in no total.',
  }),
});
export type Commit = z.output<typeof commitSchema>;

const listedCommitSchema = commitSchema.extend({
  files: number,
  lines: z.object({ added: number, preserved: number, modified: number, human: number, inherited: number }),
  aiRatio: z.number().min(0).max(1),
});
export type ListedCommit = z.output<typeof listedCommitSchema>;

export const commitListAnswer = z.object({
  commits: z.array(listedCommitSchema),
  next: nextCursor,
});
export type CommitListAnswer = z.output<typeof commitListAnswer>;

const resultSchema = attributionResultSchema.extend({
  model: z.string().nullable(),
  copiedFrom: z.string().nullable().meta({
    description: 'The commit that added these lines first, where they count in this one: that one does not.',
  }),
});
export type CommitResult = z.output<typeof resultSchema>;

const fileSchema = attributedFileSchema.omit({ lines: true, explanations: true }).extend({
  oldPath: z.string().nullable(),
  excluded: z.string().nullable().meta({ description: 'Why the file does not count, if so.' }),
  results: z.array(resultSchema),
});
export type CommitFileAnswer = z.output<typeof fileSchema>;

export const commitAnswer = commitSchema.extend({ files: z.array(fileSchema) });
export type CommitAnswer = z.output<typeof commitAnswer>;

export const explanationSchema = z.object({
  line: number.meta({ description: 'Number of the line in the new file, from 0.' }),
  rule: z.enum(MATCH_RULES).meta({ description: 'By which rule it was given to the snippet.' }),
  snippetLine: number.meta({
    description: 'Number of the line in the snippet, from 0; 65535 stands for all above.',
  }),
  bits: z.number().min(0).meta({ description: 'Evidence of this line alone, in bits.' }),
});

export const attributedLinesSchema = lineRangeSchema.omit({ result: true }).extend({
  start: number.meta({ description: 'Number of the first line in the new file, from 0.' }),
  ...attributionResultSchema.pick({ evidence: true, confidence: true, codeId: true, source: true }).shape,
  model: z.string().nullable(),
  words: z.string().meta({
    description:
      'The evidence of all lines with this origin, such as `14 of 16 lines equal, 2 changed; 92 bits`.',
  }),
  explanations: z.array(explanationSchema).meta({
    description: 'Why: one for each line of the range where evidence is `matched`, none elsewhere.',
  }),
});

export const commitLinesAnswer = z.object({
  repository: z.string(),
  sha: fullSha,
  path: z.string(),
  lines: z
    .array(attributedLinesSchema)
    .meta({ description: 'Ranges of attributable lines, in file order. Other lines are not listed.' }),
});
export type CommitLinesAnswer = z.output<typeof commitLinesAnswer>;
