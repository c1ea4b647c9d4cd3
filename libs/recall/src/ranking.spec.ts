import { rankCandidates } from './ranking';
import { STOP_POSTINGS, type Posting } from './recall-index';

const query = { notBefore: 0, notAfter: 100, horizon: [1000] };
const at = (id: number, changes: Partial<Posting> = {}): Posting => ({
  id,
  eventTime: 50,
  partition: 0,
  offset: 1,
  ...changes,
});

describe('rankCandidates', () => {
  it('sums the weights of the keys that a snippet shares, best first', () => {
    const postings = new Map([
      [1, [at(10), at(20)]],
      [2, [at(20)]],
      [3, [at(10)]],
    ]);
    const keys = new Map([
      [1, 5],
      [2, 9],
      [3, 2],
      [4, 50],
    ]);
    expect(rankCandidates(keys, postings, query, 10)).toEqual([
      { id: 20, score: 14 },
      { id: 10, score: 7 },
    ]);
    expect(rankCandidates(keys, postings, query, 1).map(({ id }) => id)).toEqual([20]);
  });

  it('leaves out stop keys, what the commit may not see, and sums below 4', () => {
    const postings = new Map([
      [1, Array.from({ length: STOP_POSTINGS }, (_, i) => at(i))],
      [2, [at(100, { eventTime: 101 })]],
      [3, [at(101)]],
      [4, [at(102)]],
    ]);
    const keys = new Map([...postings.keys()].map((key) => [key, key === 3 ? 3.9 : 4]));
    expect(rankCandidates(keys, postings, query, 10).map(({ id }) => id)).toEqual([102]);
  });

  it('puts the newest of equal ones first, then the one earlier in the log', () => {
    const held = [
      at(1, { eventTime: 40 }),
      at(2, { partition: 0, offset: 7 }),
      at(3, { partition: 0, offset: 6 }),
      at(4, { eventTime: 60 }),
    ];
    const ranked = rankCandidates(new Map([[1, 4]]), new Map([[1, held]]), query, 10);
    expect(ranked.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  });

  it('answers the same whatever the order of keys and postings', () => {
    const keys = Array.from({ length: 40 }, (_, i): [number, number] => [i, 0.1 + i / 7]);
    const held = [4, 2, 1, 3].map((id) => at(id, { offset: id }));
    const forward = new Map(keys.map(([key]) => [key, held]));
    const backward = new Map(
      [...forward].reverse().map(([key, list]) => [key, [...list].reverse()] as [number, Posting[]]),
    );
    const ranked = rankCandidates(new Map(keys), forward, query, 3);
    expect(ranked.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(rankCandidates(new Map([...keys].reverse()), backward, query, 3)).toEqual(ranked);
  });
});
