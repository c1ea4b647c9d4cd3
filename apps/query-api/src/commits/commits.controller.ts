import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import { CurrentPrincipal, HttpProblem, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { ratio, weightedLines } from '../figures';
import { groupRows } from '../group-rows';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { countedPeople } from '../people-filter';
import { requireOwnProject } from '../project-access';
import { loadTenantView, type TenantView } from '../tenant-view';
import { attributedLines } from './attributed-lines';
import {
  changedFiles,
  commitFiles,
  commitPage,
  commitResults,
  commitCursor,
  findCommit,
  type CommitRow,
  type FileRow,
  type ListedCommitRow,
  type ResultRow,
} from './commits.queries';
import {
  commitAnswer,
  commitLinesAnswer,
  commitLinesParameters,
  commitListAnswer,
  commitListParameters,
  commitParameters,
  shaParameter,
  type Commit,
  type CommitAnswer,
  type CommitFileAnswer,
  type CommitLinesAnswer,
  type CommitListAnswer,
  type CommitResult,
  type ListedCommit,
} from './commits.schema';

@Controller('api/v1/commits')
export class CommitsController {
  constructor(@Inject(TENANT_DATABASE) private readonly database: Database) {}

  @Get()
  @Scopes('read')
  @WithinProjects('project_id')
  @DescribesAnswer('Analysed commits with their lines, newest first', commitListAnswer, commitListParameters)
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<CommitListAnswer> {
    const { repository, project_id, person, team, after, limit, policy } = parseParameters(
      commitListParameters,
      query,
    );
    if (project_id !== undefined) await requireOwnProject(this.database, principal, project_id);
    const view = await loadTenantView(this.database, principal, policy);
    const { userIds } = await countedPeople(this.database, view, { person, team });
    const filter = { repository: repository ?? null, projectId: project_id ?? null, userIds };
    // One more than asked says whether there is a next page.
    const rows = await commitPage(this.database, view, filter, {
      after: after === undefined ? null : commitCursor.decode(after),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      commits: page.map(listedCommit),
      next: last ? commitCursor.encode([last.authored_at.getTime(), last.repository, last.sha]) : null,
    };
  }

  @Get(':sha')
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('One commit, its files and where their lines come from', commitAnswer, commitParameters, {
    path: { sha: shaParameter },
  })
  async commit(
    @CurrentPrincipal() principal: Principal,
    @Param() path: Record<string, unknown>,
    @Query() query: Record<string, unknown>,
  ): Promise<CommitAnswer> {
    const { sha, repository, policy } = parseParameters(commitParameters.extend({ sha: shaParameter }), {
      ...query,
      ...path,
    });
    const view = await loadTenantView(this.database, principal, policy);
    const row = await this.existingCommit(view, repository, sha);
    const files = await commitFiles(this.database, view, repository, [sha]);
    const results = groupRows(
      await commitResults(this.database, view, repository, [sha]),
      (result) => result.file_path,
    );
    return {
      ...commitFields(row),
      files: files.map((file) => fileFields(file, results.get(file.file_path) ?? [])),
    };
  }

  @Get(':sha/lines')
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer('The added lines of a file and their origin', commitLinesAnswer, commitLinesParameters, {
    path: { sha: shaParameter },
  })
  async lines(
    @CurrentPrincipal() principal: Principal,
    @Param() pathParameters: Record<string, unknown>,
    @Query() query: Record<string, unknown>,
  ): Promise<CommitLinesAnswer> {
    const { sha, repository, path, policy } = parseParameters(
      commitLinesParameters.extend({ sha: shaParameter }),
      {
        ...query,
        ...pathParameters,
      },
    );
    const view = await loadTenantView(this.database, principal, policy);
    await this.existingCommit(view, repository, sha);
    const [changed] = await changedFiles(this.database, view, repository, [{ commit: sha, path }]);
    if (!changed) {
      throw new HttpProblem(
        404,
        'file-unknown',
        'No such file',
        `Commit ${sha} did not change ${path}. GET /api/v1/commits/${sha} lists the files that it changed.`,
      );
    }
    return { repository, sha, path, lines: attributedLines(changed.file, changed.results) };
  }

  private async existingCommit(view: TenantView, repository: string, sha: string): Promise<CommitRow> {
    const row = await findCommit(this.database, view, repository, sha);
    if (row) return row;
    throw new HttpProblem(
      404,
      'commit-unknown',
      'No such commit',
      `Commit ${sha} of ${repository} has not been analysed, or this key may not see it. GET /api/v1/commits lists those it may.`,
    );
  }
}

function commitFields(row: CommitRow): Commit {
  return {
    repository: row.repository,
    sha: row.sha,
    projectId: row.project_id,
    userId: row.user_id,
    authorName: row.author_name,
    authorEmail: row.author_email,
    parents: row.parents,
    authoredAt: row.authored_at.toISOString(),
    committedAt: row.committed_at.toISOString(),
    branch: row.branch,
    declaredTool: row.declared_tool,
    declaredBy: row.declared_by,
    late: row.late,
    revision: row.revision,
    counted: row.counted,
  };
}

function listedCommit(row: ListedCommitRow): ListedCommit {
  return {
    ...commitFields(row),
    files: row.files,
    lines: {
      added: row.added,
      preserved: row.preserved,
      modified: row.modified,
      human: row.human,
      inherited: row.inherited,
    },
    aiRatio: ratio(weightedLines(row.preserved, row.modified), row.added),
  };
}

function fileFields(file: FileRow, results: readonly ResultRow[]): CommitFileAnswer {
  return {
    path: file.file_path,
    oldPath: file.old_path,
    status: file.status,
    language: file.language,
    addedLines: file.added_lines,
    deletedLines: file.deleted_lines,
    blankLines: file.blank_lines,
    inheritedLines: file.inherited_lines,
    inherited: file.inherited,
    excluded: file.excluded,
    results: results.map(resultFields),
  };
}

function resultFields(row: ResultRow): CommitResult {
  return {
    codeId: row.matched_code_id,
    source: row.match_source,
    model: row.model,
    evidence: row.evidence,
    confidence: row.confidence,
    similarity: row.minhash_similarity,
    bits: row.evidence_bits,
    preserved: row.ai_preserved_lines,
    modified: row.ai_modified_lines,
    human: row.human_new_lines,
    suspect: row.suspect_lines,
    copiedFrom: row.copied_from === '' ? null : row.copied_from,
  };
}
