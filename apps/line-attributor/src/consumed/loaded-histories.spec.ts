import { LoadedHistories } from './loaded-histories';
import { RepositoryHistory } from './repository-history';

function historyOf(lines: number): RepositoryHistory {
  const history = new RepositoryHistory(0);
  history.add({
    position: 1,
    sha: 'a',
    revision: 0,
    parents: [],
    committedAt: 0,
    removed: new Uint32Array(0),
    added: Uint32Array.from({ length: lines }, (_, i) => i),
    addedNumbers: new Uint32Array(lines),
    copied: new Uint32Array(0),
    uses: [],
  });
  return history;
}

describe('the loaded histories', () => {
  it('of all judges together take no more than they may: the one not used for longest goes', () => {
    const large = historyOf(1_000);
    const histories = new LoadedHistories(3 * large.bytes);
    const [one, other] = [histories.newJudge(), histories.newJudge()];
    for (const key of [`${one}a`, `${one}b`, `${other}a`, `${other}b`]) {
      histories.keep(key, historyOf(1_000));
      histories.keep(`${one}a`, histories.get(`${one}a`)!);
      histories.evict();
    }
    expect(
      [`${one}a`, `${one}b`, `${other}a`, `${other}b`].map((key) => histories.get(key) !== undefined),
    ).toEqual([true, false, true, true]);
  });

  it('have the one just used, whatever it takes', () => {
    const histories = new LoadedHistories(1);
    histories.keep('a', historyOf(10));
    histories.evict();
    expect(histories.get('a')).toBeDefined();
  });
});
