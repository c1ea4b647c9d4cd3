import { branchName, counted, formatDay, formatLines, formatRatio, formatTime } from './format';

it('numbers keep the halves of weighted lines', () => {
  expect([formatLines(1052), formatLines(1052.5), formatRatio(0.741)]).toEqual([
    '1,052',
    '1,052.5',
    '74.1\u202f%',
  ]);
  expect([counted(1, 'line'), counted(0, 'line'), counted(2.5, 'line')]).toEqual([
    '1 line',
    '0 lines',
    '2.5 lines',
  ]);
});

it('a day is a day of the organisation, and a date stays what it is', () => {
  expect(formatDay('2026-03-17T23:30:00Z', 'Europe/Berlin')).toBe('18 Mar 2026');
  expect(formatDay('2026-03-17', 'America/New_York')).toBe('17 Mar 2026');
  expect(formatTime('2026-03-17T23:30:00Z', 'Europe/Berlin')).toBe('18 Mar 2026, 00:30');
});

it('branches have short names', () => {
  expect(['refs/heads/main', 'refs/heads/release/2', 'HEAD'].map(branchName)).toEqual([
    'main',
    'release/2',
    'HEAD',
  ]);
});
