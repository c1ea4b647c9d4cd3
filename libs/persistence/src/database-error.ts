import { isNativeError } from 'node:util/types';
import { LineprintError, StoreError } from '@lineprint/platform';

/** The database refused a statement (constraint, syntax, missing table): sending it again will not help. */
export class SqlError extends LineprintError {
  /** Five characters, see the appendix "PostgreSQL Error Codes" of its manual. */
  readonly sqlState: string;
  readonly constraint: string | undefined;

  constructor(sqlState: string, message: string, constraint: string | undefined, cause: unknown) {
    super(`sql-${sqlState}`, message, { cause });
    this.sqlState = sqlState;
    this.constraint = constraint;
  }
}

/** Of pg, PGlite or node's sockets; told by its shape, for PGlite's classes are its own. */
interface DriverError {
  message: string;
  code?: string;
  severity?: string;
  constraint?: string;
  query?: unknown;
  params?: unknown;
  queryOptions?: unknown;
  detail?: unknown;
  where?: unknown;
}

/** Serialization failure, deadlock, lock not available. */
const CONFLICT = new Set(['40001', '40P01', '55P03']);

/**
 * Connection exceptions; shutting down or starting up; out of resources; operator cancelled; a session that idled
 * too long; a standby that a failover left behind; a failing disk or server. And what an administrator has to put
 * right: a password that was changed, a database or a permission that is missing. None of it is the statement's
 * fault, and a consumer that took it for that would dead-letter its whole topic.
 */
const UNAVAILABLE = /^(08...|25006|25P0[34]|28...|3D000|42501|53...|57014|57P0[1-5]|58...|F0...|XX00[12])$/;

/** What the drivers say, without an SQLSTATE, when a connection is refused, breaks, or is not there any more. */
const BROKEN =
  /connection|timeout|socket|ended|not queryable|PGlite is clos|Cannot use a pool after calling end/i;

function isSystemCode(code: string | undefined): boolean {
  return code !== undefined && /^(E[A-Z]{3,}|EAI_\w+)$/.test(code);
}

/**
 * Turns a driver's error into ours: `database-unavailable` and `database-conflict` are transient StoreErrors,
 * any other SQLSTATE is an SqlError. What did not come from the database passes through unchanged.
 */
export function databaseError(error: unknown): unknown {
  if (error instanceof LineprintError || !isNativeError(error)) return error;
  const failure: DriverError = error;
  // PGlite hangs the parameters on its errors, and Postgres says which row it refused: they may be secrets or code, and
  // causes are logged.
  delete failure.params;
  delete failure.query;
  delete failure.queryOptions;
  delete failure.detail;
  delete failure.where;
  const { code, message } = failure;
  if (failure.severity !== undefined && code !== undefined) {
    if (CONFLICT.has(code)) return new StoreError('database-conflict', message, error);
    if (UNAVAILABLE.test(code)) return new StoreError('database-unavailable', message, error);
    return new SqlError(code, message, failure.constraint, error);
  }
  if (isSystemCode(code) || BROKEN.test(message)) {
    return new StoreError('database-unavailable', message || `The database did not answer (${code})`, error);
  }
  return error;
}

/** Awaits a driver's answer with its errors turned into ours. */
export async function fromDriver<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw databaseError(error);
  }
}
