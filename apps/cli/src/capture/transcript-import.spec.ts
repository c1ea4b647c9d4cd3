import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adapters, CaptureState, loadProgress, spooledRecords } from '@lineprint/capture';
import type { CodeFingerprint } from '@lineprint/contracts';
import { importTranscripts } from './transcript-import';

const FIXTURE = join(
  __dirname,
  '../../../../libs/capture/src/adapters/fixtures/claude-code/transcript.jsonl',
);

describe('importTranscripts', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-import-'));
  const state = new CaptureState(join(folder, 'state'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('spools each call of a folder of transcripts once, with the time of the transcript', () => {
    state.saveSettings({
      url: 'http://127.0.0.1:9',
      apiKey: 'key',
      orgId: 'o',
      keyId: 'k1',
      lineKey: Buffer.alloc(32, 7).toString('base64'),
      userId: 'ada@example.org',
      enrolledAt: 0,
    });
    for (const name of ['one', 'two']) {
      mkdirSync(join(folder, 'transcripts', name), { recursive: true });
      copyFileSync(FIXTURE, join(folder, 'transcripts', name, 'session.jsonl'));
    }
    const trees = [{ root: '/home/ada/shop', name: 'shop' }];
    const report = importTranscripts(adapters['claude-code']!, join(folder, 'transcripts'), state, {
      trees,
      now: 1,
    });
    expect(report).toEqual({ files: 2, edits: 2, repeated: 2, fingerprints: 2 });
    const spooled = spooledRecords(state, loadProgress(state.progressPath));
    expect(spooled.map((record) => JSON.parse(record) as CodeFingerprint)).toEqual([
      expect.objectContaining({
        timestamp: Date.UTC(2026, 10, 2, 9, 0, 2),
        repository: 'shop',
        lineCount: 2,
      }),
      expect.objectContaining({
        timestamp: Date.UTC(2026, 10, 2, 9, 0, 8),
        repository: 'shop',
        lineCount: 7,
      }),
    ]);
  });

  it('places each file in the innermost of several working trees, and leaves out what lies in none', () => {
    const { fingerprints } = importTranscripts(adapters['claude-code']!, FIXTURE, state, {
      trees: [
        { root: '/home/ada', name: 'home' },
        { root: '/home/ada/shop', name: 'shop' },
        { root: '/home/bob/shop', name: 'bobs' },
      ],
      now: 2,
    });
    expect(fingerprints).toBe(2);
    const spooled = spooledRecords(state, loadProgress(state.progressPath)).slice(-2);
    expect(spooled.map((record) => (JSON.parse(record) as CodeFingerprint).repository)).toEqual([
      'shop',
      'shop',
    ]);
    const elsewhere = [{ root: '/home/bob/shop', name: 'bobs' }];
    const report = importTranscripts(adapters['claude-code']!, FIXTURE, state, { trees: elsewhere, now: 3 });
    expect(report).toEqual({ files: 1, edits: 2, repeated: 0, fingerprints: 0 });
  });

  it('says when there is nothing to import', () => {
    mkdirSync(join(folder, 'empty'));
    const of = (path: string) => () => importTranscripts(adapters['claude-code']!, path, state, { now: 1 });
    expect(of(join(folder, 'absent'))).toThrow(expect.objectContaining({ code: 'no-transcripts' }));
    expect(of(join(folder, 'empty'))).toThrow(expect.objectContaining({ code: 'no-transcripts' }));
  });
});
