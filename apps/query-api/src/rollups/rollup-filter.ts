import type { SqlValue } from '@lineprint/persistence';
import type { Period } from '../stats/period';

/** Which rows of results, and of what is summed of them, count. */
export interface RollupFilter {
  readonly orgId: string;
  readonly policyId: string | null;
  readonly period: Period;
  /** All addresses of the people whose rows count; null for everybody's. */
  readonly userIds: readonly string[] | null;
  readonly projectId: string | null;
  readonly repository: string | null;
  readonly language: string | null;
  /** Which AI lines count as such; all other lines do as well, but as nobody's. */
  readonly source: string | null;
  readonly model: string | null;
}

/** SQL that is built with its parameters. */
export class Conditions {
  readonly values: SqlValue[] = [];
  private readonly conditions: string[] = [];

  /** The parameter's name in the statement. */
  parameter(value: SqlValue, type: string): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }

  add(condition: string): void {
    this.conditions.push(condition);
  }

  get sql(): string {
    return this.conditions.join(' AND ');
  }
}

/**
 * Rows of a table of sums: of the people in question, of everybody in a project, or of the organisation, whichever has
 * the fewest rows that say it.
 */
export function summedRows(filter: RollupFilter): Conditions {
  const conditions = policyDays(filter, 'date');
  const { userIds, projectId, repository } = filter;
  if (userIds !== null) {
    conditions.add(`user_id = ANY (${conditions.parameter(userIds, 'text[]')})`);
    if (projectId !== null) conditions.add(`project_id = ${conditions.parameter(projectId, 'text')}`);
  } else {
    conditions.add(`user_id = ''`);
    if (projectId !== null) conditions.add(`project_id = ${conditions.parameter(projectId, 'text')}`);
    else conditions.add(repository === null ? `project_id = ''` : `project_id <> ''`);
  }
  return conditions;
}

/** The same rows of the results themselves. */
export function resultRows(filter: RollupFilter): Conditions {
  const conditions = policyDays(filter, 'day');
  const { userIds, projectId } = filter;
  if (userIds !== null) conditions.add(`user_id = ANY (${conditions.parameter(userIds, 'text[]')})`);
  if (projectId !== null) conditions.add(`project_id = ${conditions.parameter(projectId, 'text')}`);
  narrowLines(conditions, filter);
  return conditions;
}

/** Leaves lines of the repository and the language alone. */
export function narrowLines(conditions: Conditions, { repository, language }: RollupFilter): void {
  if (repository !== null) conditions.add(`repository = ${conditions.parameter(repository, 'text')}`);
  if (language !== null) conditions.add(`language = ${conditions.parameter(language, 'text')}`);
}

/** SQL that is true where AI lines of a row count as such. */
export function countsAsAi(
  conditions: Conditions,
  { source, model }: RollupFilter,
  sourceColumn: string,
): string {
  const wanted = [
    ...(source === null ? [] : [`${sourceColumn} = ${conditions.parameter(source, 'text')}`]),
    ...(model === null ? [] : [`model = ${conditions.parameter(model, 'text')}`]),
  ];
  return wanted.length === 0 ? 'TRUE' : `COALESCE(${wanted.join(' AND ')}, FALSE)`;
}

function policyDays({ orgId, policyId, period }: RollupFilter, date: string): Conditions {
  const conditions = new Conditions();
  conditions.add(`org_id = ${conditions.parameter(orgId, 'text')}`);
  conditions.add(`policy_id = ${conditions.parameter(policyId, 'text')}`);
  const start = conditions.parameter(period.start, 'date');
  conditions.add(`${date} BETWEEN ${start} AND ${conditions.parameter(period.end, 'date')}`);
  return conditions;
}
