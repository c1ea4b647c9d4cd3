import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as requestTo } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CaptureState, runHook, sendSpool } from '@lineprint/capture';
import { generateApiKey } from '@lineprint/persistence';
import { lineprintOutput, processesWith, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

jest.setTimeout(120_000);

describe('git hooks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-hooks-'));
  const apiKey = generateApiKey();
  let server: StandaloneServer;
  let repository: TestRepository;
  /** What was asked of the server through the door. */
  const asked: string[] = [];
  const door = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { host: _host, ...headers } = request.headers;
    request.pipe(
      requestTo(server.url + request.url!, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      }),
    );
  });

  beforeAll(async () => {
    server = await StandaloneServer.start(folder, apiKey);
    repository = new TestRepository(join(folder, 'harbour'));
    door.listen(0, '127.0.0.1');
    await once(door, 'listening');
  });
  afterAll(async () => {
    door.closeAllConnections();
    door.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(processesWith(folder)).toEqual([]);
  });

  const install = (url: string) =>
    lineprintOutput(['hook', 'install', '--repo', repository.path, '--url', url, '--api-key', apiKey]);
  async function judged(shas: readonly string[]): Promise<void> {
    for (;;) {
      const answer = await fetch(`${server.url}/api/v1/commits?repository=harbour&limit=200`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      const { commits } = (await answer.json()) as { commits: { sha: string }[] };
      const found = new Set(commits.map(({ sha }) => sha));
      if (shas.every((sha) => found.has(sha))) return;
      await delay(50);
    }
  }
  const status = async () =>
    JSON.parse(await lineprintOutput(['hook', 'status', '--json', '--repo', repository.path])) as {
      waiting: number;
      log: string[];
    };

  it('send a commit as it is made, an amended one again, and those of a linked working tree', async () => {
    await install(server.url);
    const first = repository.commit('first', { 'a.ts': 'export const a = 1;\n' });
    repository.git(['commit', '-q', '--amend', '-m', 'better']);
    const amended = repository.git(['rev-parse', 'HEAD']);
    repository.git(['worktree', 'add', '-q', join(folder, 'tree'), '-b', 'topic']);
    repository.git(['-C', join(folder, 'tree'), 'commit', '-q', '--allow-empty', '-m', 'there']);
    const there = repository.git(['rev-parse', 'topic']);
    await judged([first, amended, there]);
  });

  it('keep what they could not send, and send it when the server is back', async () => {
    await install('http://127.0.0.1:9');
    const missed = repository.commit('missed', { 'b.ts': 'export const b = 2;\n' });
    const log = join(repository.path, '.git/lineprint/hook.log');
    while (!/waiting: No Lineprint answers/.test(readFileSync(log, 'utf8'))) await delay(50);
    expect(await status()).toMatchObject({ waiting: 1 });
    await install(server.url);
    const next = repository.commit('next', { 'c.ts': 'export const c = 3;\n' });
    await judged([missed, next]);
    while ((await status()).waiting > 0) await delay(50);
  });

  it('send by the login of capture what was captured offline, and then the commit that holds it', async () => {
    const state = join(folder, 'state');
    await lineprintOutput(['login', '--state', state, '--url', server.url, '--api-key', apiKey]);
    const captured = new CaptureState(state);
    const down = { ...captured.settings(), url: 'http://127.0.0.1:9' };
    captured.saveSettings(down);
    const path = join(repository.path, 'd.ts');
    const content = 'export const depths = soundings.map(({ depth }) => depth);\n';
    const event = {
      hook_event_name: 'PostToolUse',
      session_id: 'offline',
      tool_name: 'Write',
      tool_use_id: 'toolu_offline',
      tool_input: { file_path: path, content },
      tool_response: { type: 'create' },
    };
    runHook('claude-code', JSON.stringify(event), { state: captured, now: Date.now() });
    expect(await sendSpool(captured)).toBe('failed');

    captured.saveSettings({ ...down, url: `http://127.0.0.1:${(door.address() as AddressInfo).port}` });
    await lineprintOutput(['hook', 'install', '--repo', repository.path, '--state', state]);
    const sha = repository.commit('offline', { 'd.ts': content });
    await judged([sha]);
    expect(asked.filter((line) => line.startsWith('POST'))).toEqual([
      'POST /api/v1/code-fingerprints',
      'POST /api/v1/commits',
    ]);
    while ((await status()).waiting > 0) await delay(50);
  });

  it('leave nothing behind when they are uninstalled', async () => {
    await lineprintOutput(['hook', 'uninstall', '--repo', repository.path]);
    const left = repository.git(['ls-files', '--others', '--exclude-standard']);
    expect(left).toBe('');
    const hooks = JSON.parse(
      await lineprintOutput(['hook', 'status', '--json', '--repo', repository.path]),
    ) as { hooks: { state: string }[] };
    expect(hooks.hooks.map(({ state }) => state)).toEqual(['none', 'none', 'none']);
  });
});
