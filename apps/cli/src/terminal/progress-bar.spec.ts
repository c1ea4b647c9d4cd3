import { Writable } from 'node:stream';
import { duration, ProgressBar, progressLine } from './progress-bar';

describe('the progress line', () => {
  it.each([120, 80, 60, 20])('fits into %i columns', (columns) => {
    const at = { seconds: 60, columns };
    const line = progressLine('backfill', 12_000, 50_000, 'commits', at);
    expect(line.length).toBeLessThanOrEqual(columns);
    expect(line).toMatch(
      columns > 60 ? /░\] 12000\/50000 commits · 200\.0\/s · 3 min 10 s left$/ : /^backfill \[/,
    );
  });

  it('shows what is done, the rate and how long the rest takes', () => {
    const line = progressLine('backfill', 100, 400, 'commits', { seconds: 2 });
    expect(line).toContain('100/400 commits · 50.0/s · 6 s left');
  });

  it('counts only this run into the rate of a resumed one', () => {
    expect(progressLine('backfill', 300, 400, 'commits', { seconds: 2, since: 200 })).toContain(
      '50.0/s · 2 s left',
    );
  });

  it('is full and tells neither rate nor estimate for nothing to do', () => {
    expect(progressLine('x', 0, 0, 'commits', { seconds: 0 })).toBe(`x [${'█'.repeat(28)}] 0/0 commits`);
  });

  it('counts nothing into the rate that was done before its first number', () => {
    const lines: string[] = [];
    const stream = Object.assign(new Writable(), { isTTY: false }) as unknown as NodeJS.WriteStream;
    stream.write = (line: unknown) => lines.push(String(line)) > 0;
    const bar = new ProgressBar('analysis', 400, 'commits', stream);
    bar.update(300);
    bar.finish(300);
    expect(lines.join('')).toMatch(/300\/400 commits\n$/);
  });

  it('names durations as people say them', () => {
    expect([duration(4.4), duration(185), duration(7800)]).toEqual(['4 s', '3 min 05 s', '2 h 10 min']);
  });
});
