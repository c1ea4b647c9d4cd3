import { type Database, MIGRATIONS_DIRECTORY, migrate, openDatabase } from '@lineprint/persistence';
import { outboxConformance } from './outbox-conformance';

jest.setTimeout(60_000);

let database: Database;

beforeAll(async () => {
  database = await openDatabase('pglite:memory');
  await migrate(database, MIGRATIONS_DIRECTORY);
});

afterAll(async () => {
  await database.close();
});

outboxConformance('PGlite', () => database);
