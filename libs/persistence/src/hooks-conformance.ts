import { randomUUID } from 'node:crypto';
import type { Database } from './database';
import {
  acceptDelivery,
  type ClaimedRepository,
  claimDueRepository,
  completeFetch,
  connectRepository,
  disconnectRepository,
  failFetch,
  findConnectedRepository,
  listConnectedRepositories,
  type NewConnectedRepository,
  releaseClaim,
  renewClaim,
  requestFetch,
  rotateHookSecret,
} from './hooks';
import { ensureTenant } from './tenants';

const HOUR_MS = 3_600_000;

/** What connected repositories do on every adapter. */
export function hooksConformance(database: () => Database): void {
  const connected: string[] = [];

  async function connect(changes: Partial<NewConnectedRepository> = {}) {
    const orgId = changes.orgId ?? `org-${randomUUID()}`;
    await ensureTenant(database(), { orgId, name: orgId });
    const made = await connectRepository(database(), {
      repository: 'harbour/desk',
      projectId: null,
      host: 'github',
      cloneUrl: 'https://git.example.org/harbour/desk.git',
      credential: 'file:token',
      secret: 'env:LINEPRINT_SECRET_HOOK',
      countedRefs: ['main', 'release/*'],
      history: 10,
      createdBy: 'ada',
      ...changes,
      orgId,
    });
    connected.push(made.hookId);
    return made;
  }
  const body = () => Buffer.from(randomUUID());
  const due = async (hookId: string) => (await findConnectedRepository(database(), hookId))!.dueAt.getTime();
  /** Claims all that are due; tests of other repositories may have left some. */
  async function claim(hookId: string): Promise<ClaimedRepository | undefined> {
    for (;;) {
      const claimed = await claimDueRepository(database(), HOUR_MS);
      if (!claimed || claimed.hookId === hookId) return claimed ?? undefined;
    }
  }

  // Whoever polls the table in a test that follows must find none of ours.
  afterAll(async () => {
    for (const hookId of connected)
      await database().query('DELETE FROM connected_repositories WHERE hook_id = $1', [hookId]);
  });

  it('are found as they were connected, once a name and organisation', async () => {
    const made = await connect();
    expect(made).toMatchObject({ seen: {}, fetchedAt: null, failures: 0, error: null, previousSecret: null });
    expect(made.hookId).toMatch(/^[0-9a-f]{32}$/);
    expect(await findConnectedRepository(database(), made.hookId)).toEqual(made);
    expect(await listConnectedRepositories(database(), made.orgId)).toEqual([made]);
    await expect(connect({ orgId: made.orgId })).rejects.toMatchObject({ code: 'repository-connected' });
    await connect();
    expect(await listConnectedRepositories(database(), 'nobody')).toEqual([]);
  });

  it('are removed and changed by their own organisation only', async () => {
    const { orgId, hookId, secret } = await connect();
    expect(await disconnectRepository(database(), 'other', hookId)).toBe(false);
    expect(await rotateHookSecret(database(), 'other', hookId, 'file:new', 0)).toBeNull();
    const rotated = await rotateHookSecret(database(), orgId, hookId, 'file:new', HOUR_MS);
    expect(rotated).toMatchObject({ secret: 'file:new', previousSecret: secret });
    expect(rotated!.previousUntil!.getTime()).toBeGreaterThan(rotated!.createdAt.getTime());
    await acceptDelivery(database(), hookId, { id: '1', bodyHash: body(), fetch: false });
    expect(await disconnectRepository(database(), orgId, hookId)).toBe(true);
    expect(await findConnectedRepository(database(), hookId)).toBeNull();
  });

  it('take a delivery once, by its id and by its bytes, a repository each', async () => {
    const { hookId } = await connect();
    const other = await connect();
    const bodyHash = body();
    const accept = (hook: string, id: string, hash: Uint8Array) =>
      acceptDelivery(database(), hook, { id, bodyHash: hash, fetch: true });
    expect(await accept(hookId, 'a', bodyHash)).toBe(true);
    expect(await accept(hookId, 'a', body())).toBe(false);
    expect(await accept(hookId, 'b', bodyHash)).toBe(false);
    expect(await accept(hookId, 'b', body())).toBe(true);
    expect(await accept(other.hookId, 'a', bodyHash)).toBe(true);
  });

  it('forget deliveries of long ago', async () => {
    const { hookId } = await connect();
    await acceptDelivery(database(), hookId, { id: 'old', bodyHash: body(), fetch: false });
    await database().query(
      "UPDATE webhook_deliveries SET received_at = NOW() - INTERVAL '8 days' WHERE hook_id = $1",
      [hookId],
    );
    await acceptDelivery(database(), hookId, { id: 'new', bodyHash: body(), fetch: false });
    const left = await database().query<{ delivery_id: string }>(
      'SELECT delivery_id FROM webhook_deliveries WHERE hook_id = $1',
      [hookId],
    );
    expect(left).toEqual([{ delivery_id: 'new' }]);
  });

  it('are fetched by one process at a time, and by another when its claim has ended', async () => {
    const { hookId } = await connect();
    const first = (await claim(hookId))!;
    expect(await claim(hookId)).toBeUndefined();
    expect(await renewClaim(database(), first, -1)).toBe(true);
    const second = (await claim(hookId))!;
    expect(second.claim).not.toBe(first.claim);
    expect(await renewClaim(database(), first, HOUR_MS)).toBe(false);
    await completeFetch(database(), first, { seen: { main: 'a' }, defaultBranch: 'main', pollMs: 0 });
    expect(await findConnectedRepository(database(), hookId)).toMatchObject({ seen: {}, fetchedAt: null });
    await completeFetch(database(), second, { seen: { main: 'b' }, defaultBranch: 'main', pollMs: HOUR_MS });
    expect(await findConnectedRepository(database(), hookId)).toMatchObject({
      seen: { main: 'b' },
      defaultBranch: 'main',
    });
    expect(await claim(hookId)).toBeUndefined();
  });

  it('are due again at once when a push came while they were fetched', async () => {
    const { hookId } = await connect();
    const claimed = (await claim(hookId))!;
    await requestFetch(database(), hookId);
    await completeFetch(database(), claimed, { seen: {}, defaultBranch: null, pollMs: HOUR_MS });
    expect(await claim(hookId)).toBeDefined();
  });

  it('are due as before when whoever fetched them is stopped', async () => {
    const { hookId } = await connect();
    await releaseClaim(database(), (await claim(hookId))!);
    expect(await claim(hookId)).toBeDefined();
  });

  it('keep the reason of a fault until they are fetched', async () => {
    const { hookId } = await connect();
    const before = Date.now();
    await failFetch(database(), (await claim(hookId))!, {
      code: 'git-fetch',
      message: 'no',
      retryMs: HOUR_MS,
    });
    expect(await findConnectedRepository(database(), hookId)).toMatchObject({
      failures: 1,
      error: { code: 'git-fetch', message: 'no' },
    });
    expect(await due(hookId)).toBeGreaterThan(before);
    await requestFetch(database(), hookId);
    await completeFetch(database(), (await claim(hookId))!, {
      seen: {},
      defaultBranch: null,
      pollMs: HOUR_MS,
    });
    expect(await findConnectedRepository(database(), hookId)).toMatchObject({ failures: 0, error: null });
  });
}
