import { Controller, Get, Inject, Query } from '@nestjs/common';
import { TENANT_DATABASE, type Database, resolvePeople } from '@lineprint/persistence';
import { CurrentPrincipal, Scopes, type Principal, WithinProjects } from '@lineprint/platform';
import { z } from 'zod';
import { CLOCK, type Clock } from '../clock';
import { AnswersCsv, type Table } from '../csv';
import { Cursor } from '../cursor';
import { ratio, weightedLines } from '../figures';
import { groupRows } from '../group-rows';
import { DescribesAnswer } from '../openapi/describe';
import { parseParameters } from '../parameters';
import { countedPeople } from '../people-filter';
import { requireOwnProject } from '../project-access';
import type { RollupFilter } from '../rollups/rollup-filter';
import { periodOf } from '../stats/period-parameters';
import { loadTenantView } from '../tenant-view';
import {
  allLines,
  dailyBy,
  type DailyOfKey,
  exclusions,
  linesByModel,
  linesByRepository,
  type LinesOfKey,
  topFiles,
} from './breakdowns.queries';
import {
  breakdownParameters,
  type BreakdownParameters,
  exclusionListAnswer,
  type ExclusionListAnswer,
  exclusionParameters,
  type LineFigures,
  modelListAnswer,
  type ModelListAnswer,
  personListAnswer,
  type PersonListAnswer,
  projectListAnswer,
  type ProjectListAnswer,
  repositoryListAnswer,
  type RepositoryListAnswer,
  topFilesAnswer,
  type TopFilesAnswer,
  topFilesParameters,
  wholeListParameters,
} from './breakdowns.schema';

const keyCursor = new Cursor(z.tuple([z.int(), z.string()]));
const fileCursor = new Cursor(z.tuple([z.int(), z.string(), z.string()]));

type AskedLines = Pick<BreakdownParameters, 'period' | 'start_date' | 'end_date' | 'team' | 'policy'> & {
  readonly project_id?: string | undefined;
  readonly user_id?: string | undefined;
  readonly repository?: string | undefined;
  readonly language?: string | undefined;
};

/** The lines of some days by whose or where they are. */
@Controller('api/v1')
export class BreakdownsController {
  constructor(
    @Inject(TENANT_DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get('projects')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfProjects)
  @DescribesAnswer('Projects with their lines, the most first', projectListAnswer, breakdownParameters, {
    csv: true,
  })
  async projects(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<ProjectListAnswer> {
    const parameters = parseParameters(breakdownParameters, query);
    const filter = await this.asked(principal, parameters);
    const people = await resolvePeople(this.database, filter.orgId);
    const { page, next } = pageOf(await dailyBy(this.database, filter, 'project_id'), parameters);
    return {
      period: filter.period,
      projects: page.map((row) => ({
        projectId: row.key,
        ...lineFigures(row),
        commits: row.commits,
        people: new Set((row.people ?? []).map((userId) => people.personOf(userId).personId)).size,
      })),
      next,
    };
  }

  @Get('repositories')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfRepositories)
  @DescribesAnswer(
    'Repositories with their lines, the most first',
    repositoryListAnswer,
    breakdownParameters,
    { csv: true },
  )
  async repositories(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<RepositoryListAnswer> {
    const parameters = parseParameters(breakdownParameters, query);
    const filter = await this.asked(principal, parameters);
    const { page, next } = pageOf(await linesByRepository(this.database, filter), parameters);
    return {
      period: filter.period,
      repositories: page.map((row) => ({
        repository: row.key,
        ...lineFigures(row),
        defaultBranch: row.default_ref,
      })),
      next,
    };
  }

  @Get('people')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfPeople)
  @DescribesAnswer('People with their lines, the most first', personListAnswer, breakdownParameters, {
    csv: true,
  })
  async people(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<PersonListAnswer> {
    const parameters = parseParameters(breakdownParameters, query);
    const filter = await this.asked(principal, parameters);
    const people = await resolvePeople(this.database, filter.orgId);
    const rows = await dailyBy(this.database, filter, 'user_id');
    const persons = [...groupRows(rows, ({ key }) => people.personOf(key).personId)];
    const { page, next } = pageOf(
      persons.map(([key, own]) => sumOf(key, own)),
      parameters,
    );
    return {
      period: filter.period,
      people: page.map((row) => {
        const { personId, name, kind } = people.personOf(row.key);
        return {
          personId,
          name,
          kind,
          ...lineFigures(row),
          commits: row.commits,
          suggestionsShown: row.suggestions_shown,
          suggestionsAccepted: row.suggestions_accepted,
          chatEdits: row.chat_edits,
          agentTasks: row.agent_tasks,
        };
      }),
      next,
    };
  }

  @Get('models')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfModels)
  @DescribesAnswer('AI lines by the model that they came from', modelListAnswer, wholeListParameters, {
    csv: true,
  })
  async models(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<ModelListAnswer> {
    const filter = await this.asked(principal, parseParameters(wholeListParameters, query));
    const totalLines = await allLines(this.database, filter);
    const rows = await linesByModel(this.database, filter);
    return {
      period: filter.period,
      totalLines,
      models: rows.map(({ model, source, preserved, modified, high }) => {
        const weighted = weightedLines(preserved, modified);
        const lines = preserved + modified;
        return {
          model: model === '' ? null : model,
          source,
          lines,
          preserved,
          modified,
          weighted,
          kept: ratio(weighted, lines),
          share: ratio(weighted, totalLines),
          high,
        };
      }),
    };
  }

  @Get('exclusions')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfExclusions)
  @DescribesAnswer('Files that did not count, by why', exclusionListAnswer, exclusionParameters, {
    csv: true,
  })
  async exclusions(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<ExclusionListAnswer> {
    const filter = await this.asked(principal, parseParameters(exclusionParameters, query));
    return { period: filter.period, exclusions: await exclusions(this.database, filter) };
  }

  @Get('top-files')
  @Scopes('read')
  @WithinProjects('project_id')
  @AnswersCsv(tableOfFiles)
  @DescribesAnswer('Files by the lines that they got, the most first', topFilesAnswer, topFilesParameters, {
    csv: true,
  })
  async topFiles(
    @CurrentPrincipal() principal: Principal,
    @Query() query: Record<string, unknown>,
  ): Promise<TopFilesAnswer> {
    const parameters = parseParameters(topFilesParameters, query);
    const { sort, after, limit } = parameters;
    const filter = await this.asked(principal, parameters);
    // One more than asked says whether there is a next page.
    const rows = await topFiles(this.database, filter, {
      sort,
      after: after === undefined ? null : fileCursor.decode(after),
      limit: limit + 1,
    });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return {
      period: filter.period,
      files: page.map((row) => ({
        repository: row.repository,
        path: row.path,
        language: row.language,
        ...lineFigures(row),
        commits: row.commits,
        people: row.people,
        lastDay: row.last_day,
      })),
      next: last ? fileCursor.encode([last.rank, last.repository, last.path]) : null,
    };
  }

  /** @throws HttpProblem 403 `project-forbidden`, `person-forbidden`, 404 `policy-unknown`, `team-unknown` */
  private async asked(principal: Principal, parameters: AskedLines): Promise<RollupFilter> {
    const { project_id, user_id, team, policy, repository = null, language = null } = parameters;
    if (project_id !== undefined) await requireOwnProject(this.database, principal, project_id);
    const view = await loadTenantView(this.database, principal, policy);
    const { userIds } = await countedPeople(this.database, view, { person: user_id, team });
    return {
      orgId: view.orgId,
      policyId: view.policyId,
      period: periodOf(parameters, view, this.clock()),
      userIds,
      projectId: project_id ?? null,
      repository,
      language,
      source: null,
      model: null,
    };
  }
}

function lineFigures({ preserved, modified, human }: LinesOfKey): LineFigures {
  const lines = preserved + modified + human;
  const weighted = weightedLines(preserved, modified);
  return { lines, preserved, modified, human, weighted, ratio: ratio(weighted, lines) };
}

/** The rows of all addresses of a person as one. */
function sumOf(key: string, rows: readonly DailyOfKey[]): DailyOfKey {
  const sum = (of: (row: DailyOfKey) => number) => rows.reduce((total, row) => total + of(row), 0);
  return {
    key,
    people: [],
    preserved: sum((row) => row.preserved),
    modified: sum((row) => row.modified),
    human: sum((row) => row.human),
    commits: sum((row) => row.commits),
    suggestions_shown: sum((row) => row.suggestions_shown),
    suggestions_accepted: sum((row) => row.suggestions_accepted),
    chat_edits: sum((row) => row.chat_edits),
    agent_tasks: sum((row) => row.agent_tasks),
  };
}

/** A page of rows by their lines, the most first, then by key in the order of its bytes. */
function pageOf<R extends LinesOfKey>(
  rows: readonly R[],
  { after, limit }: { readonly after?: string | undefined; readonly limit: number },
): { page: R[]; next: string | null } {
  const linesOf = ({ preserved, modified, human }: R) => preserved + modified + human;
  const compare = (a: R, b: R) => linesOf(b) - linesOf(a) || (a.key < b.key ? -1 : 1);
  const [lines, key] = after === undefined ? [Infinity, ''] : keyCursor.decode(after);
  const rest = rows
    .filter((row) => linesOf(row) < lines || (linesOf(row) === lines && row.key > key))
    .sort(compare);
  const page = rest.slice(0, limit);
  const last = rest.length > limit ? page.at(-1) : undefined;
  return { page, next: last ? keyCursor.encode([linesOf(last), last.key]) : null };
}

const FIGURES = ['lines', 'preserved', 'modified', 'human', 'weighted', 'ratio'] as const;

function tableOf<R extends object, C extends keyof R & string>(
  rows: readonly R[],
  columns: readonly C[],
): Table {
  return { columns, rows: rows.map((row) => columns.map((column) => row[column] as string | number | null)) };
}
function tableOfProjects({ projects }: ProjectListAnswer): Table {
  return tableOf(projects, ['projectId', ...FIGURES, 'commits', 'people']);
}
function tableOfRepositories({ repositories }: RepositoryListAnswer): Table {
  return tableOf(repositories, ['repository', ...FIGURES, 'defaultBranch']);
}
function tableOfPeople({ people }: PersonListAnswer): Table {
  return tableOf(people, [
    ...(['personId', 'name', 'kind', ...FIGURES, 'commits'] as const),
    ...(['suggestionsShown', 'suggestionsAccepted', 'chatEdits', 'agentTasks'] as const),
  ]);
}
function tableOfModels({ models }: ModelListAnswer): Table {
  const lines = ['lines', 'preserved', 'modified', 'weighted', 'kept', 'share', 'high'] as const;
  return tableOf(models, ['model', 'source', ...lines]);
}
function tableOfExclusions(answer: ExclusionListAnswer): Table {
  return tableOf(answer.exclusions, ['reason', 'files', 'changes', 'lines']);
}
function tableOfFiles({ files }: TopFilesAnswer): Table {
  return tableOf(files, ['repository', 'path', 'language', ...FIGURES, 'commits', 'people', 'lastDay']);
}
