import type { LogRecord } from './log';
import { RecentRecords } from './recent-records';

const record = (offset: number, partition = 0): LogRecord => ({
  topic: 't.v1',
  partition,
  offset,
  key: 'k',
  value: Buffer.alloc(100),
  headers: {},
  timestamp: 0,
});
const offsets = (records: readonly LogRecord[]) => records.map(({ offset }) => offset);

describe('recent records', () => {
  it('are given from an offset that is here, as many as are wanted', () => {
    const recent = new RecentRecords(10_000);
    for (const offset of [5, 6, 7, 8]) recent.add(record(offset));
    recent.add(record(0, 1));
    expect(offsets(recent.from('t.v1', 0, 6, 2))).toEqual([6, 7]);
    expect(offsets(recent.from('t.v1', 0, 4, 2))).toEqual([]);
    expect(offsets(recent.from('t.v1', 0, 9, 2))).toEqual([]);
    expect(offsets(recent.from('t.v1', 1, 0, 2))).toEqual([0]);
    expect(offsets(recent.from('u.v1', 0, 6, 2))).toEqual([]);
  });

  it('go, the oldest first, where they take more room than they may', () => {
    const recent = new RecentRecords(300);
    for (const [offset, partition] of [[0], [0, 1], [1], [1, 1]] as const)
      recent.add(record(offset, partition));
    expect(offsets(recent.from('t.v1', 0, 0, 9))).toEqual([]);
    expect(offsets(recent.from('t.v1', 0, 1, 9))).toEqual([1]);
    expect(offsets(recent.from('t.v1', 1, 0, 9))).toEqual([0, 1]);
  });

  it('have no gap: what another process has appended is not passed over', () => {
    const recent = new RecentRecords(10_000);
    for (const offset of [0, 1, 3, 4]) recent.add(record(offset));
    expect(offsets(recent.from('t.v1', 0, 1, 9))).toEqual([]);
    expect(offsets(recent.from('t.v1', 0, 3, 9))).toEqual([3, 4]);
  });

  it('are forgotten when what is stored is deleted', () => {
    const recent = new RecentRecords(10_000);
    recent.add(record(0));
    recent.clear();
    expect(recent.from('t.v1', 0, 0, 9)).toEqual([]);
  });
});
