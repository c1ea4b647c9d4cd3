import { eligible, holds, isSurplus } from './eligibility';
import { EPOCH_MS } from './epoch';
import { STOP_POSTINGS, type Posting } from './recall-index';

const posting = (id: number, eventTime: number, partition = 0, offset = 0): Posting => ({
  id,
  eventTime,
  partition,
  offset,
});
const query = { notBefore: 100, notAfter: 200, horizon: [10, 5] };

describe('eligible', () => {
  it('keeps postings from notBefore to notAfter, both included', () => {
    const postings = [99, 100, 150, 200, 201].map((time, id) => posting(id, time));
    expect(eligible(postings, query)).toEqual(postings.slice(1, 4));
  });

  it("keeps postings below their partition's horizon", () => {
    const postings = [posting(1, 150, 0, 9), posting(2, 150, 0, 10), posting(3, 150, 1, 4)];
    expect(eligible([...postings, posting(4, 150, 1, 5)], query)).toEqual([postings[0], postings[2]]);
  });

  it('keeps nothing of a partition that the horizon does not name', () => {
    expect(eligible([posting(1, 150, 2, 0)], query)).toEqual([]);
  });

  it('calls a key with STOP_POSTINGS visible postings a stop key', () => {
    const many = Array.from({ length: STOP_POSTINGS }, (_, i) => posting(i, 150));
    expect(eligible(many, query)).toBe('stop');
    expect(eligible(many.slice(1), query)).toHaveLength(STOP_POSTINGS - 1);
  });

  it('does not count what the commit may not see towards a stop key', () => {
    const future = Array.from({ length: 60 }, (_, i) => posting(i, 300));
    const beyond = Array.from({ length: 60 }, (_, i) => posting(i, 150, 0, 10 + i));
    expect(eligible([...future, ...beyond, posting(99, 150)], query)).toEqual([posting(99, 150)]);
  });

  it('counts what has expired in the epochs of the window, since the index left out others for it', () => {
    const expired = Array.from({ length: STOP_POSTINGS - 1 }, (_, i) => posting(i, 50));
    expect(eligible([...expired, posting(99, 150)], query)).toBe('stop');
    expect(eligible([...expired.slice(1), posting(99, 150)], query)).toEqual([posting(99, 150)]);
  });
});

describe('isSurplus', () => {
  const full = Array.from({ length: STOP_POSTINGS }, (_, offset) => posting(offset, 100, 0, offset));

  it('is what a commit that sees it cannot use: enough others lie before it in log and time', () => {
    expect(isSurplus(posting(99, 100, 0, 50), full)).toBe(true);
    expect(isSurplus(posting(99, 100, 0, 50), full.slice(1))).toBe(false);
  });

  it('is none beside others of another partition or epoch, later in the log, or later in time', () => {
    for (const other of [
      posting(99, 100, 1, 50),
      posting(99, 100 + EPOCH_MS, 0, 50),
      posting(99, 100, 0, 15),
      posting(99, 99, 0, 50),
    ]) {
      expect(isSurplus(other, full)).toBe(false);
    }
  });

  it('is everything after four times as many, whatever the clocks say', () => {
    const many = Array.from({ length: 4 * STOP_POSTINGS }, (_, offset) => posting(offset, 100, 0, offset));
    expect(isSurplus(posting(99, 1, 0, 100), many)).toBe(true);
    expect(isSurplus(posting(99, 1, 0, 100), many.slice(1))).toBe(false);
  });
});

describe('holds', () => {
  const coverage = (...next: number[]) => ({ generation: 1, run: 'r', next: new Map(next.entries()) });

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
