import { SeededRandom } from './fixtures/seeded-random';
import type { FollowedCommit } from './history-lineage';
import { type FileLineage, fileLineage, type LineOrigin, sliceLineage } from './lineage';
import {
  type FollowedFiles,
  Origins,
  packChange,
  packFollowed,
  packTree,
  unpackChange,
  unpackFollowed,
  unpackTree,
} from './packed-lineage';

const sha = (n: number) => n.toString(16).padStart(40, '0');
const draws = new SeededRandom(11);

const origins = new Origins();
const anOrigin = (): LineOrigin =>
  origins.of(sha(draws.below(9)), draws.pick(['a.ts', 'dir/b.py', 'ü 𝛼.md']));
const aLineage = (): FileLineage => {
  const runs = Array.from({ length: draws.below(6) }, (): FileLineage => {
    const origin = draws.below(8) === 0 ? undefined : anOrigin();
    return [{ origin, line: origin ? draws.below(70_000) : 0, count: 1 + draws.below(400) }];
  });
  // As trees have them: neighbours that belong together are one run.
  return fileLineage([{ before: runs.flat(), edits: [] }], { commit: '', path: '' });
};
const edited = (before: FileLineage): FileLineage => {
  const cut = draws.below(300);
  const own = anOrigin();
  return [
    ...sliceLineage(before, 0, Math.min(cut, 5)),
    { origin: own, line: draws.below(100), count: 1 + draws.below(9) },
    ...before.slice(draws.below(before.length + 1)),
  ];
};

describe('a packed tree', () => {
  it('is the tree again, and so is what a change makes of it', () => {
    for (let round = 0; round < 300; round++) {
      const names = Array.from({ length: draws.below(8) }, (_, i) => `file ${i}`);
      const tree = new Map(names.map((name) => [name, aLineage()]));
      const fresh = new Origins();
      const unpacked = unpackTree(packTree(tree), fresh);
      expect(new Map([...unpacked].sort())).toEqual(tree);
      const change = new Map<string, FileLineage | undefined>();
      for (const name of names) {
        const before = tree.get(name)!;
        const what = draws.below(5);
        if (what === 0) change.set(name, undefined);
        if (what === 1) change.set(name, edited(before));
        if (what === 2) change.set(name, undefined).set(`renamed ${name}`, edited(before));
        if (what === 3) change.set(`copied ${name}`, before);
      }
      const packed = packChange(change, tree);
      expect(unpackChange(packed, tree, origins)).toEqual(new Map([...change].sort(byName)));
      expect(unpackChange(packed, unpacked, fresh)).toEqual(new Map([...change].sort(byName)));
    }
  });

  it('has one object for each origin, also that of another tree', () => {
    const origin = origins.of(sha(1), 'a');
    const tree = new Map([['a', [{ origin, line: 0, count: 9 }]]]);
    const fresh = new Origins();
    const [first] = unpackTree(packTree(tree), fresh).get('a')!;
    const [second] = unpackTree(packTree(tree), fresh).get('a')!;
    expect(first!.origin).toBe(second!.origin);
  });

  it('takes few bytes for an edit in a long history of a file', () => {
    const long = Array.from({ length: 500 }, (_, i) => ({
      origin: origins.of(sha(i), 'a'),
      line: 7 * i,
      count: 2,
    }));
    const tree = new Map([['a', long]]);
    const own = { origin: origins.of(sha(500), 'a'), line: 300, count: 1 };
    const change = new Map([['a', [...long.slice(0, 150), own, ...long.slice(151)]]]);
    expect(packChange(change, tree).length).toBeLessThan(50);
  });
});

describe('packed commits', () => {
  it('are what they were', () => {
    const edits = () => {
      let at = 0;
      let shift = 0;
      return Array.from({ length: draws.below(5) }, () => {
        const [start, oldLines, newLines] = [at + draws.below(300), draws.below(4), draws.below(200)];
        at = start + oldLines;
        const edit = [start, oldLines, start + shift, newLines];
        shift += newLines - oldLines;
        return edit;
      }).flat();
    };
    const file = (): FollowedCommit['files'][number] => ({
      path: draws.pick(['a', 'ä/b']),
      ...(draws.below(2) ? { oldPath: 'was' } : {}),
      status: draws.pick(['added', 'modified', 'deleted', 'renamed', 'copied', 'typechange']),
      edits: draws.below(4) ? edits() : undefined,
      inherited: Array.from({ length: draws.below(3) }, () => ({
        start: draws.below(1e6),
        count: draws.below(99),
        ...(draws.below(2) ? { fromFile: 'elsewhere' } : {}),
        fromLine: draws.below(1e6),
      })),
    });
    for (let round = 0; round < 300; round++) {
      const commit: FollowedFiles = {
        files: Array.from({ length: draws.below(4) }, file),
        ...(draws.below(2)
          ? {
              merged: Array.from({ length: draws.below(4) }, () => ({
                path: 'm',
                from: [
                  { parent: draws.below(3), path: 'n', edits: edits() },
                  { parent: 1, edits: [] },
                ],
              })),
            }
          : {}),
      };
      expect(unpackFollowed(packFollowed(commit))).toEqual(commit);
    }
  });

  it('keep edits that contradict each other as they came', () => {
    const edits = [9, 1, 3, 2, 0, 5, 2_147_483_647, 0];
    const files = [{ path: 'a', status: 'modified' as const, edits, inherited: [] }];
    expect(unpackFollowed(packFollowed({ files }))).toEqual({ files });
  });
});

describe('bytes that are no lineage', () => {
  const tree = new Map([['a', [{ origin: origins.of(sha(1), 'a'), line: 0, count: 9 }]]]);
  const change = new Map([['a', [{ origin: undefined, line: 0, count: 1 }, ...tree.get('a')!]]]);

  it.each(['cut off', 'of another version'])('are refused: %s', (fault) => {
    const spoilt = (bytes: Uint8Array) =>
      fault === 'cut off' ? bytes.slice(0, -1) : Uint8Array.from(bytes, (byte, i) => (i === 0 ? 99 : byte));
    const files = [{ path: 'a', status: 'added' as const, edits: [0, 0, 0, 1], inherited: [] }];
    expect(() => unpackTree(spoilt(packTree(tree)), origins)).toThrow(/lineage|version|early/);
    expect(() => unpackFollowed(spoilt(packFollowed({ files })))).toThrow(/version|early/);
    expect(() => unpackChange(spoilt(packChange(change, tree)), tree, origins)).toThrow(/version|early/);
  });

  it('are refused against another tree', () => {
    expect(() => unpackChange(packChange(change, tree), new Map(), origins)).toThrow('another tree');
  });
});

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
