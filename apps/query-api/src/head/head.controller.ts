import { Controller, Get, Inject, Query } from '@nestjs/common';
import { DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal } from '@lineprint/platform';
import { AnswersCsv, type Table } from '../csv';
import { ratio, weightedLines } from '../figures';
import { askedLedger, type HeadRow } from '../ledger/ledger-filter';
import { DescribesAnswer } from '../openapi/describe';
import { invalidParameters, parseParameters } from '../parameters';
import { headParts, headTotal, type KindSums, listHeads } from './head.queries';
import { headAnswer, type HeadAnswer, type HeadFigures, headParameters } from './head.schema';

@Controller('api/v1/head')
export class HeadController {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
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
      parts: (await headParts(this.database, view, filter, by)).map((row) => ({
        key: row.key,
        ...headFiguresOf(row),
      })),
    };
  }
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
