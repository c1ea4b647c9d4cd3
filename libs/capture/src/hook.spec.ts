import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodeFingerprint } from '@lineprint/contracts';
import { CaptureState } from './capture-state';
import { runHook } from './hook';
import { hookScript } from './hook-script';
import { readInbox } from './inbox';
import { Spool } from './spool';

const NOW = 1_790_000_000_000;

describe('a hook', () => {
  let folder: string;
  let state: CaptureState;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lineprint-hook-'));
    mkdirSync(join(folder, 'shop/.git'), { recursive: true });
    state = new CaptureState(join(folder, 'state'));
    state.saveSettings({
      url: 'http://127.0.0.1:9',
      apiKey: 'key',
      orgId: 'o',
      keyId: 'k1',
      lineKey: Buffer.alloc(32, 7).toString('base64'),
      userId: 'ada@example.org',
      enrolledAt: NOW,
    });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const event = (changes: object = {}) =>
    JSON.stringify({
      hook_event_name: 'PostToolUse',
      session_id: 's',
      transcript_path: join(folder, 'transcript.jsonl'),
      tool_name: 'Write',
      tool_use_id: 'toolu_1',
      tool_input: { file_path: join(folder, 'shop/a.ts'), content: 'const a = 1;\n' },
      tool_response: { type: 'create' },
      ...changes,
    });
  const records = (directory: string) =>
    new Spool(directory).segments().flatMap(({ name }) => new Spool(directory).read(name));
  const fingerprints = () =>
    records(state.spoolDirectory).map((record) => JSON.parse(record) as CodeFingerprint);
  const log = () => readFileSync(state.logPath, 'utf8');

  it('puts the event aside, and what reads it makes fingerprints of the time when the hook ran', () => {
    writeFileSync(
      join(folder, 'transcript.jsonl'),
      '{"type":"assistant","message":{"model":"m-1","content":[]}}\n',
    );
    runHook('claude-code', event(), { state, now: NOW });
    expect(records(state.inboxDirectory)).toHaveLength(1);
    expect(readInbox(state, NOW + 5000)).toBe(0);
    expect(records(state.inboxDirectory)).toEqual([]);
    expect(fingerprints()).toEqual([
      expect.objectContaining({
        timestamp: NOW,
        repository: 'shop',
        userId: 'ada@example.org',
        model: 'm-1',
        client: { name: 'claude-code', version: '0.1.0' },
      }),
    ]);
  });

  it('makes no second fingerprint of an event that is read again after a crash', () => {
    runHook('claude-code', event(), { state, now: NOW });
    const { name } = new Spool(state.inboxDirectory).segments()[0]!;
    const kept = new Spool(state.inboxDirectory).read(name);
    readInbox(state, NOW);
    new Spool(state.inboxDirectory).write(name, kept);
    readInbox(state, NOW);
    expect(fingerprints()).toHaveLength(1);
  });

  it('sends code only where the organisation and the developer allow it', () => {
    const codes = [
      [false, false],
      [true, false],
      [false, true],
      [true, true],
    ].map(([rawCode, sendCode], i) => {
      state.saveSettings({ ...state.settings(), rawCode: rawCode!, sendCode: sendCode! });
      runHook('claude-code', event({ tool_use_id: `toolu_${i}` }), { state, now: NOW + i });
      readInbox(state, NOW);
      return fingerprints().at(-1)!.rawCode;
    });
    expect(codes).toEqual([undefined, undefined, undefined, 'const a = 1;']);
  });

  it('keeps nothing of files outside every repository, and of events that change none', () => {
    const outside = { tool_input: { file_path: join(folder, 'b.ts'), content: 'x\n' } };
    runHook('claude-code', event(outside), { state, now: NOW });
    runHook('claude-code', event({ tool_name: 'Read' }), { state, now: NOW });
    expect(readInbox(state, NOW)).toBe(0);
    expect(fingerprints()).toEqual([]);
  });

  it('never throws: what it does not understand is in the log, and the rest is captured', () => {
    runHook('claude-code', 'no JSON', { state, now: NOW });
    runHook('claude-code', event({ tool_input: {} }), { state, now: NOW });
    runHook('no-such-assistant', event(), { state, now: NOW });
    runHook('claude-code', event(), { state, now: NOW });
    expect(readInbox(state, NOW)).toBe(3);
    expect(fingerprints()).toHaveLength(1);
    expect(log()).toMatch(/file_path is not a text \(event-malformed\)/);
    expect(log()).toMatch(/there is no hook for no-such-assistant/);
  });

  it('keeps no code on a machine that is not enrolled, and says what to do', () => {
    rmSync(join(state.directory, 'settings.json'));
    runHook('claude-code', event(), { state, now: NOW });
    expect(records(state.inboxDirectory)).toEqual([]);
    expect(log()).toContain('lineprint login');
  });

  it('never throws on a disk that takes nothing', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const nowhere = new CaptureState(join(file, 'state'));
    expect(() => runHook('claude-code', event(), { state: nowhere, now: NOW })).not.toThrow();
  });

  describe('as a program of the shell', () => {
    let script: string;
    const started = () => join(folder, "ada's/started");
    beforeEach(() => {
      script = join(folder, 'hook');
      const sender = join(folder, "ada's/sender.js");
      mkdirSync(join(folder, "ada's"));
      writeFileSync(
        sender,
        `require('node:fs').writeFileSync(${JSON.stringify(started())}, process.argv.slice(2).join());`,
      );
      writeFileSync(script, hookScript({ node: process.execPath, sender, state: state.directory }));
    });
    const run = (input: string) => {
      const { status, stdout, stderr } = spawnSync('sh', [script, 'claude-code'], {
        input,
        encoding: 'utf8',
      });
      return [status, stdout, stderr];
    };
    const GOOD = [0, '', ''];

    it('puts the event aside as the library does, readable by its owner only, and starts a sender', async () => {
      expect(run(JSON.stringify(JSON.parse(event()), null, 2).replaceAll('\n', '\r\n'))).toEqual(GOOD);
      while (!existsSync(started())) await new Promise((resolve) => setTimeout(resolve, 10));
      const [segment] = new Spool(state.inboxDirectory).segments();
      expect(statSync(join(state.inboxDirectory, segment!.name)).mode & 0o777).toBe(0o600);
      const [written] = records(state.inboxDirectory);
      runHook('claude-code', event(), { state, now: Date.now() });
      expect(JSON.parse(written!)).toEqual(JSON.parse(records(state.inboxDirectory)[1]!));
      expect(readInbox(state, Date.now())).toBe(0);
      expect(fingerprints()[0]!.timestamp).toBe(segment!.time);
      expect(Math.abs(Date.now() - segment!.time)).toBeLessThan(60_000);
    });

    it('starts none while one is at work, and one when that one is gone', async () => {
      writeFileSync(state.lockPath, String(process.pid));
      expect(run(event())).toEqual(GOOD);
      const { pid } = spawnSync('true');
      writeFileSync(state.lockPath, String(pid));
      expect(run(event())).toEqual(GOOD);
      while (!existsSync(started())) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(records(state.inboxDirectory)).toHaveLength(2);
    });

    it('keeps no code on a machine that is not enrolled, and says what to do', () => {
      rmSync(join(state.directory, 'settings.json'));
      expect(run(event())).toEqual(GOOD);
      expect(existsSync(state.inboxDirectory)).toBe(false);
      expect(log()).toContain('claude-code: an edit was not captured: run `lineprint login`');
    });

    it('ends well where nothing can be written, and where Node is gone', () => {
      writeFileSync(state.inboxDirectory, 'in the way');
      expect(run(event())).toEqual(GOOD);
      rmSync(state.inboxDirectory);
      const programs = { node: join(folder, 'gone'), sender: 'x', state: state.directory };
      writeFileSync(script, hookScript(programs));
      expect(run(event())).toEqual(GOOD);
      expect(records(state.inboxDirectory)).toHaveLength(1);
    });
  });
});
