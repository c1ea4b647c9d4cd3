import { SeededRandom } from './fixtures/seeded-random';
import { type EndedLife, type Life, LineLives, type StoredLife, tipChange } from './line-lives';
import type { FileLineage, LineOrigin } from './lineage';
import { applyChange, type TreeChange, type TreeLineage } from './tree-lineage';

const ORIGINS: LineOrigin[] = ['c1', 'c2', 'c3'].map((commit) => ({ commit, path: 'a' }));

function linesOf(tree: TreeLineage): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { origin, line, count } of [...tree.values()].flat()) {
    for (let i = 0; i < (origin ? count : 0); i++) {
      const name = `${origin!.commit}:${line + i}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

const linesIn = (lives: readonly (Life | EndedLife)[]) =>
  lives
    .flatMap(({ origin, first, count, bornDepth, ...life }) =>
      Array.from({ length: count }, (_, i) => {
        const died = 'diedDepth' in life ? life.diedDepth : '-';
        return `${origin.commit}:${first + i} ${bornDepth} ${String(died)}`;
      }),
    )
    .sort();

describe('the lives of lines', () => {
  it('begin and end with the commits that bring and take lines, whatever is stored between two of them', () => {
    const draws = new SeededRandom(3);
    const aLineage = (): FileLineage =>
      Array.from({ length: draws.below(4) }, () => {
        const origin = draws.below(7) === 0 ? undefined : draws.pick(ORIGINS);
        return { origin, line: origin ? draws.below(12) : 0, count: 1 + draws.below(6) };
      });
    for (let round = 0; round < 60; round++) {
      const tree = new Map<string, FileLineage>();
      const standing = new Map<string, number[]>();
      const expected: string[] = [];
      let stored: StoredLife[] = [];
      const ended: EndedLife[] = [];
      let ids = 0;
      let lives = new LineLives([]);
      const store = () => {
        const changes = lives.changes();
        ended.push(...changes.ended);
        stored = [
          ...stored.filter(({ id }) => !changes.gone.includes(id)),
          ...changes.standing.map((life) => ({ ...life, id: ++ids })),
        ];
        lives = new LineLives(stored);
      };
      for (let depth = 0; depth < 25; depth++) {
        const change: TreeChange = new Map(
          Array.from({ length: 1 + draws.below(3) }, () => [
            `file${draws.below(4)}`,
            draws.below(5) ? aLineage() : undefined,
          ]),
        );
        const lines = tipChange(tree, change);
        applyChange(tree, change);
        lives.advance(depth, depth, lines);
        if (draws.below(3) === 0) store();
        const counts = linesOf(tree);
        for (const name of new Set([...standing.keys(), ...counts.keys()])) {
          const births = standing.get(name) ?? [];
          while (births.length > (counts.get(name) ?? 0)) expected.push(`${name} ${births.pop()!} ${depth}`);
          while (births.length < (counts.get(name) ?? 0)) births.push(depth);
          standing.set(name, births);
        }
      }
      store();
      for (const [name, births] of standing) expected.push(...births.map((birth) => `${name} ${birth} -`));
      expect(linesIn([...stored, ...ended])).toEqual(expected.sort());
    }
  });

  it('go on in a file that is renamed, and in the place to which lines move', () => {
    const [origin] = ORIGINS;
    const tree = new Map([['a', [{ origin, line: 0, count: 9 }]]]);
    const moved = [
      { origin, line: 5, count: 4 },
      { origin, line: 0, count: 5 },
    ];
    expect(
      tipChange(
        tree,
        new Map([
          ['a', undefined],
          ['b', moved],
        ]),
      ),
    ).toEqual({ born: [], died: [] });
  });

  it('are two where a file is copied, of which the younger ends first', () => {
    const [origin] = ORIGINS as [LineOrigin];
    const tree = new Map([['a', [{ origin, line: 0, count: 2 }]]]);
    const copy: TreeChange = new Map([['b', tree.get('a')!]]);
    const lives = new LineLives([{ id: 1, origin, first: 0, count: 2, bornDepth: 0, bornAt: 0 }]);
    lives.advance(1, 10, tipChange(tree, copy));
    applyChange(tree, copy);
    lives.advance(2, 20, tipChange(tree, new Map([['a', undefined]])));
    const copied = { origin, first: 0, count: 2, bornDepth: 1, bornAt: 10 };
    expect(lives.changes()).toEqual({
      gone: [],
      standing: [],
      ended: [{ ...copied, diedDepth: 2, diedAt: 20 }],
    });
  });

  it('cannot end where nothing stands', () => {
    const died = [{ origin: ORIGINS[0]!, first: 0, count: 2 }];
    expect(() => new LineLives([]).advance(1, 1, { born: [], died })).toThrow('not there');
  });
});
