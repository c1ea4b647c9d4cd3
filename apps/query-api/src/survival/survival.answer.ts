import { aliveAt, churn, halfLife, type LineLife, survivalCurve } from '@lineprint/attribution';
import { groupRows } from '../group-rows';
import type { LivesRow } from './survival.queries';
import type { SurvivalAnswer, SurvivalCohort, SurvivalCurveAnswer } from './survival.schema';

const DAY_MS = 86_400_000;

/** The curves by key and the cohorts by week and key, from rows grouped in the database. */
export function assembleSurvival(rows: readonly LivesRow[]): SurvivalAnswer {
  const curves = [...groupRows(rows, ({ key }) => key)].map(([key, of]) => curveOf(key, of));
  const cohorts = groupRows(rows, ({ week, key }) => JSON.stringify([week, key]));
  return {
    curves: curves.sort((a, b) => b.born - a.born || (a.key < b.key ? -1 : 1)),
    cohorts: [...cohorts.values()]
      .map(cohortOf)
      .sort((a, b) => (a.week === b.week ? (a.key < b.key ? -1 : 1) : a.week < b.week ? -1 : 1)),
  };
}

function curveOf(key: string, rows: readonly LivesRow[]): SurvivalCurveAnswer {
  const lives = rows.map(lifeOf);
  const curve = survivalCurve(lives);
  const { born, rewritten, ratio } = churn(lives);
  return {
    key,
    born: curve.born,
    points: curve.points.map(({ age, alive }) => ({ age, alive: rounded(alive) })),
    watchedDays: curve.watchedDays,
    at7: roundedOrNull(aliveAt(curve, 7)),
    at30: roundedOrNull(aliveAt(curve, 30)),
    at90: roundedOrNull(aliveAt(curve, 90)),
    halfLifeDays: halfLife(curve),
    churn14: { born, rewritten, ratio: roundedOrNull(ratio) },
  };
}

function cohortOf(rows: readonly LivesRow[]): SurvivalCohort {
  const { week, key } = rows[0]!;
  const curve = survivalCurve(rows.map(lifeOf));
  const standing = rows.reduce((sum, row) => sum + (row.lived_days === null ? row.lines : 0), 0);
  return {
    week,
    key,
    born: curve.born,
    alive7: roundedOrNull(aliveAt(curve, 7)),
    alive30: roundedOrNull(aliveAt(curve, 30)),
    alive90: roundedOrNull(aliveAt(curve, 90)),
    now: rounded(standing / curve.born),
  };
}

/** Only whole days from the birth on are looked at, so the birth may be at any time. */
function lifeOf({ watched_days, lived_days, lines }: LivesRow): LineLife {
  return {
    bornAt: 0,
    diedAt: lived_days === null ? null : lived_days * DAY_MS,
    until: watched_days * DAY_MS,
    lines,
  };
}

function rounded(share: number): number {
  return Math.round(share * 1000) / 1000;
}

function roundedOrNull(share: number | null): number | null {
  return share === null ? null : rounded(share);
}
