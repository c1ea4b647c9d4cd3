import { sources } from '@lineprint/contracts';
import { z } from 'zod';
import { teamParameter } from '../people-filter';
import { policyParameter } from '../tenant-view';
import { checkPeriod, periodParameters } from './period-parameters';

export const scopes = ['personal', 'project', 'organization'] as const;
export const granularities = ['day', 'week', 'month'] as const;
export type Granularity = (typeof granularities)[number];

const identifier = z.string().min(1, 'must not be empty').max(512).optional();

const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, `send one of ${values.join(', ')}`);

/** Query parameters of `GET /api/v1/stats/ai-attribution`. */
export const statsParameters = z
  .object({
    scope: oneOf(scopes).meta({ description: 'Whose lines: a person, a project or the whole organisation.' }),
    project_id: identifier.meta({ description: 'Required for scope=project; narrows scope=personal.' }),
    org_id: identifier.meta({ description: "The credential's own organisation; any other is refused." }),
    user_id: identifier.meta({
      description:
        "For scope=personal, any address of the person, in any case; by default the key's own user.",
    }),
    ...periodParameters,
    granularity: oneOf(granularities).default('day').meta({
      description: 'Bucket of the trend. Weeks start on the organisation’s day, by default on Monday.',
    }),
    repository: identifier.meta({ description: 'Only lines of this repository.' }),
    language: identifier.meta({ description: 'Only lines of files in this language.' }),
    source: oneOf(sources)
      .optional()
      .meta({ description: 'Only lines from this source count as AI; all lines stay in the totals.' }),
    model: identifier.meta({
      description: 'Only lines from this model count as AI; all lines stay in the totals.',
    }),
    team: teamParameter,
    policy: policyParameter,
  })
  .superRefine((query, context) => {
    const wrong = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if (query.scope === 'project' && query.project_id === undefined) {
      wrong('project_id', 'send the project for scope=project');
    }
    if (query.scope === 'organization' && query.project_id !== undefined) {
      wrong('project_id', 'leave it out for scope=organization, or send scope=project');
    }
    if (query.scope !== 'personal' && query.user_id !== undefined) {
      wrong('user_id', `leave it out for scope=${query.scope}, or send scope=personal`);
    }
    checkPeriod(query, wrong);
  });
export type StatsParameters = z.output<typeof statsParameters>;

const lines = z.number().min(0);
const share = z.number().min(0).max(1);
const number = z.int().min(0);
const date = z.string().meta({ format: 'date' });

/** Answer of `GET /api/v1/stats/ai-attribution`. docs/api.md defines each field. */
export const statsAnswer = z.object({
  period: z.object({ start: date, end: date }),
  scope: z.enum(scopes),
  user_id: z.string().optional(),
  project_id: z.string().optional(),
  org_id: z.string().optional(),
  summary: z.object({
    total_lines: number,
    ai_attributed_lines: lines.meta({ description: 'Preserved lines plus half of the modified ones.' }),
    ai_ratio: share,
    total_commits: number,
    files_with_ai: number.meta({ description: 'Distinct files.' }),
  }),
  provisional: z
    .object({ total_lines: number, ai_attributed_lines: lines, ai_ratio: share, total_commits: number })
    .meta({
      description:
        'Beside all the other figures: commits of branches that are not merged, or were thrown away, of repositories whose default branch is known.',
    }),
  breakdown: z.object({
    tab: z.object({
      suggestions_shown: number,
      suggestions_accepted: number,
      accept_rate: share,
      ai_attributed_lines: lines,
      avg_survival_similarity: share,
    }),
    chat: z.object({ edits: number, ai_attributed_lines: lines, avg_similarity: share }),
    agent: z.object({ tasks: number, ai_attributed_lines: lines, avg_similarity: share }),
  }),
  confidence: z
    .object({ high: share, low: share, suspect: share, unique: share })
    .meta({ description: 'Shares of summary.total_lines; they add up to 1.' }),
  evidence: z
    .object({ matched: lines, declared: lines, estimated: lines })
    .meta({ description: 'summary.ai_attributed_lines by how the origin is known.' }),
  trend: z.array(
    z.object({
      date: date.meta({ description: "The bucket's first day." }),
      total_lines: number,
      ai_attributed_lines: lines,
      ai_ratio: share,
      tab_accept_rate: share,
      chat_edits: number,
    }),
  ),
  language_breakdown: z.array(
    z.object({ language: z.string(), total_lines: number, ai_lines: lines, ai_ratio: share }),
  ),
});
export type StatsAnswer = z.output<typeof statsAnswer>;
