import { computeLinePrints, deriveLineKey, textBands, textSignature } from '@lineprint/fingerprint';
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
const lanes = (keys: readonly string[]) => [...new Set(keys.map((name) => name.split(':')[0]))].sort();

describe('the recall keys of a snippet', () => {
  it('come from its prints, its place and the bands of its signature', () => {
    expect(lanes(snippetKeys(source()))).toEqual(['h1', 'h2', 'pa', 'pb', 'r2', 'text']);
    expect(lanes(snippetKeys(source({ astBands: new Uint32Array(32).fill(5) })))).toContain('ast');
  });

  it('are the bands alone for a client of version 1', () => {
    const v1 = source({ prints: [], pathKey: null, before: null, after: null });
    const bands = [...textBands(textSignature(code))].map(
      (band, i) => `text:${i}:${band.toString(16).padStart(8, '0')}`,
    );
    expect(snippetKeys(v1)).toEqual(bands);
  });

  it('are none for a text too short for a shingle, or all such texts would meet', () => {
    const signature = textSignature('ab');
    expect(snippetKeys(source({ prints: [], pathKey: null, signature }))).toEqual([]);
    expect(lanes(snippetKeys(source({ signature })))).not.toContain('text');
  });

  it('name no place where the neighbours or the path are unknown', () => {
    expect(lanes(snippetKeys(source({ pathKey: null })))).toEqual(['h1', 'h2', 'r2', 'text']);
    expect(lanes(snippetKeys(source({ before: null })))).toEqual(['h1', 'h2', 'pa', 'r2', 'text']);
  });

  it('do not repeat themselves', () => {
    const keys = snippetKeys(source({ prints: computeLinePrints(`${code}\n${code}`, 'typescript', key) }));
    expect(new Set(keys).size).toBe(keys.length);
  });
});
