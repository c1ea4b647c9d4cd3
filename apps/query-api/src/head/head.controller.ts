import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database, listTeams, resolvePeople } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { AnswersCsv, type Table } from '../csv';
import { ratio, weightedLines } from '../figures';
import { askedLedger, type HeadRow, listHeads } from '../ledger/ledger-filter';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import type { TenantView } from '../tenant-view';
import { type HeadFilter, type HeadPartRow, headParts, headTotals, type KindSums } from './head.queries';
import {
  headAnswer,
  type HeadAnswer,
  type HeadDimension,
  type HeadFigures,
  headParameters,
} from './head.schema';

@Controller('api/v1/head')
export class HeadController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfParts)
  @DescribesAnswer(
    'The lines that stand in default branches now, by where they came from',
    headAnswer,
    headParameters,
    { csv: true },
  )
  async head(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<HeadAnswer> {
    const parameters = parseParameters(headParameters, query);
    const { by, folder = '', repository } = parameters;
    if ((folder !== '' || by === 'folder') && repository === undefined) {
      throw invalidParameters([{ path: 'repository', detail: 'send the repository of the folders' }]);
    }
    const { view, filter: asked } = await askedLedger(this.database, principal, parameters);
    const heads = await listHeads(this.database, view, asked);
    const filter = { heads, userIds: asked.userIds, folder };
    const totals = await headTotals(this.database, view, filter);
    // Of somebody's lines only the branches are named that have some.
    const isNamed = ({ repository: name, ref }: HeadRow) =>
      asked.userIds === null || totals.some((row) => row.repository === name && row.ref === ref);
    return {
      heads: heads.filter(isNamed).map(headFields),
      total: headFiguresOf(sumOf(totals)),
      parts: (await this.partsOf(view, filter, by)).map((row) => ({ key: row.key, ...headFiguresOf(row) })),
    };
  }

  /** A person has many addresses, a team many people. */
  private async partsOf(view: TenantView, filter: HeadFilter, by: HeadDimension): Promise<HeadPartRow[]> {
    if (by !== 'person' && by !== 'team') return headParts(this.database, view, filter, by);
    const rows = await headParts(this.database, view, filter, 'person');
    const people = await resolvePeople(this.database, view.orgId);
    if (by === 'person') {
      return summedParts(rows, ({ key }) => [key === null ? null : people.personOf(key).personId]);
    }
    const teams = (await listTeams(this.database, view.orgId)).map(({ teamId, members }) => ({
      teamId,
      userIds: new Set(members.flatMap((member) => people.aliasesOf(member))),
    }));
    return summedParts(rows, ({ key }) =>
      teams.flatMap(({ teamId, userIds }) => (key !== null && userIds.has(key) ? [teamId] : [])),
    );
  }
}

/** The rows under each of the keys that they belong to, the largest part first. */
function summedParts(
  rows: readonly HeadPartRow[],
  keysOf: (row: HeadPartRow) => readonly (string | null)[],
): HeadPartRow[] {
  const groups = new Map<string | null, HeadPartRow[]>();
  for (const row of rows) {
    for (const key of keysOf(row)) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const parts = [...groups].map(([key, of]) => ({ key, ...sumOf(of) }));
  const linesOf = (row: HeadPartRow) => row.preserved + row.modified + row.human + row.unknown;
  return parts.sort((a, b) => linesOf(b) - linesOf(a) || (String(a.key) < String(b.key) ? -1 : 1));
}

function sumOf(rows: readonly KindSums[]): KindSums {
  const sum = (of: (row: KindSums) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    preserved: sum((row) => row.preserved),
    modified: sum((row) => row.modified),
    human: sum((row) => row.human),
    unknown: sum((row) => row.unknown),
  };
}

/** How an answer names a branch. */
export function headFields({ repository, ref, sha, at }: HeadRow): HeadAnswer['heads'][number] {
  return { repository, ref, commit: sha, at: at.toISOString() };
}

/** Lines of unknown origin are in `lines`, and in no ratio. */
export function headFiguresOf({ preserved, modified, human, unknown }: KindSums): HeadFigures {
  const weighted = weightedLines(preserved, modified);
  const known = preserved + modified + human;
  return {
    lines: known + unknown,
    preserved,
    modified,
    human,
    unknown,
    weighted,
    ratio: ratio(weighted, known),
  };
}

function tableOfParts({ parts }: HeadAnswer): Table {
  const columns = ['key', 'lines', 'preserved', 'modified', 'human', 'unknown', 'weighted', 'ratio'] as const;
  return { columns, rows: parts.map((part) => columns.map((column) => part[column])) };
}
