import { AsyncLocalStorage } from 'node:async_hooks';
import { LineprintError } from '@lineprint/platform';
import type { Database, Row, SqlValue, Transaction } from './database';
import { fromDriver } from './database-error';

/** The adapter's connection inside BEGIN and COMMIT; throws what the driver throws. */
export interface Session {
  query(sql: string, params: readonly SqlValue[]): Promise<Row[]>;
  script(sql: string): Promise<void>;
}

interface Scope {
  readonly database: Database;
  open: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * Throws where a transaction's `work` uses the database instead of its `tx`: on PGlite it would wait for
 * itself, on Postgres it would not be part of the transaction.
 */
export function refuseInsideTransaction(database: Database): void {
  const scope = scopes.getStore();
  if (scope?.open && scope.database === database) {
    throw new LineprintError(
      'database-nested-use',
      'The database was used inside its own transaction: use the `tx` that the transaction passes to its work',
    );
  }
}

/**
 * Runs `work` on a session in which BEGIN has been sent. Statements run one after the other, also those that
 * `work` did not await; the first that failed is thrown at the end, since Postgres would answer the COMMIT
 * of a failed transaction with a silent ROLLBACK.
 */
export async function runWork<T>(
  database: Database,
  session: Session,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const scope: Scope = { database, open: true };
  let last: Promise<unknown> = Promise.resolve();
  let failure: { readonly error: unknown } | undefined;

  function next<A>(statement: () => Promise<A>): Promise<A> {
    const answer = last.then(async () => {
      if (!scope.open) {
        throw new LineprintError('transaction-closed', 'The transaction was used after it had ended');
      }
      try {
        return await fromDriver(statement());
      } catch (error) {
        failure ??= { error };
        throw error;
      }
    });
    last = answer.catch(() => undefined);
    return answer;
  }

  const tx: Transaction = {
    query: <R extends Row>(sql: string, params: readonly SqlValue[] = []) =>
      next(() => session.query(sql, params) as Promise<R[]>),
    script: (sql) => next(() => session.script(sql)),
  };
  try {
    const result = await scopes.run(scope, () => work(tx));
    await last;
    if (failure !== undefined) throw failure.error;
    return result;
  } finally {
    scope.open = false;
    await last;
  }
}
