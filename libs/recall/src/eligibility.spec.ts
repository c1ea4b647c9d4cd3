import { eligible, holds } from './eligibility';
import { STOP_POSTINGS, type Posting } from './recall-index';

const posting = (codeId: string, eventTime: number, partition = 0, offset = 0): Posting => ({
  codeId,
  eventTime,
  partition,
  offset,
});
const query = { notBefore: 100, notAfter: 200, horizon: [10, 5] };

describe('eligible', () => {
  it('keeps postings from notBefore to notAfter, both included', () => {
    const postings = [99, 100, 150, 200, 201].map((time) => posting(`at-${time}`, time));
    expect(eligible(postings, query)).toEqual(postings.slice(1, 4));
  });

  it("keeps postings below their partition's horizon", () => {
    const postings = [posting('a', 150, 0, 9), posting('b', 150, 0, 10), posting('c', 150, 1, 4)];
    expect(eligible([...postings, posting('d', 150, 1, 5)], query)).toEqual([postings[0], postings[2]]);
  });

  it('keeps nothing of a partition that the horizon does not name', () => {
    expect(eligible([posting('a', 150, 2, 0)], query)).toEqual([]);
  });

  it('calls a key with STOP_POSTINGS visible postings a stop key', () => {
    const many = Array.from({ length: STOP_POSTINGS }, (_, i) => posting(`s${i}`, 150));
    expect(eligible(many, query)).toBe('stop');
    expect(eligible(many.slice(1), query)).toHaveLength(STOP_POSTINGS - 1);
  });

  it('does not count what the commit may not see towards a stop key', () => {
    const future = Array.from({ length: 60 }, (_, i) => posting(`f${i}`, 300));
    expect(eligible([...future, posting('a', 150)], query)).toEqual([posting('a', 150)]);
  });
});

describe('holds', () => {
  const coverage = (...next: number[]) => ({ run: 'r', next: new Map(next.entries()) });

  it('asks for what is below the horizon and written, and for no more', () => {
    const written = new Map([
      [0, 10],
      [1, 4],
    ]);
    expect(holds(coverage(7, 4), [7, 9, 3], written)).toBe(true);
    expect(holds(coverage(6, 4), [7, 9, 3], written)).toBe(false);
    expect(holds(coverage(7, 3), [7, 9, 3], written)).toBe(false);
    expect(holds(coverage(), [7, 9, 3], written)).toBe(false);
    expect(holds(coverage(), [7, 9, 3], new Map())).toBe(true);
  });
});
