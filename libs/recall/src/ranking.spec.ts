import { rankCandidates } from './ranking';
import { STOP_POSTINGS, type Posting } from './recall-index';

const query = { notBefore: 0, notAfter: 100, horizon: [1000] };
const at = (codeId: string, eventTime = 50): Posting => ({ codeId, eventTime, partition: 0, offset: 1 });

describe('rankCandidates', () => {
  it('sums the weights of the keys that a snippet shares, best first', () => {
    const postings = new Map([
      ['h1:a', [at('x'), at('y')]],
      ['h3:b', [at('y')]],
      ['h1:c', [at('x')]],
    ]);
    const keys = [
      { key: 'h1:a', weight: 5 },
      { key: 'h3:b', weight: 9 },
      { key: 'h1:c', weight: 2 },
      { key: 'h1:nobody', weight: 50 },
    ];
    expect(rankCandidates(keys, postings, query, 10)).toEqual([
      { codeId: 'y', score: 14, lanes: ['h1', 'h3'] },
      { codeId: 'x', score: 7, lanes: ['h1'] },
    ]);
    expect(rankCandidates(keys, postings, query, 1).map((c) => c.codeId)).toEqual(['y']);
  });

  it('counts a key once, with its greatest weight', () => {
    const keys = [4, 6, 5].map((weight) => ({ key: 'text:2:ff', weight }));
    const postings = new Map([['text:2:ff', [at('x'), at('x')]]]);
    expect(rankCandidates(keys, postings, query, 10)).toEqual([{ codeId: 'x', score: 6, lanes: ['text'] }]);
  });

  it('leaves out stop keys, what the commit may not see, and sums below 4', () => {
    const postings = new Map([
      ['h1:stop', Array.from({ length: STOP_POSTINGS }, (_, i) => at(`s${i}`))],
      ['h1:future', [at('later', 101)]],
      ['h1:weak', [at('weak')]],
      ['h1:enough', [at('enough')]],
    ]);
    const keys = [...postings.keys()].map((key) => ({ key, weight: key === 'h1:weak' ? 3.9 : 4 }));
    expect(rankCandidates(keys, postings, query, 10).map((c) => c.codeId)).toEqual(['enough']);
  });

  it('answers the same whatever the order of keys and postings', () => {
    const codeIds = ['d', 'B', 'a', 'c'];
    const keys = Array.from({ length: 40 }, (_, i) => ({ key: `h1:${i}`, weight: 0.1 + i / 7 }));
    const forward = new Map(keys.map(({ key }) => [key, codeIds.map((codeId) => at(codeId))]));
    const backward = new Map(
      [...forward].reverse().map(([key, held]) => [key, [...held].reverse()] as [string, Posting[]]),
    );
    const ranked = rankCandidates(keys, forward, query, 3);
    expect(ranked.map((c) => c.codeId)).toEqual(['B', 'a', 'c']);
    expect(rankCandidates([...keys].reverse(), backward, query, 3)).toEqual(ranked);
  });
});
