import { confidenceSchema, evidenceSchema } from '@lineprint/contracts';
import { z } from 'zod';
import { policyParameter } from '../tenant-view';

const identifier = z.string().min(1, 'must not be empty').optional();

/** Query parameters of `GET /api/v1/summary`. */
export const summaryParameters = z.object({
  repository: identifier.meta({ description: 'Only this repository.' }),
  project_id: identifier.meta({ description: 'Only this project.' }),
  policy: policyParameter,
});
export type SummaryParameters = z.output<typeof summaryParameters>;

const number = z.int().min(0);
const share = z.number().min(0).max(1);

const figures = z.object({
  lines: number,
  aiLines: number.meta({ description: 'Preserved and modified lines.' }),
  high: number.meta({ description: 'AI lines whose confidence is HIGH.' }),
  weighted: z.number().min(0).meta({ description: 'Preserved lines plus half of the modified ones.' }),
  ratio: share.meta({ description: 'weighted / lines' }),
});
export type Figures = z.output<typeof figures>;

/** Of commits to which no ref leads that counts. */
const provisional = z.object({
  commits: number,
  merges: number,
  lines: z.object({ added: number, preserved: number, modified: number, human: number }),
  aiRatio: share,
});

/** Answer of `GET /api/v1/summary`. Each `by…` splits the same `lines.added`, so its `lines` add up to that. */
export const summaryAnswer = z.object({
  commits: number.meta({ description: 'Commits with at most one parent.' }),
  merges: number.meta({ description: 'Commits with several parents.' }),
  lines: z.object({
    added: number.meta({ description: 'Attributable lines: preserved + modified + human.' }),
    preserved: number,
    modified: number,
    human: number,
    inherited: number.meta({
      description: 'Added lines that were moved or differ in white space only: nobody’s new authorship.',
    }),
    excluded: number.meta({ description: "Git's added lines of files that do not count." }),
    blank: number.meta({ description: 'Blank added lines of files that count.' }),
  }),
  aiRatio: share.meta({ description: 'Weighted AI lines of all evidence / lines.added' }),
  aiRatioMatched: share,
  aiRatioDeclared: share,
  bySource: z.record(z.string(), figures).meta({ description: 'tab, chat, agent, human' }),
  byLanguage: z.record(z.string(), figures),
  byPerson: z.record(z.string(), figures),
  byProject: z.record(z.string(), figures),
  byConfidence: z.record(confidenceSchema, figures),
  byEvidence: z.record(evidenceSchema, figures),
  provisional: provisional.meta({
    description:
      'Beside all the other figures: commits of branches that are not merged, or were thrown away, of a repository whose default branch is known.',
  }),
});
export type SummaryAnswer = z.output<typeof summaryAnswer>;

/** Answer of `GET /api/v1/summary/commits`: what has its verdict by now, whether it counts or not; cheap enough to be polled. */
export const commitCountsAnswer = z.object({
  commits: number.meta({ description: 'Commits with at most one parent.' }),
  merges: number.meta({ description: 'Commits with several parents.' }),
});
export type CommitCountsAnswer = z.output<typeof commitCountsAnswer>;
