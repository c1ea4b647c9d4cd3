import { randomUUID } from 'node:crypto';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Database } from './database';
import { createPolicy, ensureFirstPolicy } from './policies';
import { activatePolicy } from './policy-activation';
import {
  advanceReplay,
  changeReplay,
  createReplay,
  endedReplayGroups,
  endReplays,
  failReplay,
  findReplay,
  finishReplay,
  forgetReplayGroup,
  hasCaughtUp,
  judgedPolicies,
  listReplays,
  type NewReplay,
  paceReplay,
  prepareReplay,
  type Replay,
  replayPosition,
  requireFollowing,
  sampleReplay,
  workingReplays,
} from './replays';
import { ensureTenant } from './tenants';

/** What replays do on every adapter. */
export function replaysConformance(database: () => Database): void {
  /** A new organisation whose live policy is `default`, and `strict` that no one judges. */
  async function organisation(): Promise<string> {
    const orgId = `org-${randomUUID()}`;
    await ensureTenant(database(), { orgId, name: orgId });
    await ensureFirstPolicy(database(), orgId, DEFAULT_POLICY);
    await createPolicy(database(), orgId, { ...DEFAULT_POLICY, id: 'strict' });
    return orgId;
  }
  const start = (orgId: string, wanted: Partial<NewReplay> = {}) =>
    createReplay(database(), { orgId, policyId: 'strict', topic: 'candidates', ...wanted });
  const advance = (id: string, partition: number, from: number, to: number) =>
    database().transaction((tx) =>
      advanceReplay(
        tx,
        { replayId: id, stage: 'judge', partition },
        { from, to, judged: to - from, written: 0, refused: 0 },
      ),
    );
  const statusOf = async ({ orgId, id }: Replay) => (await findReplay(database(), orgId, id))!.replay.status;
  const catchUp = (replay: Replay) =>
    database().transaction(async (tx) => {
      const caughtUp = await hasCaughtUp(tx, replay.id, 'judge');
      if (caughtUp) await finishReplay(tx, replay);
      return caughtUp;
    });
  const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

  it('are refused for a policy that nobody knows, that is judged live, or that has one', async () => {
    const orgId = await organisation();
    await expect(start(orgId, { policyId: 'unknown' })).rejects.toEqual(code('policy-unknown'));
    await expect(start(orgId, { policyId: 'default' })).rejects.toEqual(code('policy-live'));
    await start(orgId);
    await expect(start(orgId)).rejects.toEqual(code('replay-exists'));
  });

  it('are started once, however many ask at the same time', async () => {
    const orgId = await organisation();
    const answers = await Promise.allSettled([start(orgId), start(orgId), start(orgId)]);
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are prepared by the first worker, and moved on by one at a time', async () => {
    const replay = await start(await organisation());
    expect(await prepareReplay(database(), replay.id, 'judge', [2, 0], [10, 0])).toMatchObject([
      { partition: 0, startOffset: 2, targetOffset: 10, nextOffset: 2 },
      { partition: 1, startOffset: 0, targetOffset: 0, nextOffset: 0 },
    ]);
    await prepareReplay(database(), replay.id, 'judge', [5, 5], [50, 50]);
    const moves = await Promise.all([advance(replay.id, 0, 2, 6), advance(replay.id, 0, 2, 7)]);
    expect([...moves].sort()).toEqual([false, true]);
    const next = moves[0] ? 6 : 7;
    expect(await replayPosition(database(), { replayId: replay.id, stage: 'judge', partition: 0 })).toBe(
      next,
    );
    const found = await findReplay(database(), replay.orgId, replay.id);
    expect(found?.partitions[0]).toMatchObject({ targetOffset: 10, judged: next - 2 });
  });

  it('follow once every partition has reached its target, and end there when they are of a part', async () => {
    const orgId = await organisation();
    const replay = await start(orgId);
    expect(await catchUp(replay)).toBe(false);
    await prepareReplay(database(), replay.id, 'judge', [0, 0], [2, 0]);
    expect(await catchUp(replay)).toBe(false);
    await advance(replay.id, 0, 0, 2);
    expect(await catchUp(replay)).toBe(true);
    expect(await statusOf(replay)).toBe('following');
    expect(await catchUp(replay)).toBe(false);
    expect(await advance(replay.id, 1, 0, 1)).toBe(true);

    await changeReplay(database(), orgId, replay.id, 'cancel');
    const part = await start(orgId, { repository: 'shop', from: new Date(0) });
    await prepareReplay(database(), part.id, 'judge', [0], [0]);
    expect(await catchUp(part)).toBe(true);
    expect(await statusOf(part)).toBe('complete');
    expect(await advance(part.id, 0, 0, 1)).toBe(false);
  });

  it('write nothing once they are paused, and go on from there up to what there is then', async () => {
    const replay = await start(await organisation());
    await prepareReplay(database(), replay.id, 'judge', [0], [5]);
    await advance(replay.id, 0, 0, 3);
    await changeReplay(database(), replay.orgId, replay.id, 'pause');
    expect(await advance(replay.id, 0, 3, 4)).toBe(false);
    expect(
      await replayPosition(database(), { replayId: replay.id, stage: 'judge', partition: 0 }),
    ).toBeNull();
    await changeReplay(database(), replay.orgId, replay.id, 'resume');
    expect(await prepareReplay(database(), replay.id, 'judge', [0], [9])).toMatchObject([
      { nextOffset: 3, targetOffset: 9 },
    ]);
    expect(await advance(replay.id, 0, 3, 9)).toBe(true);
  });

  it('let a batch end before they are paused', async () => {
    const replay = await start(await organisation());
    await prepareReplay(database(), replay.id, 'judge', [0], [5]);
    const order: string[] = [];
    let written!: () => void;
    const paused = new Promise<void>((resolve) => (written = resolve))
      .then(() => changeReplay(database(), replay.orgId, replay.id, 'pause'))
      .then(() => order.push('paused'));
    await database().transaction(async (tx) => {
      const step = { from: 0, to: 5, judged: 5, written: 5, refused: 0 };
      await advanceReplay(tx, { replayId: replay.id, stage: 'judge', partition: 0 }, step);
      written();
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push('written');
    });
    await paused;
    expect(order).toEqual(['written', 'paused']);
  });

  it('go only from one status to another that makes sense', async () => {
    const replay = await start(await organisation());
    const change = (action: 'pause' | 'resume' | 'cancel') =>
      changeReplay(database(), replay.orgId, replay.id, action);
    const refused = code('replay-transition');
    await expect(change('resume')).rejects.toEqual(refused);
    await change('pause');
    await expect(change('pause')).rejects.toEqual(refused);
    await change('cancel');
    await expect(change('pause')).rejects.toEqual(refused);
    await expect(change('cancel')).rejects.toEqual(refused);
    expect((await change('resume')).status).toBe('running');
    await failReplay(database(), replay.id, 'too-bad', 'It cannot go on');
    expect((await findReplay(database(), replay.orgId, replay.id))!.replay).toMatchObject({
      status: 'failed',
      error: { code: 'too-bad', message: 'It cannot go on' },
    });
    expect(await change('resume')).toMatchObject({ status: 'running', error: null, endedAt: null });
    await expect(changeReplay(database(), 'rival', replay.id, 'pause')).rejects.toEqual(
      code('replay-unknown'),
    );
  });

  it('are not resumed beside the one that took their place', async () => {
    const orgId = await organisation();
    const first = await start(orgId);
    await changeReplay(database(), orgId, first.id, 'cancel');
    const second = await start(orgId);
    await expect(changeReplay(database(), orgId, first.id, 'resume')).rejects.toEqual(code('replay-exists'));
    expect((await listReplays(database(), orgId)).map(({ replay }) => replay.id)).toEqual([
      second.id,
      first.id,
    ]);
  });

  it('make a policy ready to be activated when they follow, and cannot be stopped while it is', async () => {
    const orgId = await organisation();
    const replay = await start(orgId, { maxRate: 5 });
    const ready = () => database().transaction((tx) => requireFollowing(tx, orgId, 'strict'));
    await expect(ready()).rejects.toEqual(code('policy-not-replayed'));
    await prepareReplay(database(), replay.id, 'judge', [0], [0]);
    await catchUp(replay);
    await ready();
    expect((await findReplay(database(), orgId, replay.id))!.replay.maxRate).toBeNull();
    await activatePolicy(database(), orgId, 'strict');
    for (const action of ['pause', 'cancel'] as const) {
      await expect(changeReplay(database(), orgId, replay.id, action)).rejects.toEqual(code('policy-active'));
    }
    await activatePolicy(database(), orgId, 'default');
    expect((await changeReplay(database(), orgId, replay.id, 'pause')).status).toBe('paused');
  });

  it('are all ended when their policy’s rows go', async () => {
    const replay = await start(await organisation());
    await prepareReplay(database(), replay.id, 'judge', [0], [5]);
    await database().transaction((tx) => endReplays(tx, replay.orgId, 'strict'));
    expect(await advance(replay.id, 0, 0, 5)).toBe(false);
    expect(await endedReplayGroups(database())).toContain(replay.id);
    await forgetReplayGroup(database(), replay.id);
    expect(await endedReplayGroups(database())).not.toContain(replay.id);
  });

  it('are for workers to find while they run', async () => {
    const replay = await start(await organisation());
    const found = async (stage: 'judge' | 'index') =>
      (await workingReplays(database(), stage)).some((working) => working.replay.id === replay.id);
    expect([await found('judge'), await found('index')]).toEqual([true, false]);
    await changeReplay(database(), replay.orgId, replay.id, 'pause');
    expect(await found('judge')).toBe(false);
  });

  it('keep the results of their policies and of the live one', async () => {
    const orgId = await organisation();
    expect(await judgedPolicies(database(), orgId)).toEqual(['default']);
    await start(orgId);
    expect(await judgedPolicies(database(), orgId)).toEqual(['default', 'strict']);
  });

  it('let no more commits through than the limit says, and all of them without one', async () => {
    const orgId = await organisation();
    const free = await start(orgId);
    expect(await paceReplay(database(), free.id, 1000)).toEqual({ granted: 1000 });
    await changeReplay(database(), orgId, free.id, 'cancel');
    const limited = await start(orgId, { maxRate: 2 });
    const first = await paceReplay(database(), limited.id, 1000);
    expect(first).toEqual({ granted: 2, retryAfterMs: expect.any(Number) as number });
    expect(first.retryAfterMs).toBeGreaterThan(0);
    expect((await paceReplay(database(), limited.id, 1000)).granted).toBeLessThanOrEqual(1);
    await changeReplay(database(), orgId, limited.id, 'cancel');
    const slow = await start(orgId, { maxRate: 0.01 });
    expect((await paceReplay(database(), slow.id, 3)).granted).toBe(1);
    expect(await paceReplay(database(), slow.id, 3)).toEqual({
      granted: 0,
      retryAfterMs: expect.any(Number) as number,
    });
  });

  it('tell their rate from what they read since they were last looked at', async () => {
    const replay = await start(await organisation());
    await prepareReplay(database(), replay.id, 'judge', [0], [5]);
    const rate = async () => (await findReplay(database(), replay.orgId, replay.id))!.rate;
    expect(await rate()).toBeNull();
    await sampleReplay(database(), replay.id);
    await advance(replay.id, 0, 0, 5);
    expect(await rate()).toBeGreaterThan(0);
  });
}
