import type { RefsEvent } from '@lineprint/contracts';
import { NO_REFS, type RefState } from '@lineprint/persistence';
import { countedRefs, settledRefs, toldRefs } from './ref-state';

type Told = Partial<RefsEvent['refs'][number]>;

/** Commits a to f, each the parent of the next one; f is not known. */
const KNOWN = 'abcde';
const isAncestor = (sha: string, of: string) => Promise.resolve('abcdef'.indexOf(sha) < 'abcdef'.indexOf(of));

async function after(
  events: readonly (Record<string, Told> | 'complete')[],
  known = KNOWN,
): Promise<RefState> {
  let state = NO_REFS;
  let complete = false;
  for (const event of events) {
    if (event === 'complete') {
      complete = true;
      continue;
    }
    const refs = Object.entries(event).map(([name, told]) => ({
      ...{ ref: `refs/heads/${name}`, sha: null, isDefault: name === 'main', counts: false },
      ...told,
    }));
    const told = toldRefs(state, { tenant: 'acme', repository: 'shop', refs, complete });
    state = await settledRefs(told, complete, (sha) => known.includes(sha), isAncestor);
    complete = false;
  }
  return state;
}

async function tips(...events: Parameters<typeof after>[0]): Promise<string> {
  const state = await after(events);
  return state.decided ? [...new Set(countedRefs(state).values())].sort().join('') : 'undecided';
}

describe('what refs name', () => {
  it('decides nothing before the commit is known that the default branch names', async () => {
    expect(await tips()).toBe('undecided');
    expect(await tips({ feature: { sha: 'a' } })).toBe('undecided');
    expect(await tips({ release: { sha: 'a', counts: true } })).toBe('undecided');
    expect(await tips({ main: { sha: 'f' } })).toBe('undecided');
    expect(await tips({ main: { sha: 'f' } }, { main: { sha: 'a' } })).toBe('a');
  });

  it('decides without the default branch where the host was asked for all that count', async () => {
    expect(await tips('complete', { release: { sha: 'a', counts: true } })).toBe('a');
  });

  it('is the newest known commit that was told', async () => {
    expect(await tips({ main: { sha: 'a' } }, { main: { sha: 'f' } })).toBe('a');
    const waiting = await after([{ main: { sha: 'a' } }, { main: { sha: 'f' } }]);
    const settled = await settledRefs(waiting, false, () => true, isAncestor);
    expect([...countedRefs(settled).values()]).toEqual(['f']);
    expect(settled.refs).toMatchObject([{ pending: [] }]);
  });

  it('goes back only where somebody has seen it go', async () => {
    expect(await tips({ main: { sha: 'c' } }, { main: { sha: 'b' } })).toBe('c');
    expect(await tips({ main: { sha: 'c' } }, { main: { sha: 'b', before: 'a' } })).toBe('c');
    expect(await tips({ main: { sha: 'c' } }, { main: { sha: 'b', before: 'c' } })).toBe('b');
    expect(await tips({ main: { sha: 'c' } }, 'complete', { main: { sha: 'b' } })).toBe('b');
  });

  it('counts beside the default branch where that was decided when it was told', async () => {
    const release = { sha: 'b', counts: true };
    expect(await tips({ main: { sha: 'c' } }, { release })).toBe('bc');
    expect(await tips({ main: { sha: 'c' } }, { release }, { release: { sha: 'd' } })).toBe('c');
    expect(await tips({ main: { sha: 'c' } }, { feature: { sha: 'd' } })).toBe('c');
  });

  it('is nothing of a ref that was deleted, or that the host does not have', async () => {
    const release = { sha: 'b', counts: true };
    expect(await tips({ main: { sha: 'c' } }, { release }, { release: {} })).toBe('c');
    expect(await tips({ main: { sha: 'c' } }, { release }, 'complete', { main: { sha: 'd' } })).toBe('d');
  });

  it('follows the default branch when it gets another name, and not before its commit is known', async () => {
    const renamed = [{ main: { sha: 'c' } }, { main: { sha: null } }] as const;
    expect(await tips(...renamed)).toBe('c');
    expect(await tips(...renamed, { trunk: { sha: 'f', isDefault: true } })).toBe('c');
    expect(await tips(...renamed, { trunk: { sha: 'd', isDefault: true } })).toBe('d');
    const state = await after([...renamed, { trunk: { sha: 'd', isDefault: true } }]);
    expect(state.refs.map(({ ref }) => ref)).toEqual(['refs/heads/trunk']);
    expect(await tips(...renamed, { trunk: { sha: 'f', isDefault: true } }, { trunk: {} })).toBe('c');
  });

  it('is the same when it is told again', async () => {
    const events = [{ main: { sha: 'c' } }, { main: { sha: 'f' } }];
    expect(await after([...events, events[1]!])).toEqual(await after(events));
  });
});
