import { personKindSchema, sources } from '@lineprint/contracts';
import { z } from 'zod';
import { formatParameter } from '../csv';
import { nextCursor, pageParameters } from '../cursor';
import { teamParameter } from '../people-filter';
import { checkPeriod, periodParameters } from '../stats/period-parameters';
import { policyParameter } from '../tenant-view';

const identifier = z.string().min(1, 'must not be empty').max(512).optional();
const number = z.int().min(0);
const share = z.number().min(0).max(1);

const shared = {
  ...periodParameters,
  period: periodParameters.period.default('30d'),
  project_id: identifier.meta({ description: 'Only lines of this project.' }),
  team: teamParameter,
  policy: policyParameter,
  format: formatParameter,
};
const withPeriod = <S extends z.ZodRawShape>(shape: S) =>
  z
    .object({ ...shared, ...shape })
    .superRefine((query, context) =>
      checkPeriod(query as Parameters<typeof checkPeriod>[0], (path, message) =>
        context.addIssue({ code: 'custom', path: [path], message }),
      ),
    );

/** Query parameters of lists of which each entry has lines of some days. */
export const breakdownParameters = withPeriod(pageParameters);
/** Query parameters of lists that are short. */
export const wholeListParameters = withPeriod({
  user_id: identifier.meta({
    description: 'Any address of the person whose lines are asked for, in any case.',
  }),
  repository: identifier.meta({ description: 'Only lines of this repository.' }),
  language: identifier.meta({ description: 'Only lines of files in this language.' }),
});
export const topFilesParameters = withPeriod({
  ...pageParameters,
  repository: identifier.meta({ description: 'Only lines of this repository.' }),
  language: identifier.meta({ description: 'Only lines of files in this language.' }),
  sort: z
    .enum(['ai', 'lines'], 'send ai or lines')
    .default('ai')
    .meta({ description: 'The most first: weighted AI lines, or all lines.' }),
});
export const exclusionParameters = withPeriod({
  repository: identifier.meta({ description: 'Only files of this repository.' }),
});
export type BreakdownParameters = z.output<typeof breakdownParameters>;

const period = z.object({ start: z.iso.date(), end: z.iso.date() });
const figures = {
  lines: number.meta({ description: 'Attributable lines: preserved + modified + human.' }),
  preserved: number,
  modified: number,
  human: number,
  weighted: z.number().min(0).meta({ description: 'Preserved lines plus half of the modified ones.' }),
  ratio: share.meta({ description: 'weighted / lines' }),
};
export type LineFigures = z.output<z.ZodObject<typeof figures>>;
const commits = number.meta({ description: 'Commits with at least one attributable line.' });

export const projectListAnswer = z.object({
  period,
  projects: z.array(z.object({ projectId: z.string(), ...figures, commits, people: number })),
  next: nextCursor,
});
export type ProjectListAnswer = z.output<typeof projectListAnswer>;

export const repositoryListAnswer = z.object({
  period,
  repositories: z.array(
    z.object({
      repository: z.string(),
      ...figures,
      defaultBranch: z
        .string()
        .nullable()
        .meta({ description: 'As it was told; null where nobody has: everything counts then.' }),
    }),
  ),
  next: nextCursor,
});
export type RepositoryListAnswer = z.output<typeof repositoryListAnswer>;

export const personListAnswer = z.object({
  period,
  people: z.array(
    z.object({
      personId: z.string(),
      name: z.string(),
      kind: personKindSchema,
      ...figures,
      commits,
      suggestionsShown: number,
      suggestionsAccepted: number,
      chatEdits: number,
      agentTasks: number,
    }),
  ),
  next: nextCursor,
});
export type PersonListAnswer = z.output<typeof personListAnswer>;

export const modelListAnswer = z.object({
  period,
  totalLines: number.meta({ description: 'Attributable lines of all origins.' }),
  models: z
    .array(
      z.object({
        model: z.string().nullable().meta({ description: 'Null: the client did not name it.' }),
        source: z.enum(sources),
        lines: number.meta({ description: 'AI lines: preserved + modified.' }),
        preserved: number,
        modified: number,
        weighted: z.number().min(0),
        kept: share.meta({ description: 'weighted / lines: how much of it stayed as it was.' }),
        share: share.meta({ description: 'weighted / totalLines' }),
        high: number.meta({ description: 'AI lines whose confidence is HIGH.' }),
      }),
    )
    .meta({ description: 'AI lines by model and source, the most first.' }),
});
export type ModelListAnswer = z.output<typeof modelListAnswer>;

export const exclusionListAnswer = z.object({
  period,
  exclusions: z
    .array(
      z.object({
        reason: z.string(),
        files: number.meta({ description: 'Distinct files (repository and path).' }),
        changes: number.meta({ description: 'Changes of such files: a file in a commit.' }),
        lines: number.meta({ description: "Git's added lines, blank ones included." }),
      }),
    )
    .meta({ description: 'Why files did not count, the most lines first.' }),
});
export type ExclusionListAnswer = z.output<typeof exclusionListAnswer>;

export const topFilesAnswer = z.object({
  period,
  files: z.array(
    z.object({
      repository: z.string(),
      path: z.string(),
      language: z.string(),
      ...figures,
      commits,
      people: number,
      lastDay: z.iso.date(),
    }),
  ),
  next: nextCursor,
});
export type TopFilesAnswer = z.output<typeof topFilesAnswer>;
