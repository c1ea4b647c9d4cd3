import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { MailmapAnswer, MailmapConflict } from '@lineprint/contracts';
import { createApiKey, generateApiKey, openDatabase } from '@lineprint/persistence';
import type { Summary } from '../../apps/cli/src/api/read-client';
import type { IdentityAnswer } from '../../apps/query-api/src/identities/identities.schema';
import type { StatsAnswer } from '../../apps/query-api/src/stats/stats.schema';
import type { TeamAnswer, TeamListAnswer } from '../../apps/query-api/src/teams/teams.schema';
import { lineprint, lineprintOutput, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

// Every test starts processes that take seconds on a busy machine.
jest.setTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'lineprint-people-'));
const apiKey = generateApiKey();
const personalKey = { ingest: '', read: '' };
const repository = new TestRepository(join(folder, 'desk'));
let server: StandaloneServer;

const OLD = 'ada@old.example';
const NOREPLY = '7+ada@users.noreply.github.com';

const env = (key = apiKey) => ({
  LINEPRINT_URL: server.url,
  LINEPRINT_API_KEY: key,
  LINEPRINT_STATE_DIRECTORY: join(folder, 'state'),
});
const run = (...args: string[]) => lineprint(args, env());
const output = (...args: string[]) => lineprintOutput(args, env());
const json = async <T>(...args: string[]) => JSON.parse(await output(...args, '--json')) as T;
const backfill = (key = apiKey) =>
  lineprintOutput(['backfill', '--repo', repository.path, '--name', 'desk', '--json'], env(key));

async function api<T>(path: string, key = apiKey): Promise<T> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
async function linesByPerson(): Promise<Record<string, number>> {
  const { byPerson } = await api<Summary>('summary');
  return Object.fromEntries(Object.entries(byPerson).map(([person, { lines }]) => [person, lines]));
}
const numbered = (count: number, name: string) =>
  Array.from({ length: count }, (_, i) => `const ${name}${i} = ${i};\n`).join('');

beforeAll(async () => {
  const data = join(folder, 'data');
  const database = await openDatabase(`pglite:${join(data, 'database')}`);
  await database.close();
  repository.commit('one', { 'a.ts': numbered(1, 'a') }, 'Ada <ada@example.org>');
  repository.commit('two', { 'b.ts': numbered(10, 'b') }, `Ada Old <${OLD}>`);
  repository.commit('three', { 'c.ts': numbered(100, 'c') }, `Ada <${NOREPLY}>`);
  repository.commit('bump', { 'd.ts': numbered(7, 'd') }, 'dependabot[bot] <support@github.example>');
  server = await StandaloneServer.start(data, apiKey);
  await backfill();
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('people of a history that was sent', () => {
  it('are as many as addresses at first, and bots are bots', async () => {
    expect(await linesByPerson()).toEqual({
      'ada@example.org': 1,
      [OLD]: 10,
      [NOREPLY]: 100,
      'support@github.example': 7,
    });
    expect(await output('people', 'list', '--kind', 'bot')).toMatch(
      /\nsupport@github\.example +dependabot\[bot\] +bot/,
    );
  });

  it('are told by the .mailmap that the default branch has', async () => {
    const mailmap = `Ada Byron <ada@example.org> <${OLD}>\n<ada@example.org> <${NOREPLY}>\n`;
    const sha = repository.commit('mailmap', { '.mailmap': mailmap });
    await lineprintOutput(
      [
        'push',
        '--repo',
        repository.path,
        '--name',
        'desk',
        '--range',
        `${sha}~1..${sha}`,
        '--branch',
        'main',
        '--default-branch',
        'main',
      ],
      env(),
    );
    while ((await api<{ commits: number }>('summary/commits')).commits < 5) await delay(50);
    // The mailmap itself has two lines.
    expect(await linesByPerson()).toMatchObject({ 'ada@example.org': 113, 'support@github.example': 7 });
    expect(await json<IdentityAnswer>('people', 'describe', OLD)).toMatchObject({
      personId: 'ada@example.org',
      name: 'Ada Byron',
      aliases: [{ by: null }, { alias: NOREPLY, by: 'mailmap' }, { alias: OLD, by: 'mailmap' }],
    });
  });

  it('are merged and split by hand, and go back to what the mailmap says; an export never changes', async () => {
    const exported = await output('export', '--json');
    await output('people', 'split', OLD);
    expect(await linesByPerson()).toMatchObject({ 'ada@example.org': 103, [OLD]: 10 });
    expect(await output('people', 'forget', OLD)).toMatch(
      /^Ada Byron \(person\), called by ada@example\.org\n/,
    );
    await output('people', 'merge', 'ada@example.org', 'support@github.example');
    expect(await linesByPerson()).toMatchObject({ 'support@github.example': 120 });
    expect(await output('export', '--json')).toBe(exported);
    await output('people', 'forget', 'ada@example.org');
    expect(await run('people', 'merge', OLD, NOREPLY)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(people-same)') as string,
    });
  });

  it('are taken from a file, which says what other mailmaps contradict', async () => {
    const file = join(folder, 'company.mailmap');
    writeFileSync(file, `<boss@example.org> <${OLD}>\n<boss@example.org> <chief@example.org>\n`);
    const answer = await json<MailmapAnswer>('people', 'import', '--mailmap', file);
    const conflicts: MailmapConflict[] = [
      {
        code: 'mailmaps-differ',
        alias: OLD,
        people: ['ada@example.org', 'boss@example.org'],
        repositories: ['company.mailmap', 'desk'],
      },
    ];
    expect(answer).toEqual({ repository: 'company.mailmap', entries: 2, conflicts });
    expect(await json('people', 'conflicts')).toEqual({ conflicts });
    expect(await output('people', 'conflicts')).toContain(
      `${OLD} is ada@example.org or boss@example.org, by company.mailmap, desk.`,
    );
    writeFileSync(file, '');
    await output('people', 'import', '--mailmap', file);
    expect(await output('people', 'conflicts')).toBe('The mailmaps agree.\n');
  });

  it('are not told by a personal key: it would see whom it names', async () => {
    await server.stop();
    const database = await openDatabase(`pglite:${join(folder, 'data', 'database')}`);
    for (const scope of ['ingest', 'read'] as const) {
      const grant = { orgId: 'default', scopes: [scope], userId: OLD };
      personalKey[scope] = (await createApiKey(database, grant)).key;
    }
    await database.close();
    server = await StandaloneServer.start(join(folder, 'data'), apiKey);
    const response = await fetch(`${server.url}/api/v1/identities/mailmap`, {
      method: 'POST',
      headers: { authorization: `Bearer ${personalKey.ingest}`, 'content-type': 'application/json' },
      body: JSON.stringify({ repository: 'desk', content: `<${OLD}> <support@github.example>` }),
    });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'person-forbidden' });
    // It sends commits all the same.
    await backfill(personalKey.ingest).catch((error: unknown) =>
      expect(String(error)).toContain('scope-missing'),
    );
    const own = await api<StatsAnswer>(
      'stats/ai-attribution?scope=personal&period=custom&start_date=2000-01-01&end_date=2099-12-31',
      personalKey.read,
    );
    expect([own.user_id, own.summary.total_lines]).toEqual(['ada@example.org', 113]);
  });
});

describe('lineprint team', () => {
  it('makes, changes and deletes teams', async () => {
    await output('team', 'create', 'core', '--name', 'Core', '--member', OLD, 'bob@example.org');
    expect(await output('team', 'show', 'core')).toBe(
      'core: Core, 2 people\n  ada@example.org  Ada Byron\n  bob@example.org  bob@example.org\n',
    );
    const organisation = 'scope=organization&period=custom&start_date=2000-01-01&end_date=2099-12-31';
    expect(
      (await api<StatsAnswer>(`stats/ai-attribution?${organisation}&team=core`)).summary.total_lines,
    ).toBe(113);
    await output('team', 'add', 'core', 'support@github.example');
    await output('team', 'remove', 'core', NOREPLY, 'BOB@example.org');
    expect(await json<TeamAnswer>('team', 'rename', 'core', 'Kern')).toMatchObject({
      name: 'Kern',
      members: [{ personId: 'support@github.example' }],
    });
    expect(await output('team', 'list')).toMatch(/\ncore +Kern +1\n/);
    expect(await output('team', 'delete', 'core')).toBe('Kern is deleted.\n');
    expect(await json<TeamListAnswer>('team', 'list')).toEqual({ teams: [] });
  });
});
