import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import { generateApiKey } from '@lineprint/persistence';
import type { PolicyList } from '../../apps/cli/src/policy/policy-answers';
import type { Replay, ReplayList } from '../../apps/cli/src/replay/replay-answers';
import { generateHistory } from '../history';
import { LINE_KEY, lineprint, lineprintOutput, StandaloneServer } from '../programs';
import { type RunningStack, startStack } from '../stack';

// Replays, and processes that take seconds to start on a busy machine.
jest.setTimeout(180_000);

/** From 80: some of what is HIGH becomes LOW, and nothing else depends on it. */
const HIGH_BITS = 150;
/** From 22, 60 and 120. */
const STRICT = [
  ['minBits', 80],
  ['minBitsElsewhere', 300],
  ['minBitsUnplaced', 600],
] as const;

interface ExportedResult {
  readonly matched_code_id: string | null;
  readonly evidence: string;
  readonly evidence_bits: number;
  readonly confidence: string;
  readonly total_lines: number;
}
interface ExportedLine {
  readonly kind: string;
  readonly result: ExportedResult;
}
interface ExportedFile {
  readonly path: string;
  readonly results: readonly ExportedResult[];
  readonly lines: readonly { start: number; count: number; kind: string; result: number }[];
  readonly explanations: string;
}
interface Exported {
  readonly type: string;
  readonly sha: string;
  readonly repository: string;
  readonly files: readonly ExportedFile[];
}

/** Each line of a file that counts, by its number. */
function linesOf({ lines, results }: ExportedFile): Map<number, ExportedLine> {
  const byNumber = new Map<number, ExportedLine>();
  for (const { start, count, kind, result } of lines) {
    for (let i = 0; i < count; i++) byNumber.set(start + i, { kind, result: results[result]! });
  }
  return byNumber;
}

describe.each(['embedded', 'on Kafka, Redis and Postgres'])('a replay of candidates, %s', (where) => {
  const name = `replay_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
  let directory: string;
  let server: StandaloneServer | undefined;
  let stack: RunningStack | undefined;
  let env: Record<string, string>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-replay-'));
    const state = { LINEPRINT_STATE_DIRECTORY: join(directory, 'state') };
    if (where === 'embedded') {
      const apiKey = generateApiKey();
      server = await StandaloneServer.start(join(directory, 'data'), apiKey);
      env = { ...state, LINEPRINT_URL: server.url, LINEPRINT_API_KEY: apiKey };
    } else {
      stack = await startStack({
        database: name,
        env: { LINEPRINT_ORG_ID: name, LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY.toString('base64') },
      });
      env = {
        ...state,
        LINEPRINT_URL: stack.services.ingest.url,
        LINEPRINT_QUERY_URL: stack.services['query-api'].url,
        LINEPRINT_API_KEY: stack.apiKey,
      };
    }
    await output('sample', '--json');
    await generateHistory(join(directory, 'history'), 120, 1);
    await generateHistory(join(directory, 'meanwhile'), 80, 2);
    await generateHistory(join(directory, 'afterwards'), 40, 3);
    await backfill('history');
  });
  afterAll(async () => {
    await server?.stop();
    await stack?.stop();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  const output = (...args: string[]) => lineprintOutput(args, env);
  const json = async <T>(...args: string[]) => JSON.parse(await output(...args, '--json')) as T;
  const backfill = (repository: string) => json('backfill', '--repo', join(directory, repository));

  /** What the command line would ask the query API, without a process each time. */
  async function read(path: string, query: Record<string, string> = {}): Promise<string> {
    const address = env['LINEPRINT_QUERY_URL'] ?? env['LINEPRINT_URL'];
    const answer = await fetch(`${address}/api/v1/${path}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${env['LINEPRINT_API_KEY']}` },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
    return text;
  }
  const exported = (policy?: string, repository?: string) =>
    read('export', { ...(policy && { policy }), ...(repository && { repository }) });
  const statusOf = async (id: string) => JSON.parse(await read(`replays/${id}`)) as Replay;
  const policies = async () => (JSON.parse(await read('policies')) as PolicyList).policies;
  /** A policy like the first one, judged by a replay as far as there is anything. */
  async function replayed(id: string, ...settings: string[]): Promise<Replay> {
    await output('policy', 'create', id, '--like', 'default', ...settings);
    return json<Replay>('replay', 'start', '--policy', id, '--wait');
  }
  /** Waits until every policy that is followed has judged what the live one has. */
  async function settled(): Promise<void> {
    for (;;) {
      const judges = (await policies()).filter(({ live, replay }) => live || replay?.status === 'following');
      if (new Set(judges.map(({ judged }) => judged)).size === 1) return;
      await delay(50);
    }
  }

  it('leaves under a copy of the policy the same bytes, twice, and the old ones can be read all the while', async () => {
    const before = await exported('default');
    expect(before).toContain('"evidence":"matched"');
    await output('policy', 'create', 'copy', '--like', 'default');
    const started = await json<Replay>('replay', 'start', '--policy', 'copy', '--rate', '60');
    const states = new Set<string>();
    for (let status = started.status; status === 'running'; status = (await statusOf(started.id)).status) {
      states.add(await exported('default'));
      await delay(50);
    }
    expect([...states]).toEqual([before]);
    const replay = await statusOf(started.id);
    expect(replay).toMatchObject({ status: 'following', refused: 0, error: null });
    expect(replay.judged).toBe(replay.written);
    expect(await exported('copy')).toBe(before);
    expect(await replayed('second')).toMatchObject({ status: 'following' });
    expect(await exported('second')).toBe(before);
    expect(await exported('default')).toBe(before);
    const { replays } = await json<ReplayList>('replay', 'status');
    expect(replays.map(({ policy, status }) => [policy, status])).toEqual([
      ['second', 'following'],
      ['copy', 'following'],
    ]);
  });

  it('under stricter confidence takes it from just those matches whose bits lie between the thresholds', async () => {
    await replayed('surer', '--set', `highBits=${HIGH_BITS}`);
    const [before, after] = await Promise.all(
      ['default', 'surer'].map(async (policy) =>
        (await exported(policy)).split('\n').flatMap((line) => (line ? [JSON.parse(line) as Exported] : [])),
      ),
    );
    const commits = (lines: readonly Exported[]) => lines.filter(({ type }) => type === 'commit');
    expect(commits(after!).map(({ sha }) => sha)).toEqual(commits(before!).map(({ sha }) => sha));
    let flipped = 0;
    commits(before!).forEach((commit, n) => {
      commit.files.forEach((file, f) => {
        const other = commits(after!)[n]!.files[f]!;
        expect(other.path).toBe(file.path);
        // Which snippet each line is from, and why, does not depend on what is called sure.
        expect(other.explanations).toBe(file.explanations);
        const strict = linesOf(other);
        const demotedOf = new Map<ExportedResult, { lines: number; result: ExportedResult | undefined }>();
        for (const [line, { kind, result }] of linesOf(file)) {
          const now = strict.get(line)!;
          expect([now.kind, now.result.matched_code_id, now.result.evidence]).toEqual([
            kind,
            result.matched_code_id,
            result.evidence,
          ]);
          if (result.evidence !== 'matched' || result.confidence !== 'HIGH') {
            expect(now.result.confidence).toBe(result.confidence);
            continue;
          }
          const demoted = demotedOf.get(result) ?? { lines: 0, result: undefined };
          if (now.result.confidence === 'LOW') demoted.lines += 1;
          else demoted.result = now.result;
          demotedOf.set(result, demoted);
        }
        for (const [high, { lines, result: kept }] of demotedOf) {
          flipped += lines;
          // A snippet's clusters in a file are one result: what it lost were clusters of 80 to 150 bits.
          const lost = high.evidence_bits - (kept?.evidence_bits ?? 0);
          if (lines === 0) expect(lost).toBeCloseTo(0, 1);
          else expect(lost).toBeGreaterThanOrEqual(DEFAULT_POLICY.thresholds.highBits);
          if (kept) expect(kept.evidence_bits).toBeGreaterThanOrEqual(HIGH_BITS);
          if (high.evidence_bits < HIGH_BITS) expect(lines).toBe(high.total_lines);
        }
      });
    });
    expect(flipped).toBeGreaterThan(20);
  });

  it('under stricter counting changes only commits with such a match, and those that come after them', async () => {
    await replayed('strict', '--set', ...STRICT.map(([threshold, bits]) => `${threshold}=${bits}`));
    const mostBits = Math.max(...STRICT.map(([, bits]) => bits));
    const read = async (policy: string) =>
      (await exported(policy))
        .split('\n')
        .flatMap((line) => (line ? [JSON.parse(line) as Exported & { parents: string[] }] : []))
        .filter(({ type }) => type === 'commit');
    const [before, after] = [await read('default'), await read('strict')];
    const changed = new Set(
      before.filter((commit, n) => JSON.stringify(commit) !== JSON.stringify(after[n])).map(({ sha }) => sha),
    );
    expect(changed.size).toBeGreaterThan(3);
    expect(changed.size).toBeLessThan(before.length);
    const bySha = new Map(before.map((commit) => [commit.sha, commit]));
    const hasChangedAncestor = (sha: string): boolean => {
      const seen = new Set<string>();
      const open = [...bySha.get(sha)!.parents];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        if (seen.has(next)) continue;
        seen.add(next);
        if (changed.has(next)) return true;
        open.push(...(bySha.get(next)?.parents ?? []));
      }
      return false;
    };
    const matched = (commit: Exported) =>
      commit.files.flatMap(({ results }) => results).filter(({ evidence }) => evidence === 'matched');
    const linesIn = (results: readonly ExportedResult[]) =>
      results.reduce((sum, { total_lines }) => sum + total_lines, 0);
    let byAncestors = 0;
    before.forEach((commit, n) => {
      if (!changed.has(commit.sha)) return;
      // What an ancestor has not used any more may be this one's: lines can become AI's only so.
      if (hasChangedAncestor(commit.sha)) {
        byAncestors += 1;
        return;
      }
      const countedLines = (of: Exported) =>
        linesIn(matched(of).filter(({ confidence }) => confidence !== 'SUSPECT'));
      expect(matched(commit).some(({ evidence_bits: bits }) => bits < mostBits)).toBe(true);
      expect(countedLines(after[n]!)).toBeLessThanOrEqual(countedLines(commit));
    });
    expect(byAncestors).toBeLessThan(changed.size);
  });

  it('and its policy are switched to and back at once, and it cannot be stopped meanwhile', async () => {
    const [lenient, strict] = [await exported('default'), await exported('strict')];
    expect(strict).not.toBe(lenient);
    const [{ id }] = (await json<ReplayList>('replay', 'status')).replays.filter(
      ({ policy }) => policy === 'strict',
    ) as [Replay];
    await output('policy', 'activate', 'strict');
    expect(await exported()).toBe(strict);
    for (const action of ['pause', 'cancel']) {
      expect(await lineprint(['replay', action, id], env)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('policy-active') as string,
      });
    }
    await output('policy', 'activate', 'default');
    expect(await exported()).toBe(lenient);
  });

  it('leaves live traffic alone, takes what comes meanwhile, and what comes after', async () => {
    const before = await exported('default', 'history');
    await output('policy', 'create', 'busy', '--like', 'default');
    const { id } = await json<Replay>('replay', 'start', '--policy', 'busy', '--rate', '1');
    await backfill('meanwhile');
    // Live is through with it although the replay is not.
    expect((await statusOf(id)).status).toBe('running');
    await output('replay', 'pause', id);
    expect((await statusOf(id)).status).toBe('paused');
    await output('replay', 'resume', id);
    await output('replay', 'cancel', id);
    await output('replay', 'resume', id);
    expect((await statusOf(id)).status).toBe('running');
    await output('replay', 'cancel', id);
    // Another one goes on where it was, as fast as it can.
    await output('replay', 'start', '--policy', 'busy', '--wait');
    await settled();
    expect(await exported('default', 'history')).toBe(before);
    expect(await exported('busy')).toBe(await exported('default'));
    await backfill('afterwards');
    await settled();
    const live = await exported('default');
    expect(live).toContain('"repository":"afterwards"');
    for (const policy of ['copy', 'second', 'busy']) expect(await exported(policy)).toBe(live);
  });

  it('of a part writes that part, as live has it, and ends', async () => {
    await output('policy', 'create', 'part', '--like', 'default');
    const replay = await json<Replay>('replay', 'start', '--policy', 'part', '--repo', 'history', '--wait');
    expect(replay).toMatchObject({ status: 'complete', written: 120 });
    expect(replay.judged).toBeGreaterThan(120);
    const of = (policy: string) => exported(policy, 'history');
    expect(await of('part')).toBe(await of('default'));
    expect(await lineprint(['policy', 'activate', 'part'], env)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('policy-not-replayed') as string,
    });
  });

  if (where !== 'embedded') {
    it('gives the same when the snippets’ keys have expired from the index', async () => {
      const redis = new Redis(stack!.redisUrl);
      try {
        const keys = await redis.keys(`lp:{${name}}:*`);
        expect(keys.length).toBeGreaterThan(0);
        await redis.del(keys);
      } finally {
        await redis.quit();
      }
      await replayed('forgotten');
      expect(await exported('forgotten')).toBe(await exported('default'));
    });

    it('goes on after its process was killed', async () => {
      await output('policy', 'create', 'killed', '--like', 'default');
      const { id } = await json<Replay>('replay', 'start', '--policy', 'killed', '--rate', '60');
      while ((await statusOf(id)).judged === 0) await delay(50);
      stack!.kill('line-attributor');
      await stack!.restart('line-attributor');
      await output('replay', 'status', id, '--watch');
      // No commit twice, none left out.
      expect((await statusOf(id)).judged).toBe((await policies()).find(({ live }) => live)!.judged);
      expect(await exported('killed')).toBe(await exported('default'));
    });
  }
});
