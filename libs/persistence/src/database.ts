/** A value that a query takes. Arrays serve `UNNEST($1::bytea[])` and its like. */
export type SqlValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Date
  | Uint8Array
  | readonly (string | number | bigint | boolean | null | Date | Uint8Array)[];

export type Row = Record<string, unknown>;

export interface Queryable {
  /**
   * Runs one statement. Columns come back the same from both adapters: int8 and numeric as number,
   * timestamptz as Date, date as `YYYY-MM-DD`, bytea as Uint8Array, json as parsed value.
   */
  query<R extends Row = Row>(sql: string, params?: readonly SqlValue[]): Promise<R[]>;
}

/**
 * An open transaction. Its statements run one after the other. A statement that fails dooms it: even if
 * `work` catches the error, the transaction rolls back with it.
 */
export interface Transaction extends Queryable {
  /** Runs a script of several statements without parameters (migrations). */
  script(sql: string): Promise<void>;
}

/** The database port: PGlite in process, or Postgres. */
export interface Database extends Queryable {
  readonly kind: 'pglite' | 'postgres';
  /**
   * Runs `work` in one transaction; it commits when `work` resolves and rolls back when it throws. Inside,
   * only `tx` may be used: the database itself refuses, since PGlite's one connection would wait for ever.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Runs a script of several statements without parameters (migrations). */
  script(sql: string): Promise<void>;
  /** Resolves when the database answers; throws a transient StoreError when it does not. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
