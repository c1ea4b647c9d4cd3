import type { OriginalLine, SnippetUse } from '@lineprint/attribution';
import type { JudgedCommit } from './judged-commit';
import { HISTORY_MS, RepositoryHistory } from './repository-history';

const NOON = Date.UTC(2026, 5, 1, 12);
const DAY_MS = 86_400_000;

interface Step {
  readonly sha: string;
  readonly parents?: readonly string[];
  /** `snippet line:hash` of snippet `s`. */
  readonly uses?: readonly string[];
  readonly removed?: readonly number[];
  /** Places of lines that it adds first, or copies. */
  readonly added?: readonly number[];
  readonly copied?: readonly number[];
  readonly committedAt?: number;
}

const useOf = (text: string): SnippetUse => {
  const [snippetLine, hash] = text.split(':').map(Number) as [number, number];
  return { codeId: 's', snippetLine, hash };
};

function judged(step: Step, index: number): JudgedCommit {
  return {
    position: index + 1,
    revision: 0,
    sha: step.sha,
    parents: step.parents ?? [],
    committedAt: step.committedAt ?? NOON + index,
    removed: Uint32Array.from(step.removed ?? []),
    added: Uint32Array.from(step.added ?? []),
    addedNumbers: Uint32Array.from(step.added ?? [], (_, i) => 10 + i),
    copied: Uint32Array.from(step.copied ?? []),
    uses: (step.uses ?? []).map(useOf),
  };
}

function historyOf(steps: readonly Step[]): RepositoryHistory {
  const history = new RepositoryHistory(0);
  steps.map(judged).forEach((commit) => history.add(commit));
  return history;
}

/** Lines of snippet `s` that a next commit on these parents, which adds lines with these hashes, cannot use. */
function consumed(steps: readonly Step[], parents: readonly string[], added: readonly number[] = [11, 12]) {
  const commit = { position: steps.length + 1, parents, committedAt: NOON + 1000 };
  const lines = historyOf(steps).consumedBefore(commit, ['s', 'unused'], () => new Set(added));
  expect([...lines.keys()].filter((codeId) => codeId !== 's')).toEqual([]);
  return [...(lines.get('s') ?? [])].sort();
}

const USE: Step = { sha: 'use', uses: ['1:11', '2:12'] };
const REVERT: Step = { sha: 'revert', parents: ['use'], removed: [11, 12] };

describe('the lines of a snippet that a commit cannot use', () => {
  it('are those that an ancestor has used, however far away', () => {
    const steps = [USE, { sha: 'b', parents: ['use'] }, { sha: 'c', parents: ['b'] }];
    expect(consumed(steps, ['c'])).toEqual([1, 2]);
    expect(consumed(steps, ['use'])).toEqual([1, 2]);
  });

  it('are not those that a commit on another branch has used', () => {
    expect(consumed([{ sha: 'base' }, { ...USE, parents: ['base'] }], ['base'])).toEqual([]);
  });

  it('are those of both sides of a merge', () => {
    const steps = [
      { sha: 'base' },
      { sha: 'a', parents: ['base'], uses: ['1:11'] },
      { sha: 'b', parents: ['base'], uses: ['2:12'] },
      { sha: 'merge', parents: ['a', 'b'] },
    ];
    expect(consumed(steps, ['merge'])).toEqual([1, 2]);
    expect(consumed(steps, ['a', 'b'])).toEqual([1, 2]);
    expect(consumed(steps, ['a'])).toEqual([1]);
  });

  it('are given back to equal lines once a commit has removed them, so that a revert of a revert is AI’s again', () => {
    expect(consumed([USE, REVERT], ['revert'])).toEqual([]);
    expect(consumed([USE, REVERT], ['use'])).toEqual([1, 2]);
  });

  it('are used up again by the revert of the revert, and given back by the next one', () => {
    const again = { ...USE, sha: 'again', parents: ['revert'] };
    expect(consumed([USE, REVERT, again], ['again'])).toEqual([1, 2]);
    const third = { ...REVERT, sha: 'third', parents: ['again'] };
    expect(consumed([USE, REVERT, again, third], ['third'])).toEqual([]);
  });

  it('are not given back to lines that are not what was removed', () => {
    expect(consumed([USE, REVERT], ['revert'], [13])).toEqual([1, 2]);
    expect(consumed([USE, REVERT], ['revert'], [12])).toEqual([1]);
  });

  it('are not given back by a commit that is no descendant of the one that used them', () => {
    const steps = [
      { sha: 'base', removed: [11, 12] },
      { ...USE, parents: ['base'] },
      { sha: 'beside', parents: ['base'], removed: [11, 12] },
      { sha: 'merge', parents: ['use', 'beside'] },
    ];
    expect(consumed(steps, ['merge'])).toEqual([1, 2]);
  });

  it('are given back by a removal on one side of a merge', () => {
    const steps = [USE, REVERT, { sha: 'beside', parents: ['use'] }];
    expect(consumed(steps, ['beside'])).toEqual([1, 2]);
    expect(consumed([...steps, { sha: 'merge', parents: ['beside', 'revert'] }], ['merge'])).toEqual([]);
  });

  it('are not given back by the commit that used them, whatever it removed', () => {
    expect(consumed([{ ...USE, removed: [11] }], ['use'])).toEqual([1, 2]);
  });

  it('are the same when the commit comes again, after later ones', () => {
    const history = historyOf([
      { sha: 'base' },
      { sha: 'first', parents: ['late'] },
      { ...USE, sha: 'late' },
    ]);
    const first = { position: 2, parents: ['late'], committedAt: NOON };
    expect([...history.consumedBefore(first, ['s'], () => new Set())]).toEqual([]);
  });

  it('are not those of an ancestor that is older than a snippet lives', () => {
    const at = (days: number) => [{ ...USE, committedAt: NOON + 1000 - HISTORY_MS + days * DAY_MS }];
    expect(consumed(at(0), ['use'])).toEqual([1, 2]);
    expect(consumed(at(-1), ['use'])).toEqual([]);
  });

  it('end where the history claims to be its own past', () => {
    const steps = [
      { ...USE, parents: ['loop'] },
      { sha: 'loop', parents: ['use', 'loop'] },
    ];
    expect(consumed(steps, ['loop'])).toEqual([1, 2]);
  });
});

describe('the commits that a line may be copied from', () => {
  /** Those of the line at place 7, for a next commit on the parents. */
  function originals(steps: readonly Step[], parents: readonly string[], position = steps.length + 1) {
    const commit = { position, parents, committedAt: NOON + 1000 };
    return commitsOf(historyOf(steps).originalsBefore(commit)(7));
  }
  const commitsOf = (lines: readonly OriginalLine[]) => lines.map(({ fromCommit }) => fromCommit);
  const BASE: Step = { sha: 'base' };
  const ORIGINAL: Step = { sha: 'original', parents: ['base'], added: [7, 8] };

  it('are those of other lines of history that added it, each as often as it did', () => {
    const twice = { sha: 'twice', parents: ['base'], added: [7, 7] };
    expect(originals([BASE, ORIGINAL, twice], ['base'])).toEqual(['original', 'twice', 'twice']);
    expect(originals([BASE, { ...ORIGINAL, added: [8] }], ['base'])).toEqual([]);
  });

  it('are no ancestors, by whichever parent: what those added comes back', () => {
    expect(originals([BASE, ORIGINAL], ['original'])).toEqual([]);
    const merge = { sha: 'merge', parents: ['base', 'original'] };
    expect(originals([BASE, ORIGINAL, merge], ['merge'])).toEqual([]);
  });

  it('are none for a commit without parents, which begins a history of its own', () => {
    expect(originals([BASE, ORIGINAL], [])).toEqual([]);
  });

  it('are each copied once along a line of history, and again on another one', () => {
    const copy = { sha: 'copy', parents: ['base'], copied: [7] };
    expect(originals([BASE, ORIGINAL, copy], ['copy'])).toEqual([]);
    expect(originals([BASE, ORIGINAL, copy], ['base'])).toEqual(['original']);
  });

  it('came before it in the log, so that a commit that comes again meets the same', () => {
    expect(originals([BASE, ORIGINAL], ['base'], 2)).toEqual([]);
    expect(originals([BASE, ORIGINAL], ['base'], 3)).toEqual(['original']);
  });

  it('are not much older, as ancestors are not looked at that are', () => {
    const at = (committedAt: number) => originals([BASE, { ...ORIGINAL, committedAt }], ['base']);
    expect(at(NOON + 1000 - HISTORY_MS)).toEqual(['original']);
    expect(at(NOON + 999 - HISTORY_MS)).toEqual([]);
  });

  it('are in the order of the log, whatever came again', () => {
    const history = historyOf([BASE, ORIGINAL, { sha: 'later', parents: ['base'], added: [7] }]);
    history.add({ ...judged(ORIGINAL, 1), revision: 1 });
    const commit = { position: 4, parents: ['base'], committedAt: NOON };
    expect(commitsOf(history.originalsBefore(commit)(7))).toEqual(['original', 'later']);
  });

  it('say which of their lines it was, where that was kept', () => {
    const history = historyOf([BASE, ORIGINAL, { sha: 'twice', parents: ['base'], added: [7, 8, 7] }]);
    history.add({
      ...judged({ sha: 'old', parents: ['base'], added: [7] }, 3),
      addedNumbers: new Uint32Array(),
    });
    expect(history.originalsBefore({ position: 5, parents: ['base'], committedAt: NOON })(7)).toEqual([
      { fromCommit: 'original', fromLine: 10 },
      { fromCommit: 'twice', fromLine: 10 },
      { fromCommit: 'twice', fromLine: 12 },
      { fromCommit: 'old', fromLine: undefined },
    ]);
  });
});
