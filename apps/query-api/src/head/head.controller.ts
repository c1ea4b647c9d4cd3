import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DATABASE, type Database, listTeams, resolvePeople } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { AnswersCsv, type Table } from '../csv';
import { ratio, weightedLines } from '../figures';
import { askedLedger, type HeadRow } from '../ledger/ledger-filter';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import type { TenantView } from '../tenant-view';
import {
  type HeadFilter,
  type HeadPartRow,
  headParts,
  headTotal,
  type KindSums,
  listHeads,
} from './head.queries';
import {
  headAnswer,
  type HeadAnswer,
  type HeadDimension,
  type HeadFigures,
  headParameters,
} from './head.schema';

@Controller('api/v1/head')
export class HeadController {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

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
    const filter = { ...asked, folder };
    const heads = await listHeads(this.database, view, filter);
    return {
      heads: heads.map(headFields),
      total: headFiguresOf(await headTotal(this.database, view, filter)),
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
  const parts = new Map<string | null, HeadPartRow>();
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const part = parts.get(key) ?? { key, preserved: 0, modified: 0, human: 0, unknown: 0 };
      part.preserved += row.preserved;
      part.modified += row.modified;
      part.human += row.human;
      part.unknown += row.unknown;
      parts.set(key, part);
    }
  }
  const linesOf = (row: HeadPartRow) => row.preserved + row.modified + row.human + row.unknown;
  return [...parts.values()].sort(
    (a, b) => linesOf(b) - linesOf(a) || (String(a.key) < String(b.key) ? -1 : 1),
  );
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
