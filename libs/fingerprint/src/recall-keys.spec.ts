import { deriveLineKey, hex64, pathKey } from './line-key';
import { computeLinePrints } from './line-prints';
import {
  fineTextBands,
  RECALL_LANES,
  RECALL_WEIGHTS,
  recallKeys,
  recallLane,
  type RecallInput,
  snippetRecallKeys,
} from './recall-keys';
import { textBands, textSignature } from './text-signature';

const key = deriveLineKey(new Uint8Array(32).fill(3), 'k1');
const printsOf = (text: string) => computeLinePrints(text, 'typescript', key);
const kindsOf = (input: RecallInput) => recallKeys(input).map(({ kind }) => kind);
const keysOf = (input: RecallInput) => recallKeys(input).map((k) => k.key);
const manyLines = (count: number) =>
  printsOf(Array.from({ length: count }, (_, i) => `const v${i} = call${i}(w${i}, x${i})`).join('\n'));

describe('recall keys', () => {
  it('are the exact lines, wrapped statements, runs of two and long abstracted lines', () => {
    const prints = printsOf('const a = call(b, c)\nd(\n  e)');
    expect(prints).toHaveLength(3);
    const kinds = kindsOf({ prints });
    const count = (kind: string) => kinds.filter((k) => k === kind).length;
    expect({ h1: count('h1'), h3: count('h3'), r2: count('r2'), h2: count('h2') }).toEqual({
      h1: 3,
      h3: 1,
      r2: 2,
      h2: 1,
    });
    const [h1] = recallKeys({ prints });
    expect(h1).toEqual({ key: Number(prints[0]!.h1 % 2n ** 40n), kind: 'h1', weight: 4 });
  });

  it('of a statement are the same on one line as on several', () => {
    const wrapped = keysOf({ prints: printsOf('total(\n  first,\n  second\n)') });
    const [straight] = keysOf({ prints: printsOf('total(first, second)') });
    expect(wrapped).toContain(straight);
  });

  it('have the weight of their kind and come once', () => {
    const input = { prints: printsOf('a()\na()\na()\n'), textBands: textBands(textSignature('a()\na()\n')) };
    const keys = recallKeys(input);
    expect(new Set(keys.map((k) => k.key)).size).toBe(keys.length);
    for (const { kind, weight } of keys) expect(weight).toBe(RECALL_WEIGHTS[kind]);
    expect(keys.filter(({ kind }) => kind === 'h1')).toHaveLength(1);
  });

  it('of a run depend on its order', () => {
    const run = (text: string) =>
      recallKeys({ prints: printsOf(text) })
        .filter(({ kind }) => kind === 'r2')
        .map((k) => k.key);
    expect(run('a()\nif (b)')).not.toEqual(run('if (b)\na()'));
    expect(run('a()\nif (b)')).toEqual(run('x()\nif (y)'));
  });

  it('of a snippet are a quarter of those that the commit with its lines asks for', () => {
    const prints = manyLines(200);
    const commit = keysOf({ prints });
    const keys = snippetRecallKeys({ prints });
    expect(commit.length).toBeGreaterThan(200);
    expect(keys).toHaveLength(Math.ceil(commit.length / 4));
    expect(commit).toEqual(expect.arrayContaining(keys));
  });

  it('of a snippet are the same ones, whatever stands around it in the commit', () => {
    const prints = manyLines(60);
    const kept = snippetRecallKeys({ prints });
    const left = keysOf({ prints }).filter((k) => !kept.includes(k));
    expect(Math.max(...kept)).toBeLessThan(Math.min(...left));
  });

  it('of a short snippet are all kept', () => {
    const prints = printsOf('a()\nb()\nc()');
    expect(snippetRecallKeys({ prints })).toEqual(keysOf({ prints }).sort((a, b) => a - b));
    expect(snippetRecallKeys({ prints: [] })).toEqual([]);
  });

  it('tell the place by path and neighbour, and only with a path', () => {
    const [before, after] = printsOf('a()\nb()').map((p) => hex64(p.h1));
    const place = (path: string | undefined, b = before, a = after) =>
      recallKeys({ prints: [], pathKey: path, before: b, after: a });
    const path = pathKey('src/a.ts', key);
    expect(place(path).map(({ kind }) => kind)).toEqual(['pb', 'pa']);
    expect(new Set(place(path).map((k) => recallLane(k.key)))).toEqual(new Set([RECALL_LANES.context]));
    expect(snippetRecallKeys({ prints: [], pathKey: path, before, after })).toEqual(
      place(path).map((k) => k.key),
    );
    expect(place(undefined)).toEqual([]);
    expect(place(pathKey('src/b.ts', key))).not.toEqual(place(path));
    expect(keysOf({ prints: [], pathKey: path, after })).toEqual([place(path)[1]!.key]);
    const [sameBefore, sameAfter] = place(path, before, before);
    expect(sameBefore!.key).not.toBe(sameAfter!.key);
  });

  it('name each band, but none of a text without shingles', () => {
    const bands = textBands(textSignature('const a = 1'));
    const keys = snippetRecallKeys({ prints: [], textBands: bands, astBands: Uint32Array.of(1, 0xab) });
    expect(keys).toHaveLength(18);
    expect(keys[3]).toBe(2 * 2 ** 40 + 3 * 2 ** 32 + bands[3]!);
    expect(keys[17]).toBe(3 * 2 ** 40 + 2 ** 32 + 0xab);
    expect(recallLane(keys[17]!)).toBe(RECALL_LANES.ast);
    const empty = textSignature('');
    expect(keysOf({ prints: [], textBands: textBands(empty), fineTextBands: fineTextBands(empty) })).toEqual(
      [],
    );
  });

  it('has the narrower bands behind the seed’s, all in the lane of text', () => {
    const signature = textSignature('const tide = 1');
    const input = { prints: [], textBands: textBands(signature), fineTextBands: fineTextBands(signature) };
    const keys = snippetRecallKeys(input);
    expect(new Set(keys).size).toBe(16 + 42);
    expect(new Set(keys.map(recallLane))).toEqual(new Set([RECALL_LANES.text]));
  });
});
