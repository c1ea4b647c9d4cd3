import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { CaptureState, hookScript, loadProgress, sendSpool, Spool } from '@lineprint/capture';
import type { CodeFingerprint } from '@lineprint/contracts';
import { generator } from '../late-history';

// The client's own chaos: hooks and senders are killed as `kill -9` does, wherever they are, several at once.

jest.setTimeout(180_000);

const SDK = join(__dirname, '../../libs/capture/dist/sdk');
const SENDER = join(SDK, 'send.cjs');
const EDITS = 60;

describe('capture, when its processes are killed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-killed-capture-'));
  const state = new CaptureState(join(folder, 'state'));
  const random = generator(20);
  const taken = new Set<string>();
  let server: Server;

  beforeAll(async () => {
    mkdirSync(join(folder, 'shop/.git'), { recursive: true });
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        const json = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
        const { fingerprints } = JSON.parse(json.toString()) as { fingerprints: CodeFingerprint[] };
        fingerprints.forEach(({ codeId }) => taken.add(codeId));
        // Not at once: so that senders are killed between the request and the answer as well.
        setTimeout(() => {
          response.writeHead(202, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ accepted: fingerprints.length, rejected: [] }));
        }, random(80));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    state.saveSettings({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      apiKey: 'key',
      orgId: 'o',
      keyId: 'k',
      lineKey: Buffer.alloc(32, 7).toString('base64'),
      userId: 'ada@example.org',
      enrolledAt: Date.now(),
    });
    const programs = { node: process.execPath, sender: SENDER, state: state.directory };
    writeFileSync(join(folder, 'hook'), hookScript(programs));
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const start = (program: string, ...args: string[]): ChildProcess =>
    spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'] });
  /** Every other edit is told by the program that is for systems without a shell. */
  const hook = (edit: number) => {
    const child =
      edit % 2 === 0
        ? start('sh', join(folder, 'hook'), 'claude-code')
        : start(process.execPath, join(SDK, 'hook.cjs'), 'claude-code', '--state', state.directory);
    child
      .stdin!.on('error', () => undefined)
      .end(
        JSON.stringify({
          hook_event_name: 'PostToolUse',
          session_id: 'session',
          tool_name: 'Write',
          tool_use_id: `toolu_${edit}`,
          tool_input: {
            file_path: join(folder, 'shop/a.ts'),
            content: `export const edit${edit} = ${edit};\n`,
          },
          tool_response: { type: 'create' },
        }),
      );
    return child;
  };
  const ended = async (child: ChildProcess) => {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };

  it('loses no edit whose hook ended by itself, and nothing that was not answered', async () => {
    let finished = 0;
    for (let edit = 0; edit < EDITS; edit += 3) {
      const hooks = [hook(edit), hook(edit + 1), hook(edit + 2)];
      const sender = start(process.execPath, SENDER, '--state', state.directory);
      const killed = hooks[random(3)]!;
      setTimeout(() => killed.kill('SIGKILL'), random(300));
      setTimeout(() => sender.kill('SIGKILL'), 200 + random(900));
      const codes = await Promise.all(hooks.map(ended));
      finished += codes.filter((code) => code === 0).length;
      await ended(sender);
    }
    for (;;) {
      const outcome = await sendSpool(state, { now: true });
      const left = [state.inboxDirectory, state.spoolDirectory].flatMap((directory) =>
        new Spool(directory).segments(),
      );
      if (outcome === 'sent' && left.length === 0) break;
      await delay(100);
    }
    const { sent, refused, dropped } = loadProgress(state.progressPath);
    // A hook that was killed may have finished its work before.
    expect(taken.size).toBeGreaterThanOrEqual(finished);
    expect(taken.size).toBeLessThanOrEqual(EDITS);
    expect({ refused, dropped }).toEqual({ refused: 0, dropped: 0 });
    expect(sent).toBe(taken.size);
    expect(finished).toBeGreaterThanOrEqual((EDITS * 2) / 3);
  });
});
