import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { personId } from '@lineprint/contracts';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, Scopes, type Principal } from '@lineprint/platform';
import { attributedLines } from '../commits/attributed-lines';
import { changedFiles, findCommit } from '../commits/commits.queries';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { loadTenantView, type TenantView } from '../tenant-view';
import { alignSnippet } from './alignment';
import { findSnippet, type SnippetRow } from './snippets.queries';
import {
  alignmentAnswer,
  type AlignmentAnswer,
  alignmentParameters,
  codeIdParameter,
  snippetAnswer,
  type SnippetAnswer,
  snippetParameters,
} from './snippets.schema';

const PATH = { path: { codeId: codeIdParameter } };

@Controller('api/v1/snippets/:codeId')
export class SnippetsController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @DescribesAnswer('What is known of a snippet; its code is not', snippetAnswer, snippetParameters, PATH)
  async snippet(
    @CurrentPrincipal() principal: Principal,
    @Param('codeId') codeId: string,
  ): Promise<SnippetAnswer> {
    const view = await loadTenantView(this.database, principal);
    return snippetFields(await this.existingSnippet(view, codeId));
  }

  @Get('alignment')
  @Scopes('read')
  @DescribesAnswer(
    'What became of each line of a snippet in a file that a commit changed',
    alignmentAnswer,
    alignmentParameters,
    PATH,
  )
  async alignment(
    @CurrentPrincipal() principal: Principal,
    @Param('codeId') codeId: string,
    @Query() query: Record<string, unknown>,
  ): Promise<AlignmentAnswer> {
    const { repository, commit, path, policy } = parseParameters(alignmentParameters, query);
    const view = await loadTenantView(this.database, principal, policy);
    const snippet = await this.existingSnippet(view, codeId);
    const isSeen = await findCommit(this.database, view, repository, commit);
    const [changed] = isSeen ? await changedFiles(this.database, view, repository, [{ commit, path }]) : [];
    const ranges = changed
      ? attributedLines(changed.file, changed.results).filter((range) => range.codeId === codeId)
      : [];
    if (ranges.length === 0) {
      throw new HttpProblem(
        404,
        'alignment-unknown',
        'Nothing to align',
        `No line that ${commit} added to ${path} of ${repository} came from ${codeId}, or this key may not see it. GET /api/v1/commits/${commit}/lines names the snippets of its lines.`,
      );
    }
    return { codeId, repository, commit, path, ...alignSnippet(snippet, ranges) };
  }

  private async existingSnippet(view: TenantView, codeId: string): Promise<SnippetRow> {
    const row = await findSnippet(this.database, view, codeId);
    const isSeen = view.userIds === null || (row && view.userIds.includes(personId(row.user_id)));
    if (row && isSeen) return row;
    throw new HttpProblem(
      404,
      'snippet-unknown',
      'No such snippet',
      `There is no snippet ${codeId}, or this key may not see it. GET /api/v1/commits/{sha}/lines names those that lines came from.`,
    );
  }
}

function snippetFields(row: SnippetRow): SnippetAnswer {
  return {
    codeId: row.code_id,
    sessionId: row.session_id,
    userId: row.user_id,
    projectId: row.project_id,
    repository: row.repository,
    source: row.source,
    model: row.model,
    client: row.client,
    language: row.language,
    fileExtension: row.file_extension,
    lineCount: row.line_count,
    charCount: row.char_count,
    editKind: row.edit_kind,
    acceptedPartially: row.accepted_partially,
    declaredBy: row.declared_by,
    protocol: row.protocol,
    hasLinePrints: row.line_prints !== null,
    createdAt: row.created_at.toISOString(),
  };
}
