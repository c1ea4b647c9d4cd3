import {
  computeLinePrints,
  deriveLineKey,
  RECALL_LANES,
  recallLane,
  snippetRecallKeys,
  textBands,
  textSignature,
  fineTextBands,
} from '@lineprint/fingerprint';
import { type KeySource, snippetKeys } from './snippet-keys';

const key = deriveLineKey(new Uint8Array(32).fill(7), 'lk_test');
const code = 'const total = price * quantity;\nreturn total + shipping;';

const source = (changes: Partial<KeySource> = {}): KeySource => ({
  prints: computeLinePrints(code, 'typescript', key),
  pathKey: '00000000000000aa',
  before: '00000000000000bb',
  after: '00000000000000cc',
  signature: textSignature(code),
  astBands: null,
  ...changes,
});
const keysOf = (from: KeySource, bands = true) => snippetKeys(from, { bands });
/** How many keys there are of each lane. */
const lanes = (keys: readonly number[]) => {
  const count = (lane: number) => keys.filter((k) => recallLane(k) === lane).length;
  const { line, context, text, ast } = RECALL_LANES;
  return { line: count(line), context: count(context), text: count(text), ast: count(ast) };
};

describe('the recall keys of a snippet', () => {
  it('come from its prints, its place and the bands of its signature', () => {
    expect(lanes(keysOf(source()))).toEqual({ line: 4, context: 2, text: 16, ast: 0 });
    expect(lanes(keysOf(source({ astBands: new Uint32Array(32).fill(5) }))).ast).toBe(32);
  });

  it('are the bands alone for a client of version 1', () => {
    const v1 = source({ prints: [], pathKey: null, before: null, after: null });
    const signature = textSignature(code);
    const bands = snippetRecallKeys({
      prints: [],
      textBands: textBands(signature),
      fineTextBands: fineTextBands(signature),
    });
    for (const wanted of [true, false]) expect(keysOf(v1, wanted)).toEqual(bands);
  });

  it('are without bands where there are prints and nobody wants them', () => {
    const withAst = source({ astBands: new Uint32Array(32).fill(5) });
    expect(lanes(keysOf(withAst, false))).toEqual({ line: 4, context: 2, text: 0, ast: 0 });
  });

  it('are none for a text too short for a shingle, or all such texts would meet', () => {
    const signature = textSignature('ab');
    expect(keysOf(source({ prints: [], pathKey: null, signature }))).toEqual([]);
    expect(lanes(keysOf(source({ signature }))).text).toBe(0);
  });

  it('name no place where the neighbours or the path are unknown', () => {
    expect(lanes(keysOf(source({ pathKey: null }))).context).toBe(0);
    expect(lanes(keysOf(source({ before: null }))).context).toBe(1);
  });

  it('do not repeat themselves', () => {
    const keys = keysOf(source({ prints: computeLinePrints(`${code}\n${code}`, 'typescript', key) }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
