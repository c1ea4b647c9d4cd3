import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import { generateApiKey } from '@lineprint/persistence';
import type { Policy, PolicyDiff, PolicyList, FlippedFiles } from '../../apps/cli/src/policy/policy-answers';
import type { Figures, Summary } from '../../apps/cli/src/api/read-client';
import type { StatsAnswer } from '../../apps/query-api/src/stats/stats.schema';
import { lineprint, lineprintOutput, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

// Every test starts processes that take seconds on a busy machine.
jest.setTimeout(180_000);

const folder = mkdtempSync(join(tmpdir(), 'lineprint-policies-'));
const apiKey = generateApiKey();
let server: StandaloneServer;

const env = () => ({
  LINEPRINT_URL: server.url,
  LINEPRINT_API_KEY: apiKey,
  LINEPRINT_STATE_DIRECTORY: join(folder, 'state'),
});
const run = (...args: string[]) => lineprint(args, env());
const output = (...args: string[]) => lineprintOutput(args, env());
const json = async <T>(...args: string[]) => JSON.parse(await output(...args, '--json')) as T;
const exported = (...args: string[]) => output('export', '--json', ...args);
async function api<T>(path: string): Promise<T> {
  const response = await fetch(`${server.url}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
/** Everything that dashboards show. */
async function numbers(policy?: string) {
  const query = policy === undefined ? '' : `&policy=${policy}`;
  return {
    summary: await api(`summary?${query}`),
    stats: await api<StatsAnswer>(
      `stats/ai-attribution?scope=organization&period=custom&start_date=2000-01-01&end_date=2099-12-31${query}`,
    ),
    commits: await api(`commits?limit=200${query}`),
    export: await exported(...(policy === undefined ? [] : ['--policy', policy])),
  };
}
/** What assistants' sessions reported, whatever policy judges commits. */
function sessionsOf({ stats: { breakdown } }: { stats: StatsAnswer }) {
  const { suggestions_shown, suggestions_accepted, accept_rate } = breakdown.tab;
  return {
    suggestions_shown,
    suggestions_accepted,
    accept_rate,
    edits: breakdown.chat.edits,
    tasks: breakdown.agent.tasks,
  };
}
const policyOf = (id: string) => json<Policy>('policy', 'show', id);

const strict = ['minBits=60', 'minBitsElsewhere=120', 'minBitsUnplaced=240', 'highBits=200'];

beforeAll(async () => {
  server = await StandaloneServer.start(join(folder, 'data'), apiKey);
  await output('sample', '--json');
  await output(
    'policy',
    'create',
    'strict',
    '--set',
    ...strict,
    '--exclude',
    'web/**',
    '--description',
    'long matches',
  );
  await output('policy', 'create', 'copy');
  await output('policy', 'create', 'unjudged');
  for (const id of ['strict', 'copy']) await output('replay', 'start', '--policy', id, '--wait');
});

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const splits = ['byProject', 'byLanguage', 'bySource', 'byPerson', 'byConfidence', 'byEvidence'] as const;

describe('lineprint policy', () => {
  it('lists policies with who judges and reads them, for people and for programs', async () => {
    const { policies } = await json<PolicyList>('policy', 'list');
    expect(policies.map(({ id, active, live, replay }) => [id, active, live, replay?.status])).toEqual([
      ['default', true, true, undefined],
      ['strict', false, false, 'following'],
      ['copy', false, false, 'following'],
      ['unjudged', false, false, undefined],
    ]);
    expect(new Set(policies.slice(0, 3).map(({ judged }) => judged))).toEqual(new Set([47]));
    const text = await output('policy', 'list');
    expect(text).toMatch(/^policy +read +judged by +commits +created\n/);
    expect(text).toMatch(/\ndefault +active +live +47 /);
    expect(text).toMatch(/\nunjudged +nobody +0 /);
    expect(await output('policy', 'show', 'strict')).toMatch(
      /^strict: long matches\n[^]*\nminBits +60\n[^]*web\/\*\*\n$/,
    );
  });

  it('takes a whole policy from a file, and says which threshold is wrong', async () => {
    const file = join(folder, 'policy.json');
    writeFileSync(file, JSON.stringify({ ...DEFAULT_POLICY, id: 'from-file' }));
    expect(await json('policy', 'create', '--from', file)).toMatchObject({ id: 'from-file', judged: 0 });
    expect(await json('policy', 'create', 'renamed', '--from', file)).toMatchObject({ id: 'renamed' });
    const wrong = await run(
      'policy',
      'create',
      'wrong',
      '--set',
      'thresholds.minBits=99',
      'thresholds.oops=1',
    );
    expect(wrong).toMatchObject({ code: 1, stdout: '' });
    expect(wrong.stderr).toMatch(/thresholds\.oops: is not known here.*\(body-invalid\)/);
    expect((await run('policy', 'create', 'wrong', '--set', 'minBits')).stderr).toMatch(
      /--set.*thresholds\.minBits=30/,
    );
    expect((await run('policy', 'create')).stderr).toMatch(/\(policy-incomplete\)/);
  });

  it('a copy that was replayed exports the same bytes, and nothing flips to it', async () => {
    expect(await exported('--policy', 'copy')).toBe(await exported('--policy', 'default'));
    const diff = await json<PolicyDiff>('policy', 'diff', 'default', 'copy');
    expect(diff).toMatchObject({ commits: { both: 47, onlyFrom: 0, onlyTo: 0 }, flips: [], files: [] });
    expect(await output('policy', 'diff', 'default', 'copy')).toMatch(/\n\nNo line flips\.\n$/);
  });

  it('what the diff adds to one summary gives the other, in every split', async () => {
    const diff = await json<PolicyDiff>('policy', 'diff', 'default', 'strict');
    const before = await api<Summary>('summary?policy=default');
    const after = await api<Summary>('summary?policy=strict');
    expect([diff.total.from.ratio, diff.total.to.ratio]).toEqual([before.aiRatio, after.aiRatio]);
    expect(diff.total.to.aiLines).toBeLessThan(diff.total.from.aiLines);
    const sum = (figures: Readonly<Record<string, Figures>>, name: string) =>
      figures[name] ?? { lines: 0, aiLines: 0, weighted: 0 };
    for (const split of splits) {
      for (const [name, { from, to }] of Object.entries(diff[split])) {
        for (const field of ['lines', 'aiLines', 'weighted'] as const) {
          expect(sum(before[split], name)[field] + to[field] - from[field]).toBe(
            sum(after[split], name)[field],
          );
        }
      }
    }
  });

  it('lists each line that flips where it stands, and as many as it counts', async () => {
    const diff = await json<PolicyDiff & Pick<FlippedFiles, 'files'> & { more: boolean }>(
      ...['policy', 'diff', 'default', 'strict', '--files', '999'],
    );
    expect(diff.more).toBe(false);
    const flipped = diff.files.flatMap(({ lines }) => lines).reduce((lines, { count }) => lines + count, 0);
    expect(flipped).toBe(diff.flips.reduce((lines, flip) => lines + flip.lines, 0));
    expect(flipped).toBeGreaterThan(0);
    const one = diff.files.find(({ path }) => !path.startsWith('web/'))!;
    const answer = await api<{ lines: { start: number; count: number; kind: string; confidence: string }[] }>(
      `commits/${one.sha}/lines?${new URLSearchParams({ repository: one.repository, path: one.path, policy: 'strict' })}`,
    );
    for (const { start, to } of one.lines) {
      const range = answer.lines.find((lines) => lines.start <= start && start < lines.start + lines.count)!;
      expect({ kind: range.kind, confidence: range.confidence }).toEqual({
        kind: to!.kind,
        confidence: to!.confidence,
      });
    }
    const text = await output('policy', 'diff', 'default', 'strict', '--files', '1');
    expect(text).toMatch(/^default → strict, over 47 commits that both have judged\n/);
    expect(text).toMatch(/\n[^\n]+, HIGH +not counted +\d+\n/);
    expect(text).toMatch(/\n… and more files: --files shows as many as you ask for\n$/);
  });

  it('activate flips every number at once, the old ones stay readable, and the way back is the same', async () => {
    const [old, next] = [await numbers('default'), await numbers('strict')];
    expect(await numbers()).toEqual(old);
    expect(next).not.toEqual(old);
    expect(next.stats.breakdown.tab.suggestions_shown).toBeGreaterThan(0);
    expect(sessionsOf(next)).toEqual(sessionsOf(old));
    const there = await json('policy', 'activate', 'strict');
    expect(there).toEqual({ active: 'strict', before: 'default' });
    expect(await numbers()).toEqual(next);
    expect(await numbers('default')).toEqual(old);
    expect(await output('policy', 'activate', 'default')).toBe(
      'default is active. Back again: lineprint policy activate strict\n',
    );
    expect(await numbers()).toEqual(old);
    expect(await numbers('strict')).toEqual(next);
  });

  it('judges a new commit under every policy, live and followed', async () => {
    const repository = new TestRepository(join(folder, 'later'));
    repository.commit('Later', { 'later.py': 'one_more_line = "is here"\n' });
    await output('push', '--repo', repository.path, '--name', 'later', '--range', 'HEAD');
    for (const policy of ['default', 'strict', 'copy']) {
      while ((await policyOf(policy)).judged < 48) await delay(100);
    }
    expect(await exported('--policy', 'copy')).toBe(await exported());
  });

  it('activates nothing that nobody judges', async () => {
    const { code, stderr } = await run('policy', 'activate', 'unjudged');
    expect(code).toBe(1);
    expect(stderr).toMatch(/no replay that has caught up.*\(policy-not-replayed\)/);
  });

  it('drops a policy with its rows when that is confirmed, but not the active one', async () => {
    const before = await numbers();
    expect((await run('policy', 'drop', 'copy')).stderr).toMatch(/of 48 commits.*--yes.*\(not-confirmed\)/);
    expect(await json('policy', 'drop', 'copy', '--yes')).toMatchObject({
      dropped: 'copy',
      rows: { verdicts: 48 },
    });
    expect((await run('export', '--policy', 'copy')).stderr).toMatch(/\(policy-unknown\)/);
    expect((await run('policy', 'drop', 'default', '--yes')).stderr).toMatch(/\(policy-active\)/);
    expect(await numbers()).toEqual(before);
  });

  it('without its live policy an organisation goes on with the one that follows', async () => {
    await output('policy', 'activate', 'strict');
    await output('policy', 'drop', 'default', '--yes');
    const repository = new TestRepository(join(folder, 'last'));
    repository.commit('Last', { 'last.py': 'the_last_line = "of all"\n' });
    await output('push', '--repo', repository.path, '--name', 'last', '--range', 'HEAD');
    while ((await policyOf('strict')).judged < 49) await delay(100);
    expect(await api('summary?repository=last')).toMatchObject({ commits: 1, lines: { added: 1 } });
    const { policies } = await json<PolicyList>('policy', 'list');
    expect(policies.map(({ id }) => id)).not.toContain('default');
  });
});
