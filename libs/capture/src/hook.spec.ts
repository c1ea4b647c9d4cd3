import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodeFingerprint } from '@lineprint/contracts';
import { CaptureState } from './capture-state';
import { runHook } from './hook';
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
});
