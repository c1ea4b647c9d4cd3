import type { Queryable, Row } from '@lineprint/persistence';

/** Rows of a person: `type` names them in an export. */
interface PersonTable {
  readonly type: string;
  readonly table: string;
  /** Whose a row is. */
  readonly person: string;
  /** What the rows are ordered by and tells them apart, with its type. */
  readonly key: readonly (readonly [column: string, type: string])[];
  /** Left out: places in the log. */
  readonly without?: readonly string[];
}

const TABLES: readonly PersonTable[] = [
  {
    type: 'identity',
    table: 'identities',
    person: 'user_id',
    key: [
      ['user_id', 'text'],
      ['name', 'text'],
      ['declared', 'boolean'],
    ],
  },
  { type: 'alias', table: 'person_aliases', person: 'alias', key: [['alias', 'text']] },
  {
    type: 'team',
    table: 'team_members',
    person: 'person_id',
    key: [
      ['team_id', 'text'],
      ['person_id', 'text'],
    ],
  },
  {
    type: 'commit',
    table: 'commits',
    person: 'user_id',
    key: [
      ['repository', 'text'],
      ['sha', 'text'],
    ],
  },
  { type: 'result', table: 'ai_attribution_results', person: 'user_id', key: [['id', 'bigint']] },
  { type: 'day', table: 'ai_attribution_daily', person: 'user_id', key: [['id', 'bigint']] },
  { type: 'session', table: 'activity_sessions', person: 'user_id', key: [['session_id', 'text']] },
  {
    type: 'snippet',
    table: 'ai_code_fingerprints',
    person: 'user_id',
    key: [
      ['created_at', 'timestamptz'],
      ['code_id', 'text'],
    ],
    without: ['log_partition', 'log_offset'],
  },
  { type: 'code-read', table: 'code_reads', person: 'read_by', key: [['id', 'bigint']] },
];

const PAGE = 1_000;

/**
 * Everything that is stored of a person, a JSON value a line: first the person, then rows by their type, last `end`. Prints of
 * snippets are keyed hashes in hex, code as it is stored.
 *
 * @param addresses all of the person's, in lower case
 */
export async function* personLines(
  queryable: Queryable,
  orgId: string,
  person: object,
  addresses: readonly string[],
): AsyncGenerator<string, void, undefined> {
  yield line({ type: 'person', ...person });
  for (const table of TABLES) {
    for await (const row of rowsOf(queryable, table, orgId, addresses))
      yield line({ type: table.type, ...row });
  }
  yield line({ type: 'end' });
}

const line = (value: object): string => `${JSON.stringify(value)}\n`;

async function* rowsOf(
  queryable: Queryable,
  { table, person, key, without = [] }: PersonTable,
  orgId: string,
  addresses: readonly string[],
): AsyncGenerator<Row, void, undefined> {
  const columns = key.map(([column]) => column).join(', ');
  const types = key.map(([, type], i) => `$${i + 3}::${type}`).join(', ');
  let last: Row | undefined;
  for (;;) {
    const rows: { row: Row; key: Row }[] = await queryable.query(
      `SELECT to_jsonb(t) ${['org_id', ...without].map((column) => `- '${column}'`).join(' ')} AS row,
              to_jsonb(t) AS key
         FROM ${table} t
        WHERE org_id = $1 AND LOWER(${person}) = ANY ($2::text[]) ${last ? `AND (${columns}) > (${types})` : ''}
        ORDER BY ${columns} LIMIT ${PAGE}`,
      [orgId, addresses, ...(last ? key.map(([column]) => String(last![column])) : [])],
    );
    for (const { row } of rows) yield row;
    if (rows.length < PAGE) return;
    last = rows.at(-1)!.key;
  }
}
