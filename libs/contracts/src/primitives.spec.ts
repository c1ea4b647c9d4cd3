import { commitPushSchema } from './commits/commit';
import {
  authorId,
  bytesToWords,
  decodeWords,
  encodeWords,
  identifier,
  storedText,
  wordsToBytes,
} from './primitives';
import { codeFingerprintSchema } from './snippets/snippet';

describe('a text that is stored', () => {
  it.each(['\u0000', 'a\u0000b', '\ud800', 'a\udc00', '\udc00\ud800'])(
    'is refused when Postgres cannot hold it: %j',
    (text) => {
      expect(storedText(10).safeParse(text).success).toBe(false);
      expect(identifier(10).safeParse(text).success).toBe(false);
    },
  );

  it('may hold every other character, paired surrogates and control characters too', () => {
    for (const text of ['😀', 'naïve ☃', '\u0001\u001f\u007f', 'a\nb', '\uffff']) {
      expect(storedText(10).parse(text)).toBe(text);
      expect(identifier(10).parse(text)).toBe(text);
    }
  });

  it('is bounded, and as an identifier not empty', () => {
    expect(storedText(3).safeParse('abcd').success).toBe(false);
    expect(identifier(3).safeParse('abcd').success).toBe(false);
    expect(storedText(3).safeParse('').success).toBe(true);
    expect(identifier(3).safeParse('').success).toBe(false);
  });
});

describe('what clients send', () => {
  const refused = (schema: typeof commitPushSchema | typeof codeFingerprintSchema, body: object) =>
    (schema.safeParse(body).error?.issues ?? []).map(({ path }) => path.join('.'));

  it('is refused at the door when a stored text of a fingerprint holds U+0000', () => {
    const fingerprint = {
      codeId: 'c\u0000',
      sessionId: 's\u0000',
      userId: 'u\u0000',
      projectId: 'p\u0000',
      source: 'tab',
      signature: Array.from({ length: 128 }, () => 1),
      lshBuckets: Array.from({ length: 16 }, () => 1),
      language: 'go\u0000',
      fileExtension: '.g\u0000',
      timestamp: 0,
      lineCount: 1,
      charCount: 1,
      structureHash: '0123456789abcdef',
      keyId: 'k\u0000',
      repository: 'r\u0000',
      model: 'm\u0000',
      client: { name: 'n\u0000', version: 'v\u0000' },
    };
    expect(refused(codeFingerprintSchema, fingerprint).sort()).toEqual(
      [
        'client.name',
        'client.version',
        'codeId',
        'fileExtension',
        'keyId',
        'language',
        'model',
        'projectId',
        'repository',
        'sessionId',
        'userId',
      ].sort(),
    );
  });

  it('may be a commit whose text holds U+0000, but not one whose stored names do', () => {
    const file = {
      path: 'a.go\u0000',
      oldPath: 'b.go\u0000',
      status: 'modified',
      binary: false,
      addedLines: 1,
      deletedLines: 0,
      content: 'a\u0000b\n',
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, removed: [], added: ['a\u0000b'] }],
      excluded: 'x\u0000',
    };
    const commit = {
      repository: 'r\u0000',
      sha: 'a'.repeat(40),
      parents: [],
      authorName: 'Ada\u0000',
      authorEmail: '',
      committerName: '',
      committerEmail: '',
      authoredAt: 0,
      committedAt: 0,
      branch: 'main\u0000',
      declared: { tool: 't\u0000', by: 'author', source: 'agent', model: 'm\u0000' },
      files: [file],
    };
    expect(refused(commitPushSchema, commit)).toEqual([
      'repository',
      'branch',
      'declared.tool',
      'declared.model',
      'files.0.path',
      'files.0.oldPath',
      'files.0.excluded',
    ]);
  });
});

it('words come back from base64 as they were, wrapped to 32 bits', () => {
  expect([...decodeWords(encodeWords([0, 1, 0xffff_ffff, -1]))]).toEqual([0, 1, 0xffff_ffff, 0xffff_ffff]);
  expect(encodeWords([1])).toBe('AQAAAA==');
});

describe('binary vectors', () => {
  it('are little-endian words, as bytes and in base64, and come back the same', () => {
    const words = Uint32Array.of(1, 0x01020304, 0xffffffff, 0);
    expect([...wordsToBytes(words)]).toEqual([1, 0, 0, 0, 4, 3, 2, 1, 255, 255, 255, 255, 0, 0, 0, 0]);
    expect(encodeWords([1])).toBe('AQAAAA==');
    expect(bytesToWords(wordsToBytes(words))).toEqual(words);
    expect(decodeWords(encodeWords(words))).toEqual(words);
    // A view into a larger buffer, as database drivers give them.
    expect(bytesToWords(Uint8Array.of(9, 9, 9, 1, 0, 0, 0, 7).subarray(3, 8))).toEqual(Uint32Array.of(1));
  });
});

describe('the author of a commit', () => {
  it('is known by the e-mail address whatever its case, or by name where there is none', () => {
    expect(authorId({ authorEmail: ' Ada@Example.com ', authorName: 'Ada' })).toBe('ada@example.com');
    expect(authorId({ authorEmail: '', authorName: 'Ada' })).toBe('ada');
  });
});
