import { codeFingerprintSchema } from '@lineprint/contracts';
import {
  computeLinePrints,
  deriveLineKey,
  hex64,
  linePrintsFromBase64,
  pathKey,
  structureHash,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { captureEdit, captureHunks, codeId } from './capture';

const lineKey = deriveLineKey(new Uint8Array(32).fill(7), 'key-1');
const context = {
  path: 'src/sum.ts',
  source: 'chat' as const,
  sessionId: 'session-1',
  userId: 'ada@example.org',
  timestamp: 1_767_225_600_000,
  toolCallIndex: 4,
  lineKey,
};
const before = 'export const a = 1;\n\nexport const b = 2;\n';
const after = 'export const a = 1;\n\nexport function sum() {\n  return a + b;\n}\n\nexport const b = 3;\n';

describe('captureEdit', () => {
  it('makes one fingerprint of each changed run, in the form that ingest takes', () => {
    const changed = after.replace('const a = 1', 'const a = 10');
    const prints = captureEdit({ ...context, before, after: changed });
    expect(prints.map((print) => [print.codeId, print.lineCount])).toEqual([
      ['session-1-4-0', 1],
      ['session-1-4-1', 5],
    ]);
    for (const print of prints) expect(codeFingerprintSchema.parse(print)).toEqual(print);
  });

  it('carries the version 1 fields by the scheme of version 1 clients', () => {
    const [print] = captureEdit({ ...context, before: '', after });
    const code = after.slice(0, -1);
    expect(print).toMatchObject({
      protocol: 2,
      language: 'typescript',
      fileExtension: 'ts',
      lineCount: 7,
      charCount: code.length,
      structureHash: structureHash(code),
      signature: [...textSignature(code)],
      lshBuckets: [...textBands(textSignature(code))],
    });
    expect(print).not.toHaveProperty('rawCode');
  });

  it("carries prints of the added lines only, as the whole new text gives them, and the neighbours' hashes", () => {
    const withComment = '/*\nold note\nend */\nlet x = 1;\n';
    const [print, ...others] = captureEdit({
      ...context,
      before: withComment,
      after: withComment.replace('end', 'return x;\n\nend'),
    });
    expect(others).toEqual([]);
    const whole = computeLinePrints('/*\nold note\nreturn x;\n\nend */\nlet x = 1;\n', 'typescript', lineKey);
    expect(linePrintsFromBase64(print!.linePrints!)).toEqual([{ ...whole[2]!, line: 0 }]);
    expect(print).toMatchObject({
      keyId: 'key-1',
      pathKey: pathKey('src/sum.ts', lineKey),
      before: hex64(whole[1]!.h1),
      after: hex64(whole[3]!.h1),
    });
  });

  it('gives nothing for blank lines, removed lines, or no change', () => {
    expect(captureEdit({ ...context, before: 'a\nb\n', after: 'a\n\n  \nb\n' })).toEqual([]);
    expect(captureEdit({ ...context, before: 'a\nb\n', after: 'a\n' })).toEqual([]);
    expect(captureEdit({ ...context, before, after: before })).toEqual([]);
  });

  it('passes on what is known of the acceptance', () => {
    const known = {
      projectId: 'p',
      orgId: 'o',
      repository: 'r',
      model: 'm',
      edit: { kind: 'write' as const },
      acceptedPartially: true,
      declaredBy: 'a'.repeat(40),
      client: { name: 'spec', version: '1' },
    };
    const [print] = captureEdit({ ...context, ...known, includeCode: true, before: '', after: 'x\n' });
    expect(print).toMatchObject({ ...known, rawCode: 'x' });
    expect(codeFingerprintSchema.parse(print)).toEqual(print);
  });
});

describe('captureHunks', () => {
  it('gives for known hunks what the diff would give', () => {
    const { before: _before, after: _after, ...rest } = { ...context, before, after };
    expect(captureHunks({ ...rest, content: after, hunks: [{ first: 2, last: 6 }] })).toEqual(
      captureEdit({ ...context, before, after }),
    );
  });

  it('cuts a giant hunk into several fingerprints without losing a line', () => {
    const content = Array.from({ length: 45_000 }, (_, i) => `x${i % 50}\n`).join('');
    const prints = captureHunks({ ...context, content, hunks: [{ first: 0, last: 44_999 }] });
    expect(prints.map((print) => print.lineCount)).toEqual([20_000, 20_000, 5_000]);
    expect(prints[1]!.before).toBe(hex64(computeLinePrints('x49', 'typescript', lineKey)[0]!.h1));
    expect(new Set(prints.map((print) => print.codeId)).size).toBe(3);
  });
});

describe('codeId', () => {
  it('is the session, the call and the chunk, in at most 64 characters', () => {
    expect(codeId('s', 1, 2)).toBe('s-1-2');
    expect(codeId('s'.repeat(60), 1, 2)).toHaveLength(64);
    expect(codeId('s'.repeat(61), 1, 2)).toMatch(/^[0-9a-f]{32}-1-2$/);
    expect(codeId('s'.repeat(61), 1, 2)).not.toBe(codeId(`${'s'.repeat(60)}t`, 1, 2));
  });
});
