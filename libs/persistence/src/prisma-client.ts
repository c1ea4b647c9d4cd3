import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { LineprintError } from '@lineprint/platform';
import type { Database } from './database';
import { PrismaClient } from './generated/prisma/client';
import { PGliteDatabase } from './pglite-database';
import { PostgresDatabase } from './postgres-database';

export type { PrismaClient } from './generated/prisma/client';

function adapterOf(database: Database) {
  if (database instanceof PostgresDatabase) return new PrismaPg(database.pool);
  if (database instanceof PGliteDatabase) return new PrismaPGlite(database.pglite);
  throw new LineprintError('database-unknown', 'Prisma needs a database that openDatabase has opened');
}

/**
 * A Prisma client over the database's own connections; closing the database ends it. Not for use inside a
 * `transaction` of the database: on PGlite it would wait for that transaction to end.
 */
export function prismaClient(database: Database): PrismaClient {
  return new PrismaClient({ adapter: adapterOf(database) });
}
