import { curveRows, newestWeeks } from './survival';

it('curves side by side keep their value until their next point, and end with their last', () => {
  const rows = curveRows([
    {
      key: 'ai',
      points: [
        { age: 2, alive: 0.9 },
        { age: 10, alive: 0.5 },
      ],
      watchedDays: 12,
    },
    { key: 'human', points: [{ age: 4, alive: 0.8 }], watchedDays: 4 },
  ]);
  expect(rows).toEqual([
    { age: 0, ai: 1, human: 1 },
    { age: 2, ai: 0.9, human: 1 },
    { age: 4, ai: 0.9, human: 0.8 },
    { age: 10, ai: 0.5 },
    { age: 12, ai: 0.5 },
  ]);
});

it('a curve without a death is a straight line for as long as its lines were watched', () => {
  expect(curveRows([{ key: 'ai', points: [], watchedDays: 30 }])).toEqual([
    { age: 0, ai: 1 },
    { age: 30, ai: 1 },
  ]);
});

it('cohorts of the newest weeks come first, those of one week in their order', () => {
  const cohort = (week: string, key: string) => ({ week, key });
  const cohorts = [
    cohort('2026-05-25', 'ai'),
    cohort('2026-06-01', 'ai'),
    cohort('2026-06-01', 'human'),
    cohort('2026-06-08', 'human'),
  ];
  expect(newestWeeks(cohorts, 2)).toEqual([
    cohort('2026-06-08', 'human'),
    cohort('2026-06-01', 'ai'),
    cohort('2026-06-01', 'human'),
  ]);
});
