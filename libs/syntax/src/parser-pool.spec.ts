import childProcess from 'node:child_process';
import { estimateJaccard } from '@lineprint/fingerprint';
import type { SourceFile } from './ast-file';
import { MAX_COMMIT_CHUNKS } from './bound-chunks';
import { parsedLanguages } from './grammars';
import { MAX_COMMIT_UNITS } from './parse-plan';
import { openParserPool, type ParserPool } from './parser-pool';
import { samples, type Sample } from './samples';

const whole = (language: string, content: string): SourceFile => ({
  language,
  content,
  ranges: [{ first: 0, last: content.split('\n').length - 1 }],
});

const javascript = (name: string): string =>
  `function ${name}(rows) {\n  let sum = 0;\n  for (const row of rows) {\n    if (row.size > 3) sum += row.size * 2;\n  }\n  return sum;\n}\n`;

/** A text that is no program. */
function garbage(length: number): string {
  let text = '';
  for (let i = 0; i < length; i++) text += String.fromCharCode(33 + ((i * 7919 + ((i * i) >> 3)) % 94));
  return text;
}

/** Sample with its `@` line taken out, or replaced by a comment. */
const plain = (sample: Sample): string => sample.code.replace(/^@\n/m, '');
const commented = (sample: Sample): string => sample.code.replace(/^@$/m, sample.comment);

describe('ParserPool', () => {
  let pool: ParserPool;
  beforeAll(() => {
    pool = openParserPool();
  });
  afterAll(() => pool.close());

  it('has a sample of every language', () => {
    expect(Object.keys(samples)).toEqual([...parsedLanguages]);
  });

  describe.each(Object.entries(samples))('%s', (language, sample) => {
    it('gives the added lines as a chunk with a signature and its bands', async () => {
      const [file] = await pool.astChunks([whole(language, plain(sample))]);
      expect(file?.status).toBe('parsed');
      const [hunk] = file!.chunks;
      expect(hunk).toMatchObject({ kind: 'hunk', first: 0 });
      expect(hunk!.signature).toHaveLength(128);
      expect(hunk!.bands).toHaveLength(32);
    });

    it('gives the functions that have an added line', async () => {
      const content = plain(sample);
      const line = content.split('\n').findIndex((text) => text.includes('total'));
      const [file] = await pool.astChunks([{ language, content, ranges: [{ first: line, last: line }] }]);
      const functions = file!.chunks.filter((chunk) => chunk.kind === 'function');
      expect(functions.map(({ first, last }) => [first, last])).toEqual(sample.functions);
    });

    it('has the same signature after its variables were renamed', async () => {
      const renamed = plain(sample).replaceAll('total', 'amountSoFar');
      const before = await pool.snippetSignature(language, plain(sample));
      expect(before).toBeDefined();
      expect(await pool.snippetSignature(language, renamed)).toEqual(before);
    });

    it('has the same signature after a comment was added', async () => {
      expect(commented(sample)).toContain(sample.comment);
      expect(await pool.snippetSignature(language, commented(sample))).toEqual(
        await pool.snippetSignature(language, plain(sample)),
      );
    });
  });

  it('has another signature when operators or keywords differ', async () => {
    const code = javascript('f');
    const signature = await pool.snippetSignature('javascript', code);
    for (const [from, to] of [
      ['row.size *', 'row.size /'],
      ['let sum', 'const sum'],
    ] as const) {
      expect(await pool.snippetSignature('javascript', code.replace(from, to))).not.toEqual(signature);
    }
  });

  it('gives the hunk of a file the signature that the snippet alone has', async () => {
    const snippet = javascript('f');
    const content = `import x from 'é☃😀';\n${javascript('before')}${snippet}${javascript('after')}`;
    const [file] = await pool.astChunks([
      { language: 'javascript', content, ranges: [{ first: 8, last: 14 }] },
    ]);
    const signed = await pool.snippetSignature('javascript', snippet);
    expect(file!.chunks[0]).toEqual({ first: 8, last: 14, kind: 'hunk', ...signed });
  });

  it('gives no chunk to lines with too few nodes', async () => {
    const content = `${javascript('f')}x;\n`;
    const ranges = [
      { first: 3, last: 3 },
      { first: 7, last: 7 },
    ];
    const [file] = await pool.astChunks([{ language: 'javascript', content, ranges }]);
    expect(file!.chunks.map(({ kind, first, last }) => [kind, first, last])).toEqual([
      ['hunk', 3, 3],
      ['function', 0, 6],
    ]);
    expect(await pool.snippetSignature('javascript', 'f(x);')).toBeUndefined();
    expect(await pool.snippetSignature('javascript', '')).toBeUndefined();
  });

  it('gives neither very short nor very long functions as chunks', async () => {
    const short = 'const f = (a, b) => a.x + b.y * a.z - b.x + a.y;\n';
    const long = `function g() {\n${short.repeat(300)}}\n`;
    const [file] = await pool.astChunks([
      { language: 'javascript', content: long, ranges: [{ first: 9, last: 9 }] },
    ]);
    expect(file!.chunks.map((chunk) => chunk.kind)).toEqual(['hunk']);
  });

  it('parses PHP from the middle of a file like PHP with its opening tag', async () => {
    const code = samples['php']!.code.replace(/^@\n/m, '');
    const [tagged, bare] = await Promise.all(
      [code, code.replace('<?php\n', '')].map((text) => pool.snippetSignature('php', text)),
    );
    expect(estimateJaccard(tagged!.signature, bare!.signature)).toBeGreaterThan(0.8);
  });

  it('leaves other languages to the text lanes', async () => {
    const files = ['text', 'sql', '', 'toString', '__proto__'].map((language) => whole(language, 'a\nb\n'));
    expect(await pool.astChunks(files)).toEqual(files.map(() => ({ status: 'unsupported', chunks: [] })));
    expect(await pool.snippetSignature('sql', 'select 1')).toBeUndefined();
  });

  it('answers files in the order in which they were asked', async () => {
    const files = Array.from({ length: 60 }, (_, i) =>
      whole(i % 3 === 0 ? 'sql' : 'javascript', '\n'.repeat(i) + javascript('f')),
    );
    const answers = await pool.astChunks(files);
    expect(answers.map((file) => file.chunks.find((chunk) => chunk.kind === 'hunk')?.last)).toEqual(
      files.map((file, i) => (i % 3 === 0 ? undefined : file.ranges[0]!.last)),
    );
  });

  it('parses no line of more than 16,384 characters, but what stands around it', async () => {
    const content = `${javascript('f')}x = "${'é'.repeat(5_000_000)}";\n${javascript('g')}`;
    const [file] = await pool.astChunks([whole('javascript', content)]);
    expect(file!.status).toBe('too-large');
    expect(
      file!.chunks.filter(({ kind }) => kind !== 'window').map((c) => [c.kind, c.first, c.last]),
    ).toEqual([
      ['hunk', 0, 6],
      ['hunk', 8, 15],
    ]);
    expect(await pool.snippetSignature('javascript', `x = "${'é'.repeat(20_000)}"`)).toBeUndefined();
  });

  it('parses a million characters of a commit, and says of the rest that it is too large', async () => {
    const functions = Array.from({ length: 9000 }, (_, i) => javascript(`f${i}`)).join('');
    const small = whole('javascript', javascript('f'));
    const answers = await pool.astChunks([small, whole('javascript', functions), small]);
    expect(functions.length).toBeGreaterThan(MAX_COMMIT_UNITS);
    expect(answers.map(({ status }) => status)).toEqual(['parsed', 'too-large', 'parsed']);
  });

  it('gives a line in a long file the chunks that it has in its piece of it', async () => {
    const functions = Array.from({ length: 1000 }, (_, i) => javascript(`f${i}`));
    const [file] = await pool.astChunks([
      {
        language: 'javascript',
        content: functions.join('\n'),
        ranges: [{ first: 8 * 700 + 3, last: 8 * 700 + 3 }],
      },
    ]);
    expect(file).toEqual({
      status: 'parsed',
      chunks: [
        expect.objectContaining({ kind: 'hunk', first: 5603, last: 5603 }),
        {
          kind: 'function',
          first: 5600,
          last: 5606,
          ...(await pool.snippetSignature('javascript', functions[700]!)),
        },
      ],
    });
  });

  it('gives a window of a long hunk the signature that its lines have as a snippet', async () => {
    const snippet = javascript('f').replace('return', 'if (sum > 9) return 9;\n  return');
    const other = (i: number): string => `const x${i} = load(path[${i}], { mode: ${i} }) || undefined;\n`;
    const content = `${[0, 1, 2, 3].map(other).join('')}${snippet}${[4, 5, 6, 7].map(other).join('')}`;
    const signed = await pool.snippetSignature('javascript', snippet);
    const [file] = await pool.astChunks([whole('javascript', content)]);
    expect(file!.chunks).toContainEqual({ kind: 'function', first: 4, last: 11, ...signed });
    const loose = content.replace('function f(rows) {', 'for (const rows of f) {');
    const [windows] = await pool.astChunks([whole('javascript', loose)]);
    expect(windows!.chunks).toContainEqual({
      ...{ kind: 'window', first: 4, last: 11 },
      ...(await pool.snippetSignature(
        'javascript',
        snippet.replace('function f(rows) {', 'for (const rows of f) {'),
      )),
    });
  });

  it('gives 256 chunks of a commit at most, as many of one file as of another', async () => {
    const long = whole('javascript', Array.from({ length: 100 }, (_, i) => javascript(`f${i}`)).join('\n'));
    const answers = await pool.astChunks([long, long, whole('javascript', javascript('f'))]);
    const counts = answers.map(({ chunks }) => chunks.length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(MAX_COMMIT_CHUNKS);
    expect(Math.abs(counts[0]! - counts[1]!)).toBeLessThanOrEqual(1);
    expect(answers[2]!.chunks.map(({ kind }) => kind)).toEqual(['hunk', 'window', 'window']);
  });

  it('does not look at nodes nested deeper than maxDepth', async () => {
    const shallow = openParserPool({ maxDepth: 2 });
    expect(await shallow.snippetSignature('javascript', javascript('f'))).toBeUndefined();
    await shallow.close();
  });

  it('gives a file without added lines no chunks', async () => {
    expect(await pool.astChunks([{ language: 'go', content: 'package a\n', ranges: [] }])).toEqual([
      { status: 'parsed', chunks: [] },
    ]);
  });

  it('takes ranges that lie after the end of the file', async () => {
    const ranges = [{ first: 70, last: 90 }];
    const [file] = await pool.astChunks([{ language: 'javascript', content: javascript('f'), ranges }]);
    expect(file).toEqual({ status: 'parsed', chunks: [] });
  });

  // Each on lines of 50: tree-sitter itself nests them all the same.
  it.each([
    ['brackets', 'javascript', '['],
    ['calls', 'python', 'f('],
    ['blocks', 'c', '{'],
    ['braces', 'css', 'a{'],
    ['expressions', 'typescript', '1 + ('],
  ])('answers 20,000 nested %s of %s, and the file after them', async (_name, language, text) => {
    const content = `${text.repeat(50)}\n`.repeat(400);
    const answers = await pool.astChunks([whole(language, content), whole('javascript', javascript('f'))]);
    expect(answers.map((file) => file.status)).toEqual(['parsed', 'parsed']);
  });

  it('stops at a text that takes more steps than any code', async () => {
    const hostile = whole('csharp', 'a<'.repeat(8000));
    const answers = await pool.astChunks([hostile, whole('javascript', javascript('f'))]);
    expect(answers.map((file) => file.status)).toEqual(['too-complex', 'parsed']);
  });

  it.each([
    ['NUL', '\0'],
    ['lone surrogates', '\ud800x\udc00'],
    ['characters that stand for invalid UTF-8', '\ufffd'],
    ['carriage returns', '\r'],
    ['a byte order mark', '\ufeff'],
  ])('parses what stands around %s', async (_name, odd) => {
    const content = `${javascript('f')}const s = "${odd}";\n${javascript('g')}`;
    const [file] = await pool.astChunks([whole('javascript', content)]);
    expect(file!.status).toBe('parsed');
    expect(file!.chunks.filter(({ kind }) => kind === 'function').map((c) => [c.first, c.last])).toEqual([
      [0, 6],
      [8, 14],
    ]);
  });

  it.each([...parsedLanguages])('answers garbage as %s, and the file after it', async (language) => {
    const answers = await pool.astChunks([
      whole(language, garbage(8_000)),
      whole('javascript', javascript('f')),
    ]);
    expect(['parsed', 'too-complex']).toContain(answers[0]?.status);
    expect(answers[1]?.status).toBe('parsed');
  });

  it('answers a file of a million lines of garbage', async () => {
    const [file] = await pool.astChunks([whole('go', `${garbage(30)}\n`.repeat(1_000_000))]);
    expect(file!.status).toBe('too-complex');
  }, 60_000);
});

describe('ParserPool when its process', () => {
  const forked: childProcess.ChildProcess[] = [];
  const fork = childProcess.fork;
  let pool: ParserPool;

  /** Does something to the first processes, one by default, when they have got their first file. */
  function onFirstFile(act: (child: childProcess.ChildProcess) => void, processes = 1): void {
    jest.spyOn(childProcess, 'fork').mockImplementation((...call) => {
      const child = (fork as (...args: unknown[]) => childProcess.ChildProcess)(...call);
      forked.push(child);
      const send = child.send.bind(child) as (...args: unknown[]) => boolean;
      if (forked.length <= processes) {
        child.send = (...message: unknown[]): boolean => {
          act(child);
          return send(...message);
        };
      }
      return child;
    });
  }

  beforeEach(() => {
    forked.length = 0;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await pool.close();
  });

  const files = ['a', 'b', 'c', 'd'].map((name) => whole('javascript', javascript(name)));

  it('is killed: its file is parsed by the next one', async () => {
    onFirstFile((child) => child.kill('SIGKILL'));
    pool = openParserPool();
    const answers = await pool.astChunks(files);
    expect(answers.map((file) => file.status)).toEqual(['parsed', 'parsed', 'parsed', 'parsed']);
    expect(forked).toHaveLength(2);
  });

  it('dies of one file twice: that file has crashed, the others are answered', async () => {
    onFirstFile((child) => child.kill('SIGKILL'), 2);
    pool = openParserPool();
    const answers = await pool.astChunks(files);
    expect(answers.map((file) => file.status)).toEqual(['crashed', 'parsed', 'parsed', 'parsed']);
    expect(forked).toHaveLength(3);
  });

  it('hangs twice: it is killed, its file has timed out, the others are answered', async () => {
    onFirstFile((child) => child.kill('SIGSTOP'), 2);
    pool = openParserPool({ timeoutMs: 1000 });
    const answers = await pool.astChunks(files);
    expect(answers.map((file) => file.status)).toEqual(['timeout', 'parsed', 'parsed', 'parsed']);
    expect(forked.map((child) => child.killed)).toEqual([true, true, false]);
  });

  it('is killed between two files: nobody notices', async () => {
    onFirstFile(() => undefined);
    pool = openParserPool();
    expect((await pool.astChunks(files.slice(0, 1)))[0]?.status).toBe('parsed');
    const ended = new Promise((resolve) => forked[0]!.once('exit', resolve));
    forked[0]!.kill('SIGKILL');
    await ended;
    expect((await pool.astChunks(files.slice(1, 2)))[0]?.status).toBe('parsed');
  });

  it('outgrows its memory: it is replaced after its answer', async () => {
    onFirstFile(() => undefined);
    pool = openParserPool({ maxMemoryMb: 30 });
    const answers = await pool.astChunks(files);
    expect(answers.map((file) => file.status)).toEqual(['parsed', 'parsed', 'parsed', 'parsed']);
    expect(forked).toHaveLength(4);
  });

  it('holds twice its memory while it parses: it is killed', async () => {
    onFirstFile((child) => child.kill('SIGSTOP'), 2);
    pool = openParserPool({ maxMemoryMb: 10 });
    const answers = await pool.astChunks(files.slice(0, 1));
    expect(answers.map((file) => file.status)).toEqual(['crashed']);
    expect(forked.map((child) => child.killed)).toEqual([true, true]);
  });

  it('does not start: the caller learns that this is no fault of the file', async () => {
    jest.spyOn(childProcess, 'fork').mockImplementation(() => fork('/nonexistent.js', { stdio: 'ignore' }));
    pool = openParserPool();
    await expect(pool.astChunks(files)).rejects.toMatchObject({
      code: 'parser-start-failed',
      transient: true,
    });
  });

  it('is closed: files that wait throw, and it has ended', async () => {
    onFirstFile(() => undefined);
    pool = openParserPool({ processes: 2 });
    const waiting = expect(pool.astChunks(files)).rejects.toMatchObject({ code: 'parser-closed' });
    await pool.close();
    await waiting;
    expect(forked.map((child) => child.signalCode)).toEqual(['SIGKILL', 'SIGKILL']);
    await expect(pool.snippetSignature('go', 'package a')).rejects.toMatchObject({ code: 'parser-closed' });
  });
});

describe('parser process', () => {
  it('ends when its parent goes away', async () => {
    const entry = require.resolve('../dist/parser-process.js');
    const child = childProcess.fork(entry, { serialization: 'advanced', stdio: 'ignore' });
    await new Promise((resolve) => child.once('message', resolve));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    expect(await ended).toBe(0);
  });
});
