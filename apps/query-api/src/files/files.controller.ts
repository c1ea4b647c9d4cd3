import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { AnswersCsv, type Table } from '../csv';
import { headFields, headFiguresOf } from '../head/head.controller';
import { askedLedger, listHeads } from '../ledger/ledger-filter';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { fileCursor, filePage, type FileRow } from './files.queries';
import { fileListAnswer, type FileListAnswer, fileListParameters, type ListedFile } from './files.schema';

@Controller('api/v1/files')
export class FilesController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfFiles)
  @DescribesAnswer(
    'The files at a branch’s tip with their lines, by where they came from',
    fileListAnswer,
    fileListParameters,
    { csv: true },
  )
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<FileListAnswer> {
    const parameters = parseParameters(fileListParameters, query);
    const { folder = '', sort, after, limit } = parameters;
    const { view, filter } = await askedLedger(this.database, principal, parameters);
    const heads = await listHeads(this.database, view, filter);
    // One more than asked says whether there is a next page.
    const rows = await filePage(
      this.database,
      view,
      { heads, userIds: filter.userIds, folder },
      {
        repository: parameters.repository,
        order: sort,
        after: after === undefined ? null : fileCursor.decode(after),
        limit: limit + 1,
      },
    );
    const isNamed = filter.userIds === null || rows.length > 0;
    const [head] = isNamed ? heads : [];
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      head: head ? headFields(head) : null,
      files: page.map(listedFile),
      next: last ? fileCursor.encode([last.rank, last.path]) : null,
    };
  }
}

function listedFile(row: FileRow): ListedFile {
  const { path, language, last_sha, last_at, last_user } = row;
  return {
    path,
    language,
    ...headFiguresOf(row),
    lastCommit:
      last_sha && last_at && last_user !== null
        ? { commit: last_sha, at: last_at.toISOString(), userId: last_user }
        : null,
  };
}

function tableOfFiles({ files }: FileListAnswer): Table {
  const columns = [
    'path',
    'language',
    'lines',
    'preserved',
    'modified',
    'human',
    'unknown',
    'weighted',
    'ratio',
  ] as const;
  return { columns, rows: files.map((file) => columns.map((column) => file[column])) };
}
