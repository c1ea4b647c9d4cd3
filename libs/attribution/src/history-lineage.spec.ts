import type { FollowedCommit, FollowedFile } from './history-lineage';
import { HistoryLineage } from './history-lineage';
import type { TreeLineage } from './tree-lineage';

const file = (path: string, edits: number[] | undefined, more: Partial<FollowedFile> = {}): FollowedFile => ({
  path,
  status: 'modified',
  edits,
  inherited: [],
  ...more,
});
const added = (path: string, lines: number) => file(path, [0, 0, 0, lines], { status: 'added' });
const commit = (sha: string, parents: string[], ...files: FollowedFile[]): FollowedCommit => ({
  sha,
  parents,
  files,
});

/** By path: each line as `commit/file:line`. */
function shown(tree: TreeLineage): Record<string, string> {
  const line = (path: string) =>
    tree
      .get(path)!
      .map(({ origin, line: first, count }) =>
        origin ? `${origin.commit}/${origin.path}:${first}+${count}` : `?+${count}`,
      )
      .join(' ');
  return Object.fromEntries([...tree.keys()].sort().map((path) => [path, line(path)]));
}

function follow(...commits: FollowedCommit[]): Record<string, string> {
  const history = new HistoryLineage(commits);
  let last: TreeLineage = new Map();
  for (const each of commits) last = history.add(each);
  return shown(last);
}

describe('the lineage of a history', () => {
  it('follows a file through its renames and forgets one that is deleted', () => {
    const tree = follow(
      commit('c1', [], added('a', 3), added('gone', 1)),
      commit('c2', ['c1'], file('b', [1, 1, 1, 1], { status: 'renamed', oldPath: 'a' })),
      commit('c3', ['c2'], file('gone', [0, 1, 0, 0], { status: 'deleted' })),
    );
    expect(tree).toEqual({ b: 'c1/a:0+1 c2/b:1+1 c1/a:2+1' });
  });

  it('swaps two files that take each other’s name', () => {
    const tree = follow(
      commit('c1', [], added('a', 1), added('b', 2)),
      commit(
        'c2',
        ['c1'],
        file('a', [], { status: 'renamed', oldPath: 'b' }),
        file('b', [], { status: 'renamed', oldPath: 'a' }),
      ),
    );
    expect(tree).toEqual({ a: 'c1/b:0+2', b: 'c1/a:0+1' });
  });

  it('gives a moved block its own past, from another file', () => {
    const moved = { start: 0, count: 2, how: 'moved' as const, fromFile: 'a', fromLine: 1 };
    const tree = follow(
      commit('c1', [], added('a', 4)),
      commit(
        'c2',
        ['c1'],
        file('a', [1, 2, 1, 0]),
        file('b', [0, 0, 0, 3], { status: 'added', inherited: [moved] }),
      ),
    );
    expect(tree).toEqual({ a: 'c1/a:0+1 c1/a:3+1', b: 'c1/a:1+2 c2/b:2+1' });
  });

  it('shows the tree of a commit as long as a child of it is to come', () => {
    const commits = [commit('c1', [], added('a', 1)), commit('c2', ['c1'], added('b', 1))] as const;
    const history = new HistoryLineage(commits);
    expect(history.tree('c1').size).toBe(0);
    history.add(commits[0]);
    expect([...history.tree('c1').keys()]).toEqual(['a']);
    history.add(commits[1]);
    expect(history.tree('c1').size).toBe(0);
  });

  it('lets each branch keep its lines, and a merge have those of both', () => {
    const merge: FollowedCommit = {
      ...commit('m', ['left', 'right']),
      merged: [
        {
          path: 'a',
          from: [
            { parent: 0, edits: [4, 0, 4, 1] },
            { parent: 1, edits: [0, 0, 0, 1] },
          ],
        },
        { path: 'only-right', from: [{ parent: 1, edits: [] }] },
        { path: 'only-left', from: [] },
      ],
    };
    const tree = follow(
      commit('c1', [], added('a', 3)),
      commit('left', ['c1'], file('a', [0, 0, 0, 1]), added('only-left', 1)),
      commit('right', ['c1'], file('a', [3, 0, 3, 1]), added('only-right', 2)),
      merge,
    );
    expect(tree).toEqual({
      a: 'left/a:0+1 c1/a:0+3 right/a:3+1',
      'only-right': 'right/only-right:0+2',
    });
  });

  it('does not follow what is binary or excluded, nor say that a later commit wrote it', () => {
    const tree = follow(
      commit('c1', [], file('a', undefined, { status: 'added' }), added('b', 1)),
      commit('c2', ['c1'], file('renamed', [], { status: 'renamed', oldPath: 'a' })),
      commit('c3', ['c2'], file('renamed', [2, 0, 2, 1])),
    );
    expect(tree).toEqual({ b: 'c1/b:0+1', renamed: '?+2 c3/renamed:2+1' });
  });

  it('drops the tree of a commit when its last child has taken it', () => {
    const chain = Array.from({ length: 50 }, (_, i) =>
      commit(`c${i}`, i === 0 ? [] : [`c${i - 1}`], i === 0 ? added('a', 1) : file('a', [0, 0, 0, 1])),
    );
    const history = new HistoryLineage(chain);
    const trees = new Set(chain.map((each) => history.add(each)));
    expect(trees.size).toBe(1);
  });
});
