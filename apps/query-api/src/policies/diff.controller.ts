import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database, type Queryable } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { requireOwnProject } from '../project-access';
import { loadSummary } from '../summary/summary.answer';
import { countCommits, type SummaryFilter } from '../summary/summary.queries';
import type { Figures, SummaryAnswer } from '../summary/summary.schema';
import { loadTenantView } from '../tenant-view';
import { BEFORE_FILES, type Comparison, countFlips, differentFiles, fileCursor } from './diff.queries';
import {
  type BeforeAfter,
  type DiffAnswer,
  diffAnswer,
  diffParameters,
  type FlippedLinesAnswer,
  flippedLinesAnswer,
  flippedLinesParameters,
} from './diff.schema';
import { flippedRanges } from './flipped-ranges';
import { otherPolicyParameter, policyIdParameter } from './policies.schema';

const bothPath = { path: { id: policyIdParameter, other: otherPolicyParameter } };

/** What would change if dashboards read another policy. */
@Controller('api/v1/policies/:id/diff/:other')
export class PolicyDiffController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('What would change from one policy to another', diffAnswer, diffParameters, bothPath)
  async diff(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
    @Query() query: Record<string, unknown>,
  ): Promise<DiffAnswer> {
    const parameters = parseParameters(diffParameters.extend(bothPath.path), { ...query, ...path });
    // One snapshot: while commits are judged, sums of several statements would not belong together.
    return this.database.transaction(async (tx) => {
      await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const comparison = await compared(tx, principal, parameters);
      return diffOf(tx, comparison);
    });
  }

  @Get('lines')
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('The lines that flip, by file', flippedLinesAnswer, flippedLinesParameters, bothPath)
  async lines(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
    @Query() query: Record<string, unknown>,
  ): Promise<FlippedLinesAnswer> {
    const parameters = parseParameters(flippedLinesParameters.extend(bothPath.path), { ...query, ...path });
    const { after, limit } = parameters;
    const comparison = await compared(this.database, principal, parameters);
    const start = after === undefined ? BEFORE_FILES : fileCursor.decode(after);
    // One more than asked says whether there is a next page.
    const files = await differentFiles(this.database, comparison, start, limit + 1);
    const page = files.slice(0, limit);
    const last = files.length > limit ? page.at(-1) : undefined;
    return {
      from: comparison.from,
      to: comparison.to,
      // The order of a file's results alone may differ, which flips no line.
      files: page.flatMap(({ repository, sha, path: file, from_ranges, to_ranges }) => {
        const lines = flippedRanges(from_ranges, to_ranges);
        return lines.length === 0 ? [] : [{ repository, sha, path: file, lines }];
      }),
      next: last ? fileCursor.encode([last.repository, last.sha, last.path]) : null,
    };
  }
}

/** @throws HttpProblem 404 `policy-unknown`, 403 `project-forbidden` */
async function compared(
  queryable: Queryable,
  principal: Principal,
  parameters: { id: string; other: string; repository?: string | undefined; project_id?: string | undefined },
): Promise<Comparison> {
  const { id, other, repository, project_id } = parameters;
  if (project_id !== undefined) await requireOwnProject(queryable, principal, project_id);
  const view = await loadTenantView(queryable, principal, id);
  await loadTenantView(queryable, principal, other);
  return { view, from: id, to: other, repository: repository ?? null, projectId: project_id ?? null };
}

async function diffOf(queryable: Queryable, comparison: Comparison): Promise<DiffAnswer> {
  const { from, to } = comparison;
  const under = (policyId: string) => ({ ...comparison.view, policyId });
  const filter = (alsoJudgedBy?: string): SummaryFilter => ({
    repository: comparison.repository,
    projectId: comparison.projectId,
    ...(alsoJudgedBy !== undefined && { alsoJudgedBy }),
  });
  const before = await loadSummary(queryable, under(from), filter(to));
  const after = await loadSummary(queryable, under(to), filter(from));
  const judged = async (policyId: string) => {
    const { commits, merges } = await countCommits(queryable, under(policyId), {
      ...filter(),
      counted: true,
    });
    return commits + merges;
  };
  const both = before.commits + before.merges;
  const split = (by: (summary: SummaryAnswer) => Readonly<Record<string, Figures>>) =>
    beforeAfter(by(before), by(after));
  return {
    from,
    to,
    commits: { both, onlyFrom: (await judged(from)) - both, onlyTo: (await judged(to)) - both },
    lines: { from: before.lines, to: after.lines },
    total: { from: totalOf(before), to: totalOf(after) },
    byProject: split(({ byProject }) => byProject),
    byLanguage: split(({ byLanguage }) => byLanguage),
    bySource: split(({ bySource }) => bySource),
    byPerson: split(({ byPerson }) => byPerson),
    byConfidence: split(({ byConfidence }) => byConfidence),
    byEvidence: split(({ byEvidence }) => byEvidence),
    flips: await countFlips(queryable, comparison),
  };
}

function totalOf({ lines, aiRatio, byConfidence, byEvidence }: SummaryAnswer): Figures {
  return {
    lines: lines.added,
    aiLines: lines.preserved + lines.modified,
    high: byConfidence.HIGH.aiLines,
    weighted: Object.values(byEvidence).reduce((sum, { weighted }) => sum + weighted, 0),
    ratio: aiRatio,
  };
}

const NOTHING: Figures = { lines: 0, aiLines: 0, high: 0, weighted: 0, ratio: 0 };

function beforeAfter(
  before: Readonly<Record<string, Figures>>,
  after: Readonly<Record<string, Figures>>,
): Record<string, BeforeAfter<Figures>> {
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const keys = [...new Set([...left.keys(), ...right.keys()])];
  return Object.fromEntries(
    keys.map((key) => [key, { from: left.get(key) ?? NOTHING, to: right.get(key) ?? NOTHING }]),
  );
}
