import { computeLinePrints, deriveLineKey, encodeLinePrints, type LinePrint } from '@lineprint/fingerprint';
import {
  type Database,
  insertSnippets,
  MIGRATIONS_DIRECTORY,
  migrate,
  openDatabase,
  type SnippetRow,
} from '@lineprint/persistence';
import { array, assert, asyncProperty, integer, tuple } from 'fast-check';
import { OrganisationFrequency } from './organisation-frequency';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');
const LINES = ['const berth = quay.find(ship);', 'return tide(berth, 3);', 'throw new Error("aground");'];
const PRINTS = LINES.map((line) => computeLinePrints(line, 'typescript', key)[0]!);

interface Accepted {
  readonly partition: number;
  readonly offset: number;
  /** Which of LINES it has. */
  readonly lines: readonly number[];
  readonly daysAgo: number;
  readonly orgId: string;
  readonly keyId: string;
}

/** Snippets in two partitions; every seventh offset belongs to another organisation, or has another key. */
const ACCEPTED: Accepted[] = Array.from({ length: 60 }, (_, i) => ({
  partition: i % 2,
  offset: Math.floor(i / 2) * 3,
  lines: [0, 1, 2].filter((line) => (i >> line) % 2 === 0),
  daysAgo: (i * 7) % 140,
  orgId: i % 7 === 3 ? 'island' : 'harbour',
  keyId: i % 7 === 5 ? 'lk_other' : key.keyId,
}));

function row({ partition, offset, lines, daysAgo, orgId, keyId }: Accepted): SnippetRow {
  const prints: LinePrint[] = lines.map((line, i) => ({ ...PRINTS[line]!, line: i }));
  return {
    codeId: `s-${partition}-${offset}`,
    sessionId: 'session',
    userId: 'ada@example.org',
    projectId: 'desk',
    orgId,
    source: 'agent',
    signature: new Uint8Array(512),
    lshBuckets: new Uint8Array(64),
    language: 'typescript',
    fileExtension: 'ts',
    lineCount: lines.length,
    charCount: 10,
    structureHash: '0123456789abcdef',
    rawCodeEncrypted: null,
    protocol: 2,
    repository: null,
    model: null,
    client: null,
    editKind: null,
    acceptedPartially: null,
    declaredBy: null,
    astSignature: null,
    partition,
    offset,
    createdAt: new Date(NOW - daysAgo * DAY),
    keyId,
    linePrints: encodeLinePrints(prints),
    pathKey: null,
    before: null,
    after: null,
  };
}

describe("the counts of an organisation's snippets", () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase('pglite:memory');
    await migrate(database, MIGRATIONS_DIRECTORY);
    await insertSnippets(database, ACCEPTED.map(row));
  }, 60_000);
  afterAll(() => database.close());

  const epochOf = (time: number) => Math.floor(time / (30 * DAY));
  function expected(horizon: readonly number[], committedAt: number): number[] {
    return LINES.map(
      (_, line) =>
        ACCEPTED.filter(
          ({ partition, offset, lines, daysAgo, orgId, keyId }) =>
            orgId === 'harbour' &&
            keyId === key.keyId &&
            lines.includes(line) &&
            offset < (horizon[partition] ?? 0) &&
            epochOf(NOW - daysAgo * DAY) >= epochOf(committedAt - 90 * DAY) &&
            epochOf(NOW - daysAgo * DAY) <= epochOf(committedAt + 60_000),
        ).length,
    );
  }
  async function counted(
    frequency: OrganisationFrequency,
    horizon: readonly number[],
    committedAt = NOW,
  ): Promise<number[]> {
    const lines = await frequency.at('harbour', key.keyId, horizon, committedAt);
    return PRINTS.map(({ h1 }) => lines.exact(h1));
  }

  it('are exact at every horizon, whichever came before', async () => {
    const horizon = tuple(integer({ min: 0, max: 95 }), integer({ min: 0, max: 95 }));
    await assert(
      asyncProperty(
        array(tuple(horizon, integer({ min: -60, max: 120 })), { minLength: 1, maxLength: 6 }),
        async (moves) => {
          const frequency = new OrganisationFrequency(database, { maxBytes: 1_000_000, minMoves: 20 });
          for (const [to, days] of moves) {
            const committedAt = NOW - days * DAY;
            expect(await counted(frequency, to, committedAt)).toEqual(expected(to, committedAt));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are stored now and then, by one process at a time, and go on from there after a restart', async () => {
    const limits = { maxBytes: 1_000_000, minMoves: 1 };
    await database.query('DELETE FROM organisation_line_counts');
    await database.query('DELETE FROM organisation_line_epochs');
    const [one, two] = [
      new OrganisationFrequency(database, limits),
      new OrganisationFrequency(database, limits),
    ];
    await counted(two, [1]);
    await counted(one, [90, 90]);
    expect(await counted(two, [80, 80])).toEqual(expected([80, 80], NOW));
    const stored = await database.query('SELECT version, next_offsets FROM organisation_line_counts');
    expect(stored).toEqual([{ version: 1, next_offsets: [90, 90] }]);
    const reads: number[] = [];
    const watched: Database = {
      kind: database.kind,
      query: (sql, params = []) => {
        if (sql.includes('f.log_offset >= $3')) reads.push(...params.slice(2, 4).map(Number));
        return database.query(sql, params);
      },
      transaction: (work) => database.transaction(work),
      script: (sql) => database.script(sql),
      ping: () => database.ping(),
      close: () => Promise.resolve(),
    };
    const restarted = new OrganisationFrequency(watched, limits);
    expect(await counted(restarted, [75, 5])).toEqual(expected([75, 5], NOW));
    expect(reads).toEqual([75, 90, 5, 90]);
  });

  it('hold the shapes of lines as well', async () => {
    const lines = await new OrganisationFrequency(database).at('harbour', key.keyId, [95, 95], NOW);
    expect(PRINTS.map(({ h2 }) => lines.abstract(h2))).toEqual(expected([95, 95], NOW));
  });

  it('are those of one organisation, also where another was counted in between and memory is short', async () => {
    const frequency = new OrganisationFrequency(database, { maxBytes: 1, minMoves: 10_000 });
    expect(await counted(frequency, [50, 50])).toEqual(expected([50, 50], NOW));
    await frequency.at('island', key.keyId, [95, 95], NOW);
    expect(await counted(frequency, [60])).toEqual(expected([60], NOW));
  });
});
