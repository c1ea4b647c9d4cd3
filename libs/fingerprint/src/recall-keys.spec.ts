import { deriveLineKey, hex64, pathKey } from './line-key';
import { computeLinePrints } from './line-prints';
import { RECALL_WEIGHTS, recallKeys, type RecallInput } from './recall-keys';
import { textBands, textSignature } from './text-signature';

const key = deriveLineKey(new Uint8Array(32).fill(3), 'k1');
const printsOf = (text: string) => computeLinePrints(text, 'typescript', key);
const laneOf = (recallKey: string) => recallKey.slice(0, recallKey.indexOf(':'));
const keysOf = (input: RecallInput, role: 'snippet' | 'commit') => recallKeys(input, role).map((k) => k.key);

describe('recall keys', () => {
  it('are the exact lines, wrapped statements, runs of two and long abstracted lines', () => {
    const prints = printsOf('const a = call(b, c)\nd(\n  e)');
    expect(prints).toHaveLength(3);
    const lanes = keysOf({ prints }, 'commit').map(laneOf);
    const count = (lane: string) => lanes.filter((l) => l === lane).length;
    expect({ h1: count('h1'), h3: count('h3'), r2: count('r2'), h2: count('h2') }).toEqual({
      h1: 3,
      h3: 1,
      r2: 2,
      h2: 1,
    });
    expect(keysOf({ prints }, 'commit')).toContain(`h1:${hex64(prints[0]!.h1)}`);
    expect(keysOf({ prints }, 'commit')).toContain(`h2:${hex64(prints[0]!.h2)}`);
  });

  it('have the weight of their lane and come once', () => {
    const input = { prints: printsOf('a()\na()\na()\n'), textBands: textBands(textSignature('a()\na()\n')) };
    const keys = recallKeys(input, 'commit');
    expect(new Set(keys.map((k) => k.key)).size).toBe(keys.length);
    for (const { key: k, weight } of keys) {
      expect(weight).toBe(RECALL_WEIGHTS[laneOf(k) as keyof typeof RECALL_WEIGHTS]);
    }
    expect(keys.filter((k) => laneOf(k.key) === 'h1')).toHaveLength(1);
  });

  it('of a run depend on its order', () => {
    const run = (text: string) =>
      keysOf({ prints: printsOf(text) }, 'commit').filter((k) => laneOf(k) === 'r2');
    expect(run('a()\nif (b)')).not.toEqual(run('if (b)\na()'));
    expect(run('a()\nif (b)')).toEqual(run('x()\nif (y)'));
  });

  it('of a snippet are some of those that the commit with its lines asks for', () => {
    const prints = printsOf(
      Array.from({ length: 200 }, (_, i) => `const v${i} = call${i}(w${i}, x${i})`).join('\n'),
    );
    const commit = keysOf({ prints }, 'commit');
    const snippet = keysOf({ prints }, 'snippet');
    expect(commit.length).toBeGreaterThan(200);
    expect(snippet).toHaveLength(Math.max(24, Math.ceil(commit.length / 4)));
    expect(commit).toEqual(expect.arrayContaining(snippet));
  });

  it('of a snippet are the same ones, whatever stands around it in the commit', () => {
    const prints = printsOf(Array.from({ length: 60 }, (_, i) => `call${i}(a${i}.b${i})`).join('\n'));
    const kept = keysOf({ prints }, 'snippet').map((k) => k.slice(3));
    const left = keysOf({ prints }, 'commit')
      .map((k) => k.slice(3))
      .filter((hash) => !kept.includes(hash));
    expect([...kept].sort().at(-1)! <= [...left].sort()[0]!).toBe(true);
  });

  it('of a short snippet are all kept', () => {
    const prints = printsOf('a()\nb()\nc()');
    expect(keysOf({ prints }, 'snippet')).toEqual(keysOf({ prints }, 'commit'));
  });

  it('tell the place by path and neighbour, and only with a path', () => {
    const [before, after] = printsOf('a()\nb()').map((p) => hex64(p.h1));
    const place = (path: string | undefined, b = before, a = after) =>
      keysOf({ prints: [], pathKey: path, before: b, after: a }, 'snippet');
    const path = pathKey('src/a.ts', key);
    expect(place(path).map(laneOf)).toEqual(['pb', 'pa']);
    expect(place(path)).toEqual(keysOf({ prints: [], pathKey: path, before, after }, 'commit'));
    expect(place(undefined)).toEqual([]);
    expect(place(pathKey('src/b.ts', key))).not.toEqual(place(path));
    expect(keysOf({ prints: [], pathKey: path, after }, 'snippet')).toEqual([place(path)[1]]);
  });

  it('name each band, but none of a text without shingles', () => {
    const bands = textBands(textSignature('const a = 1'));
    const keys = keysOf({ prints: [], textBands: bands, astBands: Uint32Array.of(0xab) }, 'snippet');
    expect(keys).toHaveLength(17);
    expect(keys[3]).toBe(`text:3:${bands[3]!.toString(16).padStart(8, '0')}`);
    expect(keys[16]).toBe('ast:0:000000ab');
    expect(keysOf({ prints: [], textBands: textBands(textSignature('')) }, 'commit')).toEqual([]);
  });
});
