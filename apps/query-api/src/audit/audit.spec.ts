import { createApiKey, type Database } from '@lineprint/persistence';
import { runApi, type RunningApi } from '../testing/running-api';
import { openSeededDatabase, seedCommit, shaOf } from '../testing/seed';
import { auditAnswer, type AuditAnswer } from './audit.schema';

const PATH = '/api/v1/audit';
let database: Database;
let api: RunningApi;

beforeAll(async () => {
  database = await openSeededDatabase();
  for (const user of ['ada@acme.dev', 'bob@acme.dev']) {
    await seedCommit(database, {
      sha: shaOf(user === 'ada@acme.dev' ? 'a1' : 'b1'),
      day: '2026-06-10',
      user,
    });
  }
  api = await runApi(database, { at: '2026-06-16T10:00:00Z' });
});
afterAll(async () => {
  await api.close();
  await database.close();
});

const entries = async (query = '', key = 'administrator') =>
  (await api.json<AuditAnswer>(`${PATH}?${query}`, key)).entries;
const shown = async (query: string) =>
  (await entries(query)).map(({ actor, action, target, before, after }) => ({
    actor,
    action,
    target,
    before,
    after,
  }));
/** The newest first, as they are listed. */
const by = (action: string, target: string, before: object | null, after: object | null) => ({
  actor: 'c0ffee',
  action,
  target,
  before,
  after,
});

describe('GET /api/v1/audit', () => {
  it('says who made and dropped a policy, and what it counts', async () => {
    await api.post('/api/v1/policies', { id: 'p2', like: 'default', changes: {} }, 'administrator');
    await api.delete('/api/v1/policies/p2', 'administrator');
    expect(await shown('action=policy&actor=c0ffee')).toEqual([
      by('policy.changed', 'p2', { dropped_at: null }, { dropped_at: expect.any(String) as string }),
      by(
        'policy.created',
        'p2',
        null,
        expect.objectContaining({ body: expect.anything() as object }) as object,
      ),
    ]);
  });

  it('says which policy was active before, and which is now', async () => {
    await database.query(
      `INSERT INTO policies (org_id, policy_id, body, live) SELECT org_id, 'p3', body, FALSE FROM policies WHERE org_id = 'acme' AND policy_id = 'default'`,
    );
    await database.query(
      `INSERT INTO replays (replay_id, org_id, policy_id, topic, stage, status) VALUES ('r3', 'acme', 'p3', 'candidates', 'judge', 'following')`,
    );
    await api.post('/api/v1/policies/p3/activate', {}, 'administrator');
    expect(await shown('action=policy.changed&limit=2')).toEqual([
      by('policy.changed', 'p3', { active: false }, { active: true }),
      by('policy.changed', 'default', { active: true }, { active: false }),
    ]);
    await api.post('/api/v1/policies/default/activate', {}, 'administrator');
  });

  it('has replays, but not their progress', async () => {
    await api.post('/api/v1/policies', { id: 'p4', like: 'default', changes: {} }, 'administrator');
    const made = (await (await api.post('/api/v1/replays', { policy: 'p4' }, 'administrator')).json()) as {
      id: string;
    };
    await database.query(`UPDATE replays SET sampled = 7, paced_until = NOW() WHERE replay_id = $1`, [
      made.id,
    ]);
    await api.post(`/api/v1/replays/${made.id}/cancel`, {}, 'administrator');
    expect(await shown('action=replay&limit=2')).toEqual([
      by(
        'replay.changed',
        made.id,
        { status: 'running', ended_at: null },
        { status: 'cancelled', ended_at: expect.any(String) as string },
      ),
      by('replay.created', made.id, null, expect.objectContaining({ policy_id: 'p4' }) as object),
    ]);
  });

  it('has who was merged into whom, who is called what, and teams', async () => {
    const people = '/api/v1/identities';
    await api.post(`${people}/merge`, { person: 'bob@acme.dev', into: 'ada@acme.dev' }, 'administrator');
    await api.delete(`${people}/decisions/bob@acme.dev`, 'administrator');
    await api.put(`${people}/ada@acme.dev`, { name: 'Ada L.', kind: null }, 'administrator');
    await api.post('/api/v1/teams', { teamId: 't1', name: 'One', members: [] }, 'administrator');
    const merged = expect.objectContaining({ person_id: 'ada@acme.dev', by: 'manual' }) as object;
    expect((await shown('limit=4')).reverse()).toEqual([
      by('person_alias.created', 'bob@acme.dev', null, merged),
      by('person_alias.deleted', 'bob@acme.dev', merged, null),
      by('person.created', 'ada@acme.dev', null, { name: 'Ada L.', person_kind: null }),
      by('team.created', 't1', null, { name: 'One' }),
    ]);
  });

  it('has keys that are made and revoked at the database itself, without what they are', async () => {
    const { key } = await createApiKey(database, { orgId: 'acme', scopes: ['read'] });
    const prefix = key.split('_')[1]!;
    await database.query('UPDATE api_keys SET revoked_at = NOW() WHERE prefix = $1', [prefix]);
    const found = await shown('action=api_key&limit=2');
    expect(found).toEqual([
      {
        ...by('api_key.changed', prefix, { revoked_at: null }, { revoked_at: expect.any(String) as string }),
        actor: null,
      },
      {
        ...by('api_key.created', prefix, null, { scopes: ['read'], expires_at: null, revoked_at: null }),
        actor: null,
      },
    ]);
  });

  it('has reads of code among them, in order of time', async () => {
    await database.query(
      `INSERT INTO code_reads (org_id, read_by, repository, commit_sha, path) VALUES ('acme', 'eve@acme.dev', 'acme/shop', $1, 'a.ts')`,
      [shaOf('a1')],
    );
    await api.post('/api/v1/teams', { teamId: 't2', name: 'Two', members: [] }, 'administrator');
    expect((await entries('limit=2')).map(({ action }) => action)).toEqual(['team.created', 'code.read']);
    expect(await shown('action=code&actor=eve@acme.dev')).toEqual([
      { ...by('code.read', `acme/shop ${shaOf('a1')} a.ts`, null, null), actor: 'eve@acme.dev' },
    ]);
  });

  it('comes in pages that together are all of it, and as CSV', async () => {
    const all = await entries('limit=200');
    const paged: AuditAnswer['entries'] = [];
    let after = '';
    do {
      const page = await api.json<AuditAnswer>(`${PATH}?limit=3${after && `&after=${after}`}`, 'auditor');
      expect(auditAnswer.parse(page)).toEqual(page);
      paged.push(...page.entries);
      after = page.next ?? '';
    } while (after);
    expect(paged).toEqual(all);
    const csv = await (await api.get(`${PATH}?format=csv&action=team`, 'auditor')).text();
    expect(csv.split('\r\n')[0]).toBe('at,actor,action,target,before,after');
    const [middle] = all.slice(3);
    expect((await entries(`from=${middle!.at}`)).length).toBeGreaterThanOrEqual(4);
    expect(await entries(`to=${all.at(-1)!.at}`)).toEqual([]);
  });

  it('is for auditors and administrators, of their own organisation', async () => {
    for (const key of ['reader', 'ada', 'maintainer', 'ingest']) {
      expect(await api.problem(PATH, key)).toMatchObject({ status: 403, code: 'scope-missing' });
    }
    const others = await entries('limit=200', 'rivalAdministrator');
    expect(JSON.stringify(others)).not.toContain('acme');
  });
});
