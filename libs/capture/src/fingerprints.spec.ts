import { codeFingerprintSchema } from '@lineprint/contracts';
import { deriveLineKey, linePrintsFromBase64 } from '@lineprint/fingerprint';
import type { CapturedEdit } from './adapters/adapter';
import { explainFingerprint, requestBody } from './explanation';
import { type EditPlace, fingerprintsOf } from './fingerprints';

const lineKey = deriveLineKey(new Uint8Array(32).fill(3), 'key');
const options = { lineKey, client: { name: 'claude-code', version: '1' } };
const place: EditPlace = { path: 'src/a.ts', repository: 'shop', userId: 'ada@example.org' };
const edit: CapturedEdit = {
  path: '/home/ada/shop/src/a.ts',
  before: 'const one = 1;\n',
  after: 'const one = 1;\nconst two = 2;\n',
  kind: 'replace',
  source: 'agent',
  sessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11',
  toolCallId: 'toolu_01',
  time: 1_780_311_600_000,
};
const of = (changes: Partial<CapturedEdit> = {}, more: object = {}) =>
  fingerprintsOf([{ edit: { ...edit, ...changes }, place }], { ...options, ...more });

describe('fingerprintsOf', () => {
  it('takes only the lines that differ, and says whose, where and how', () => {
    const [fingerprint, ...others] = of({ model: 'm-1', userModified: true });
    expect(others).toEqual([]);
    expect(fingerprint).toMatchObject({
      protocol: 2,
      lineCount: 1,
      userId: 'ada@example.org',
      repository: 'shop',
      model: 'm-1',
      source: 'agent',
      timestamp: edit.time,
      edit: { kind: 'replace' },
      acceptedPartially: true,
      client: options.client,
    });
    expect(codeFingerprintSchema.parse(fingerprint)).toEqual(fingerprint);
  });

  it('gives an edit the same code id each time, and each edit of a call its own', () => {
    expect(of()[0]!.codeId).toBe(of({ time: 5 })[0]!.codeId);
    const twice = fingerprintsOf(
      [
        { edit, place },
        { edit, place: { ...place, path: 'b.ts' } },
      ],
      options,
    );
    const ids = [...twice, ...of({ toolCallId: 'toolu_02' }), ...of({ sessionId: 's' })].map(
      (item) => item.codeId,
    );
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id.length).toBeLessThanOrEqual(64);
    expect(ids[0]).toContain(edit.sessionId);
  });

  it('shortens a session id that no message can carry, and a model', () => {
    const [fingerprint] = of({ sessionId: 'x'.repeat(100), model: 'm'.repeat(300) });
    expect(codeFingerprintSchema.safeParse(fingerprint).success).toBe(true);
    expect(fingerprint!.sessionId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('names the session that started a sub-agent, shortened as that session is itself', () => {
    expect(of({})[0]).not.toHaveProperty('parentSessionId');
    for (const parent of ['ses_main', 'x'.repeat(100)]) {
      const [fingerprint] = of({ sessionId: 'child', parentSessionId: parent });
      expect(codeFingerprintSchema.parse(fingerprint)).toEqual(fingerprint);
      expect(fingerprint!.parentSessionId).toBe(of({ sessionId: parent })[0]!.sessionId);
    }
  });

  it('sends the code only where it may, and never a secret in it', () => {
    const after = 'const password = "correct horse";\n';
    expect(of({ after })[0]).not.toHaveProperty('rawCode');
    expect(of({ after }, { includeCode: true })[0]!.rawCode).toBe('const password = "REDACTED";');
    const other = of({ after: 'const password = "battery staple";\n' });
    expect(of({ after })).toEqual(other);
  });

  it('gives fields of protocol 1 alone to whom it is asked for', () => {
    expect(Object.keys(of({}, { protocol: 1 })[0]!).sort()).toEqual(
      `charCount codeId fileExtension language lineCount lshBuckets sessionId signature source structureHash timestamp
      userId`.split(/\s+/),
    );
  });

  it('sends no extension that names no language', () => {
    for (const path of ['notes.projectfalcon', 'Dockerfile.falcon', '.env.falcon']) {
      const [fingerprint] = fingerprintsOf([{ edit, place: { ...place, path } }], options);
      expect(fingerprint!.fileExtension).toBe('');
    }
  });
});

describe('what leaves the machine', () => {
  let state = 20261130;
  const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
  const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
  const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_äß漢';
  /** A word of 4 to 12 characters that is in no protocol by design, and in no hash but by chance. */
  const word = () =>
    `${pick([...LETTERS.slice(0, 52)])}${Array.from({ length: 3 + random(9) }, () => pick([...LETTERS])).join('')}`;

  /** A file of random code, the path it has, and every token of both. */
  function randomFile() {
    const tokens = new Set<string>();
    const name = () => {
      const token = word();
      tokens.add(token);
      return token;
    };
    const line = () =>
      pick([
        () => `const ${name()} = ${name()}.${name()}(${name()}, "${name()} ${name()}");`,
        () => `  // ${name()} ${name()}: ${name()}`,
        () => `/* ${name()} */ ${name()}['${name()}'] = \`${name()} \${${name()}}\`;`,
        () => `function ${name()}(${name()}: ${name()}) { return ${name()}; }`,
        () => `import { ${name()} } from './${name()}/${name()}';`,
        () => `# ${name()} "${name()}"`,
        () => name(),
        () => '',
      ])();
    const text = (lines: number) => Array.from({ length: lines }, () => `${line()}\n`).join('');
    const extension = pick(['ts', 'py', 'go', 'rb', 'sh', name()]);
    const path = `${name()}/${name()}/${name()}.${extension}`;
    return { path, before: text(random(20)), after: text(1 + random(60)), tokens };
  }

  /** All that a reader of the body can get at: its text, and the bytes that it carries in base64. */
  function readable(body: string, packed: readonly string[]): string {
    const decoded = packed.flatMap((text) =>
      (['utf8', 'latin1', 'utf16le'] as const).map((encoding) =>
        Buffer.from(text, 'base64').toString(encoding),
      ),
    );
    return [body, ...decoded].join('\n');
  }

  it('holds no token of the code, its comments, strings or path, whatever the code is', () => {
    let searched = 0;
    for (let round = 0; round < 150; round++) {
      const { path, before, after, tokens } = randomFile();
      const placed = [
        { edit: { ...edit, path: `/home/ada/${path}`, before, after }, place: { ...place, path } },
      ];
      // Three keys: what stands in all three messages is in them by design, what a hash gives by chance is not.
      const messages = [1, 2, 3].map((byte) => {
        const key = deriveLineKey(new Uint8Array(32).fill(byte), `key-${byte}`);
        const sent = fingerprintsOf(placed, { ...options, lineKey: key });
        for (const { linePrints } of sent) linePrintsFromBase64(linePrints!);
        return readable(
          requestBody(sent.map((item) => JSON.stringify(item))),
          sent.map((item) => item.linePrints!),
        );
      });
      const found = [...tokens].filter((token) => messages.every((message) => message.includes(token)));
      expect(found).toEqual([]);
      searched += tokens.size;
    }
    expect(searched).toBeGreaterThan(10_000);
  });

  it('would be found by this search if it were there', () => {
    const [fingerprint] = of({ after: 'const zebraCrossing = 1;\n' }, { includeCode: true });
    expect(requestBody([JSON.stringify(fingerprint)])).toContain('zebraCrossing');
    expect(requestBody([JSON.stringify(of({ after: 'const zebraCrossing = 1;\n' })[0])])).not.toContain(
      'zebraCrossing',
    );
  });

  it('is explained in words that name every field', () => {
    const text = explainFingerprint(of({ model: 'm-1' })[0]!);
    for (const part of [
      'ada@example.org',
      edit.sessionId,
      'shop',
      'm-1',
      'claude-code 1',
      '1 lines',
      'typescript',
    ]) {
      expect(text).toContain(part);
    }
    expect(text).toContain('code            none');
    expect(explainFingerprint(of({}, { includeCode: true })[0]!)).toContain('    | const two = 2;');
    expect(explainFingerprint(of({}, { protocol: 1 })[0]!)).not.toContain('keyed prints');
  });
});
