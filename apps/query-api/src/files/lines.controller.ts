import type { FileLineage } from '@lineprint/attribution';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database } from '@lineprint/persistence';
import {
  actorOf,
  CurrentPrincipal,
  hasScope,
  HttpProblem,
  Scopes,
  type Principal,
  WithinProjects,
} from '@lineprint/platform';
import { changedFiles } from '../commits/commits.queries';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { loadTenantView, type TenantView } from '../tenant-view';
import { type LabelledLines, labelledLines } from './labelled-lines';
import {
  authorsOf,
  ledgerTips,
  type LedgerTip,
  lineageAt,
  lineageAtTip,
  noteCodeRead,
  verdictsOn,
  worksOn,
} from './lines.queries';
import {
  fileLinesAnswer,
  type FileLinesAnswer,
  fileLinesParameters,
  type FileLineRange,
} from './lines.schema';
import { RepositoryText } from './repository-text';

/** A file at a commit, as somebody may see it. */
interface AskedFile {
  readonly principal: Principal;
  readonly view: TenantView;
  readonly repository: string;
  readonly path: string;
  readonly sha: string;
}

@Controller('api/v1/files/lines')
export class FileLinesController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    private readonly texts: RepositoryText,
  ) {}

  @Get()
  @Scopes('read')
  @WithinProjects()
  @DescribesAnswer(
    'All lines of a file at a commit: who or what they came from, and why that is known',
    fileLinesAnswer,
    fileLinesParameters,
  )
  async lines(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<FileLinesAnswer> {
    const { repository, path, commit, policy } = parseParameters(fileLinesParameters, query);
    const view = await loadTenantView(this.database, principal, policy);
    const tips = await ledgerTips(this.database, view, repository);
    const tip = tips.find(({ sha, is_default }) => (commit === undefined ? is_default : sha === commit));
    const sha = commit ?? tip?.sha;
    if (sha === undefined || !(await this.isSeen(view, tips))) throw noLedger(repository);
    const file = { principal, view, repository, path, sha };
    const lineage = tip
      ? await lineageAtTip(this.database, view, repository, tip.ref, path)
      : await lineageAt(this.database, view, repository, sha, path);
    if (!lineage) throw unfollowed(file);
    const excluded = await this.exclusionOf(file);
    if (lineage.length === 0 && excluded === null) throw unknownFile(file);
    const text = await this.textOf(file);
    const lines =
      lineage.length > 0 ? await this.rangesOf(file, lineage) : excludedLines(text.text?.length ?? 0);
    return {
      repository,
      path,
      commit: file.sha,
      ref: tip?.ref ?? null,
      excluded,
      lines,
      // A text of other lines would show each with its neighbour's origin.
      ...(text.text && text.text.length !== linesIn(lines) ? missingText('differs') : text),
    };
  }

  /** A personal key sees files where its person works, a maintainer those of the own projects. */
  private async isSeen(
    { orgId, userIds, projects }: TenantView,
    [tip]: readonly LedgerTip[],
  ): Promise<boolean> {
    if (!tip || (projects && !projects.includes(tip.project_id))) return false;
    return userIds === null || worksOn(this.database, orgId, userIds, tip.project_id);
  }

  /** Why a file that the commit itself changed does not count. Others that do not are in no ledger. */
  private async exclusionOf({ view, repository, sha, path }: AskedFile): Promise<string | null> {
    const [changed] = await changedFiles(this.database, view, repository, [{ commit: sha, path }]);
    return changed?.file.excluded ?? null;
  }

  private async rangesOf({ view, repository }: AskedFile, lineage: FileLineage): Promise<FileLineRange[]> {
    const origins = lineage.flatMap(({ origin }) => origin ?? []);
    const labelled = labelledLines(lineage, await verdictsOn(this.database, view, repository, origins));
    const authors = await authorsOf(this.database, view, repository, [
      ...new Set(origins.map(({ commit }) => commit)),
    ]);
    return labelled.map((lines) => {
      const { origin } = lines;
      const author = origin && authors.get(origin.commit);
      const isSeen = view.userIds === null || (author && view.userIds.includes(author.user_id));
      if (!origin || !isSeen) return { ...withoutOrigin(lines), origin: null };
      return {
        ...withoutOrigin(lines),
        ...fieldsOf(lines),
        origin: {
          ...origin,
          author: author?.author_name ?? null,
          userId: author?.user_id ?? null,
          at: author?.authored_at.toISOString() ?? null,
        },
      };
    });
  }

  private async textOf(file: AskedFile): Promise<Pick<FileLinesAnswer, 'text' | 'textMissing'>> {
    const { principal, view, repository, sha, path } = file;
    // A personal key has come so far only where its person works.
    if (view.userIds === null && !hasScope(principal, 'code')) return missingText('scope');
    const read = await this.texts.read({ orgId: view.orgId, repository }, { sha, path });
    if (read.kind !== 'text') return missingText(read.kind);
    const { orgId } = view;
    await noteCodeRead(this.database, { orgId, readBy: actorOf(principal), repository, sha, path });
    return { text: [...read.lines], textMissing: null };
  }
}

function missingText(textMissing: FileLinesAnswer['textMissing']) {
  return { text: null, textMissing };
}

function withoutOrigin({ start, count, kind }: LabelledLines) {
  return {
    start,
    count,
    kind,
    copiedFrom: null,
    evidence: null,
    confidence: null,
    codeId: null,
    source: null,
    model: null,
    words: null,
    explanations: [],
  };
}

function fieldsOf({ copiedFrom, range }: LabelledLines) {
  return { copiedFrom: copiedFrom ?? null, ...range };
}

function excludedLines(count: number): FileLineRange[] {
  if (count === 0) return [];
  const lines = { start: 0, count, kind: 'excluded' as const, origin: undefined };
  return [{ ...withoutOrigin({ ...lines, copiedFrom: undefined, range: undefined }), origin: null }];
}

function linesIn(lines: readonly FileLineRange[]): number {
  return lines.reduce((sum, { count }) => sum + count, 0);
}

function noLedger(repository: string): HttpProblem {
  return new HttpProblem(
    404,
    'ledger-unknown',
    'No lines of that repository',
    `Nothing is known of the lines of ${repository}: its default branch has not been told, or this key may not see it. POST /api/v1/refs tells it, and so do lineprint push, backfill and connected repositories.`,
  );
}

function unfollowed({ sha, repository }: AskedFile): HttpProblem {
  return new HttpProblem(
    404,
    'commit-unfollowed',
    'No lines of that commit',
    `Commit ${sha} of ${repository} is in the history of no branch that counts, or has not been followed yet. GET /api/v1/commits/${sha}/lines answers the lines that it added; leave commit out for the default branch.`,
  );
}

function unknownFile({ path, sha, repository }: AskedFile): HttpProblem {
  return new HttpProblem(
    404,
    'file-unknown',
    'No such file',
    `${path} has no lines at ${sha} of ${repository}: it is not there, empty, binary, or does not count. GET /api/v1/files lists those at the tip.`,
  );
}
