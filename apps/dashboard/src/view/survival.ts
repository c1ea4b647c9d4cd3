/** One row for a chart: an age, and the share of each curve that is alive then. */
export type CurveRow = { readonly age: number } & Readonly<Record<string, number>>;

interface Curve {
  readonly key: string;
  readonly points: readonly { readonly age: number; readonly alive: number }[];
  /** Days of age up to which it says something. */
  readonly watchedDays: number;
}

/**
 * Step curves side by side: every age at which one of them has a point, from 0. A curve keeps its value until its next
 * point, starts with 1, and has none after the age up to which its lines were watched.
 */
export function curveRows(curves: readonly Curve[]): CurveRow[] {
  const ages = new Set([
    0,
    ...curves.flatMap(({ points, watchedDays }) => [watchedDays, ...points.map(({ age }) => age)]),
  ]);
  const walks = curves.map((curve) => ({ ...curve, next: 0, alive: 1 }));
  return [...ages]
    .sort((a, b) => a - b)
    .map((age) => {
      const row: Record<string, number> = { age };
      for (const walk of walks) {
        for (let point = walk.points[walk.next]; point && point.age <= age; point = walk.points[walk.next]) {
          walk.alive = point.alive;
          walk.next += 1;
        }
        if (age <= walk.watchedDays) row[walk.key] = walk.alive;
      }
      return row as CurveRow;
    });
}

/** Cohorts of the newest weeks, the newest first; those of one week stay in their order. */
export function newestWeeks<C extends { readonly week: string }>(cohorts: readonly C[], most: number): C[] {
  const weeks = [...new Set(cohorts.map(({ week }) => week))].sort().reverse().slice(0, most);
  return weeks.flatMap((newest) => cohorts.filter(({ week }) => week === newest));
}

const NAMES: Readonly<Record<string, string>> = {
  ai: 'AI lines',
  human: 'Human lines',
  tab: 'Tab',
  chat: 'Chat',
  agent: 'Agent',
};

/** What a curve is called; models have names of their own. */
export function curveName(key: string): string {
  return NAMES[key] ?? key;
}
