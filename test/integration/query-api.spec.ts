import { randomUUID } from 'node:crypto';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import { createPolicy, createTeam, openDatabase, storeMailmap, type Database } from '@lineprint/persistence';
import type { FlippedLinesAnswer } from '../../apps/query-api/src/policies/diff.schema';
import { exportLines } from '../../apps/query-api/src/export/export.lines';
import { summaryAnswer } from '../../apps/query-api/src/summary/summary.schema';
import { statsAnswer } from '../../apps/query-api/src/stats/stats.schema';
import { seedExport } from '../../apps/query-api/src/testing/export-input';
import { runApi, type RunningApi } from '../../apps/query-api/src/testing/running-api';
import { seedRandomLedger } from '../../apps/query-api/src/testing/random-ledger';
import { openSeededDatabase, seedCommit } from '../../apps/query-api/src/testing/seed';
import { seedRuns } from '../../apps/query-api/src/testing/seed-ledger';

function postgresUrl(): string {
  const url = process.env['LINEPRINT_TEST_POSTGRES_URL'];
  if (!url) throw new Error('LINEPRINT_TEST_POSTGRES_URL must name a Postgres server; `npm test` starts one');
  return url;
}

const name = `lineprint_query_${randomUUID().replaceAll('-', '')}`;
let administration: Database;
let stores: { postgres: Database; pglite: Database };
let apis: { postgres: RunningApi; pglite: RunningApi };

beforeAll(async () => {
  administration = await openDatabase(postgresUrl());
  // A locale that sorts otherwise than bytes do, as most production databases have.
  await administration.script(
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
  );
  const url = new URL(postgresUrl());
  url.pathname = `/${name}`;
  stores = {
    postgres: await openSeededDatabase('Europe/Berlin', url.href),
    pglite: await openSeededDatabase('Europe/Berlin'),
  };
  await seedExport(stores.postgres, 'forwards');
  await seedExport(stores.pglite, 'backwards');
  for (const database of Object.values(stores)) {
    await seedRandomLedger(database, 3);
    await seedRuns(database, 'src/Z.ts', [
      { count: 9, commit: '0b'.padEnd(40, '0'), path: 'src/ähnlich.ts', line: 1 },
      { count: 2 },
    ]);
    await createTeam(database, 'acme', { teamId: 'core', name: 'Core', members: ['zoe@laptop.local'] });
    await storeMailmap(database, 'acme', 'acme/shop', [
      { properName: 'Zoë', properEmail: 'zoe@acme.dev', commitName: null, commitEmail: 'ZOE@laptop.local' },
    ]);
    await createPolicy(database, 'acme', { ...DEFAULT_POLICY, id: 'strict' });
    await seedCommit(database, {
      sha: '0b'.padEnd(40, '0'),
      day: '2026-05-01',
      policy: 'strict',
      files: [
        { path: 'src/ähnlich.ts', excluded: 'organisation', added: 4 },
        {
          path: 'src/Zebra.ts',
          results: [{ source: 'tab', confidence: 'LOW', preserved: 1 }, { human: 2 }],
          lines: [
            { start: 0, count: 1, kind: 'P', result: 0 },
            { start: 1, count: 2, kind: 'H', result: 1 },
          ],
        },
      ],
    });
  }
  const now = { at: '2026-05-02T10:00:00Z' };
  apis = { postgres: await runApi(stores.postgres, now), pglite: await runApi(stores.pglite, now) };
});

afterAll(async () => {
  await apis.postgres.close();
  await apis.pglite.close();
  await stores.postgres.close();
  await stores.pglite.close();
  await administration.script(`DROP DATABASE ${name}`);
  await administration.close();
});

async function textOf(database: Database): Promise<string> {
  let text = '';
  const view = {
    orgId: 'acme',
    person: null,
    userIds: null,
    projects: null,
    policyId: 'default',
    timeZone: 'Europe/Berlin',
    weekStart: 1,
  };
  for await (const line of exportLines(database, view, null)) text += line;
  return text;
}

describe('query-api on Postgres', () => {
  it('exports the bytes that PGlite exports for the same input', async () => {
    const text = await textOf(stores.postgres);
    expect(text).toContain('"evidence_bits":43.21,');
    expect(text).toBe(await textOf(stores.pglite));
  });

  it.each([
    '/api/v1/stats/ai-attribution?scope=organization&period=30d&granularity=week',
    '/api/v1/stats/ai-attribution?scope=personal&user_id=ada@acme.dev&period=7d&granularity=month',
    '/api/v1/stats/ai-attribution?scope=organization&period=30d&language=typescript&source=tab',
    '/api/v1/projects',
    '/api/v1/repositories?project_id=shop',
    '/api/v1/people?limit=1',
    '/api/v1/models',
    '/api/v1/exclusions',
    '/api/v1/top-files?limit=2',
    '/api/v1/data-quality',
    '/api/v1/identities?limit=2',
    '/api/v1/teams',
    '/api/v1/commits?team=core',
    '/api/v1/stats/ai-attribution?scope=organization&period=30d&team=core',
    '/api/v1/stats/ai-attribution?scope=personal&user_id=zoe@laptop.local&period=30d',
    '/api/v1/summary',
    '/api/v1/summary?repository=acme/shop&project_id=shop',
    '/api/v1/commits?limit=3',
    '/api/v1/commits?repository=acme/shop',
    `/api/v1/commits/${'0b'.padEnd(40, '0')}?repository=acme/shop`,
    `/api/v1/commits/${'0b'.padEnd(40, '0')}/lines?repository=acme/shop&path=src/%C3%A4hnlich.ts`,
    '/api/v1/head',
    '/api/v1/head?by=folder&repository=acme/shop&folder=src',
    '/api/v1/head?by=person&ref=refs/heads/next&repository=acme/shop',
    '/api/v1/files?repository=acme/shop&limit=3',
    '/api/v1/files?repository=acme/shop&sort=ratio&person=bob@acme.dev',
    '/api/v1/files?repository=acme/docs&sort=path',
    '/api/v1/files/lines?repository=acme/shop&path=src/Z.ts',
    '/api/v1/survival',
    '/api/v1/survival?by=model&project_id=docs&born_from=2026-03-01',
    '/api/v1/summary?policy=strict',
    '/api/v1/policies/default/diff/strict',
    '/api/v1/policies/strict/diff/default?repository=acme/shop',
  ])('answers %s as on PGlite', async (path) => {
    expect(await apis.postgres.json(path)).toEqual(await apis.pglite.json(path));
  });

  it('finds the lines that flip page by page, in the order that the database sorts paths in', async () => {
    const flipped = async (api: RunningApi) => {
      const files: FlippedLinesAnswer['files'] = [];
      for (let next: string | null = ''; next !== null;) {
        const page: FlippedLinesAnswer = await api.json(
          `/api/v1/policies/default/diff/strict/lines?limit=1${next && `&after=${next}`}`,
        );
        files.push(...page.files);
        next = page.next;
      }
      return files;
    };
    const [ours, theirs] = [await flipped(apis.postgres), await flipped(apis.pglite)];
    expect(ours).toHaveLength(2);
    expect(new Set(ours)).toEqual(new Set(theirs));
  });

  it('answers in the documented shapes', async () => {
    const stats = await apis.postgres.json('/api/v1/stats/ai-attribution?scope=organization&period=30d');
    expect(statsAnswer.parse(stats)).toEqual(stats);
    const summary = await apis.postgres.json('/api/v1/summary');
    expect(summaryAnswer.parse(summary)).toEqual(summary);
  });

  it('pages through commits in one order', async () => {
    const shas: string[] = [];
    let next: string | null = '';
    while (next !== null) {
      const page: { commits: { sha: string }[]; next: string | null } = await apis.postgres.json(
        `/api/v1/commits?limit=1${next && `&after=${next}`}`,
      );
      shas.push(...page.commits.map((commit) => commit.sha.slice(0, 2)));
      next = page.next;
    }
    expect(shas.sort()).toEqual(['01', '02', '0b', '9f', 'aa']);
  });
});
