import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { captureEdit, LineprintClient } from '@lineprint/capture';
import { type CandidatesEvent, type CommitFile, TOPICS } from '@lineprint/contracts';
import { isRefsEvent, openEventLog } from '@lineprint/event-log';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { generateApiKey, openDatabase } from '@lineprint/persistence';
import { lineprintOutput, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

const MEBIBYTE = 1024 * 1024;
/** What the server may hold: PGlite alone takes 800 MB, a commit of the largest size the rest. */
const MAX_MEGABYTES = 2000;

const code = (name: string) =>
  `export function ${name}(ledger: Ledger, opening: number): number {
  let running = opening;
  for (const entry of ledger.entriesSince(opening)) {
    running += entry.creditCents - entry.debitCents;
    if (running < entry.overdraftFloor) throw new OverdraftError(entry.reference, running);
  }
  return running;
}
`;

const HONEST = `export function tideAt(harbour: Harbour, hour: number): Level {
  const curve = harbour.constituents.map((part) => part.amplitude * Math.cos(part.speed * hour - part.phase));
  const height = curve.reduce((sum, value) => sum + value, harbour.meanLevel);
  const surge = harbour.pressureAnomaly * -0.01 + harbour.windStress(hour) / harbour.shelfDepth;
  return { height: height + surge, rising: harbour.slopeAt(hour) > 0, hour };
}
`;

/** What a file holds, and what becomes of its lines: counted, with git's own number of them, or left out. */
interface HostileFile {
  readonly path: string;
  readonly content: string | Buffer;
  readonly added: number;
  readonly blank?: number;
  readonly excluded?: string;
  /** Why the syntax tree says nothing of it. */
  readonly syntaxFallback?: string;
}

const nested = (text: string) => `${text.repeat(50)}\n`.repeat(400);
const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

const hostile: readonly HostileFile[] = [
  {
    path: 'line-of-5-mb.ts',
    content: `const x = "${'a b,'.repeat(1.3 * MEBIBYTE)}";\n${code('afterIt')}`,
    added: 9,
    excluded: 'too-large',
  },
  { path: 'line-of-3-mb.ts', content: `const x = "${'a b,'.repeat(0.7 * MEBIBYTE)}";\n`, added: 1 },
  { path: 'minified.ts', content: `f(1);`.repeat(10_000), added: 1, excluded: 'minified' },
  {
    path: 'long-line-in-code.ts',
    content: `${code('beforeIt').repeat(20)}const x = "${'y'.repeat(20_000)}";\n${code('behindIt').repeat(20)}`,
    added: 321,
    syntaxFallback: 'too-large',
  },
  { path: 'nested-in-lines.js', content: nested('['), added: 400 },
  { path: 'nested-calls.py', content: nested('f('), added: 400 },
  { path: 'nested-blocks.c', content: '{\n'.repeat(20_000) + '}\n'.repeat(20_000), added: 40_000 },
  {
    path: 'generics.cs',
    content: `${'a<'.repeat(50)}\n`.repeat(160),
    added: 160,
    syntaxFallback: 'too-complex',
  },
  {
    path: 'binary.go',
    content: Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)),
    added: 0,
    excluded: 'binary',
  },
  {
    path: 'late-nul.ts',
    content: `${code('early').repeat(40)}const nul = "\0";\n${code('late')}`,
    added: 329,
  },
  { path: 'surrogates.ts', content: bytes(code('a'), '// ', [0xed, 0xa0, 0x80], '\n', code('b')), added: 17 },
  {
    path: 'latin-1.ts',
    content: bytes(code('a'), 'const ', [0xe9, 0xff, 0xfe], ' = 1;\n', code('b')),
    added: 17,
  },
  {
    path: 'million-lines.ts',
    content: 'x += 1;\n'.repeat(1_000_000),
    added: 1_000_000,
    excluded: 'too-large',
  },
  {
    path: 'million-blank-lines.ts',
    content: '\n'.repeat(1_000_000),
    added: 1_000_000,
    excluded: 'too-large',
  },
  {
    path: 'equal-lines.ts',
    content: 'running += entry.creditCents - entry.debitCents;\n'.repeat(40_000),
    added: 40_000,
  },
  { path: 'carriage-returns.ts', content: code('mac').replaceAll('\n', '\r'), added: 1 },
];

interface ExportedFile {
  readonly path: string;
  readonly added_lines: number;
  readonly blank_lines: number;
  readonly inherited_lines: number;
  readonly excluded: string | null;
  readonly results: readonly { readonly total_lines: number; readonly ai_preserved_lines: number }[];
}

describe('a history of hostile files', () => {
  let directory: string;
  let options: string[];
  let server: StandaloneServer;
  let client: LineprintClient;
  let lineKey: LineKey;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-hostile-'));
    const apiKey = generateApiKey();
    server = await StandaloneServer.start(directory, apiKey);
    options = ['--url', server.url, '--api-key', apiKey];
    client = new LineprintClient({ url: server.url, apiKey });
    const answer = await fetch(`${server.url}/api/v1/enrolment`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const enrolment = (await answer.json()) as { keyId: string; lineKey: string };
    lineKey = deriveLineKey(Buffer.from(enrolment.lineKey, 'base64'), enrolment.keyId);
  }, 60_000);
  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  const exported = async (): Promise<Map<string, ExportedFile>> => {
    const text = await lineprintOutput(['export', '--json', ...options]);
    const rows = text
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as { type: string; files?: ExportedFile[] });
    return new Map(rows.flatMap(({ files }) => files ?? []).map((file) => [file.path, file]));
  };

  const snippet = (path: string, text: string) =>
    captureEdit({
      path,
      before: '',
      after: text,
      source: 'agent',
      sessionId: randomUUID(),
      toolCallIndex: 0,
      userId: 'ada@example.org',
      repository: 'hostile',
      timestamp: 1_779_999_000_000,
      lineKey,
      client: { name: 'test', version: '1' },
    });

  it('gets a verdict on every commit, within limits, and its lines equal git’s own count', async () => {
    const repository = new TestRepository(join(directory, 'hostile'));
    for (const { path, content } of hostile) {
      mkdirSync(dirname(join(repository.path, path)), { recursive: true });
      writeFileSync(join(repository.path, path), content);
      repository.commit(path);
    }
    await client.sendFingerprints(snippet('after.ts', HONEST));
    await client.sendFingerprints(
      snippet('equal-lines.ts', 'running += entry.creditCents - entry.debitCents;\n'.repeat(3000)),
    );
    repository.commit('honest work', { 'after.ts': HONEST });

    let peakMegabytes = 0;
    const sampler = setInterval(() => {
      peakMegabytes = Math.max(peakMegabytes, residentMegabytes(server.pid));
    }, 200);
    const outcome = JSON.parse(
      await lineprintOutput(['backfill', '--repo', repository.path, '--json', ...options], {
        LINEPRINT_STATE_DIRECTORY: directory,
      }),
    ) as object;
    clearInterval(sampler);
    expect(outcome).toMatchObject({ commits: hostile.length + 1, git: { equal: true } });
    const files = await exported();
    for (const { path, added, blank = 0, excluded = null } of hostile) {
      const file = files.get(path)!;
      expect({ path, added: file.added_lines, excluded: file.excluded }).toEqual({ path, added, excluded });
      const attributed = file.results.reduce((sum, { total_lines }) => sum + total_lines, 0);
      expect({ path, attributed: attributed + file.inherited_lines }).toEqual({
        path,
        attributed: excluded ? 0 : added - blank,
      });
    }
    expect(files.get('after.ts')!.results[0]).toMatchObject({ ai_preserved_lines: 6 });

    expect(peakMegabytes).toBeLessThan(MAX_MEGABYTES);
  }, 300_000);

  it('takes what only a push can hold: U+0000, lone surrogates, a million lines', async () => {
    const text = `${HONEST}const odd = '\0\ud800';\n`;
    const hunk = (newLines: number) => ({ oldStart: 0, oldLines: 0, newStart: 1, newLines, removed: [] });
    const file = (path: string, content: string, addedLines: number): CommitFile => ({
      ...{ path, content, addedLines, status: 'added', binary: false, deletedLines: 0 },
      hunks: [hunk(addedLines)],
    });
    const people = { authorName: 'A', authorEmail: 'a@example.org', committerName: '', committerEmail: '' };
    const answer = await client.sendCommits([
      {
        ...{ repository: 'pushed', sha: 'a'.repeat(40), parents: [], ...people },
        ...{ authoredAt: 1_790_000_000_000, committedAt: 1_790_000_000_000 },
        files: [file('odd.ts', text, 7), file('long.ts', 'x\n'.repeat(1_000_000), 1_000_000)],
      },
    ]);
    expect(answer).toEqual({ accepted: 1, rejected: [] });
    let files = await exported();
    while (!files.has('odd.ts')) files = await exported();
    expect(files.get('odd.ts')).toMatchObject({ added_lines: 7, excluded: null });
    expect(files.get('long.ts')).toMatchObject({ added_lines: 1_000_000, excluded: 'too-large' });
  }, 60_000);

  it('says where the syntax tree was left out', async () => {
    await server.stop();
    const database = await openDatabase(`pglite:${join(directory, 'database')}`);
    const log = await openEventLog('embedded:', { database, clientId: 'test' });
    const ends = await log.endOffsets(TOPICS.candidates);
    const found = new Map<string, string | undefined>();
    const ranges = ends.map((to, partition) => ({ partition, from: 0, to }));
    for await (const record of log.read(TOPICS.candidates, ranges)) {
      if (isRefsEvent(record)) continue;
      const { files } = JSON.parse(Buffer.from(record.value).toString('utf8')) as CandidatesEvent;
      for (const file of files) found.set(file.path, file.syntaxFallback);
    }
    await database.close();
    for (const { path, syntaxFallback } of hostile) {
      expect({ path, syntaxFallback: found.get(path) }).toEqual({ path, syntaxFallback });
    }
  });
});

function residentMegabytes(pid: number): number {
  const kilobytes = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }));
  return kilobytes / 1000;
}
