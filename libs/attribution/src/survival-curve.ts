/** Lines that stood at a branch's tip from one time on. Times in milliseconds since 1970. */
export interface LineLife {
  readonly bornAt: number;
  /** Null where they still stand. */
  readonly diedAt: number | null;
  /** Until when the branch has been watched: its ledger's clock. */
  readonly until: number;
  readonly lines: number;
}

export interface SurvivalCurve {
  /** Lines that were born. */
  readonly born: number;
  /**
   * The share of lines (0 to 1) that still stand so many whole days after their birth: the first day, and each at which
   * the share changes. It holds until the next point, and that of the last one until `watchedDays`.
   */
  readonly points: readonly { readonly age: number; readonly alive: number }[];
  /** The highest age, in days, up to which it was seen of any line that stood before whether it died. */
  readonly watchedDays: number;
}

/** Of the lines that were born so long before `until` that it shows: how many did not live that long. */
export interface Churn {
  readonly born: number;
  readonly rewritten: number;
  /** Null where none was born so long ago. */
  readonly ratio: number | null;
}

const DAY_MS = 86_400_000;

/** A line that is rewritten within so many days counts as churn. */
export const CHURN_DAYS = 14;

/**
 * Kaplan and Meier's estimate of how many lines stand how many whole days after their birth. What happens to a line
 * between two ages is only looked at where its branch has been watched up to the second one, whether the line lived or
 * not: lines that are too young to tell say nothing of that age.
 */
export function survivalCurve(lives: Iterable<LineLife>): SurvivalCurve {
  let born = 0;
  /** By age in days: lines that died at it, and of how many it was seen whether they did. */
  const died: number[] = [];
  const watched: number[] = [];
  for (const { bornAt, diedAt, until, lines } of lives) {
    born += lines;
    const seen = wholeDays(until - bornAt);
    const age = diedAt === null ? Infinity : wholeDays(diedAt - bornAt);
    for (let day = watched.length; day < seen; day++) {
      watched.push(0);
      died.push(0);
    }
    // Sums of those that are watched to the last day; made into sums of those that still stand below.
    if (seen > 0) watched[Math.min(seen - 1, age)]! += lines;
    if (age < seen) died[age]! += lines;
  }
  for (let day = watched.length - 2; day >= 0; day--) watched[day]! += watched[day + 1]!;
  const points = [{ age: 0, alive: 1 }];
  let alive = 1;
  watched.forEach((lines, day) => {
    if (died[day] === 0) return;
    alive *= 1 - died[day]! / lines;
    points.push({ age: day + 1, alive });
  });
  return { born, points, watchedDays: watched.findLastIndex((lines) => lines > 0) + 1 };
}

/** The share of lines that stand at an age in days; null where none has been watched for so long. */
export function aliveAt({ points, watchedDays }: SurvivalCurve, age: number): number | null {
  const last = points.findLast((point) => point.age <= age)!;
  return age <= watchedDays || last.alive === 0 ? last.alive : null;
}

/** The first age in days at which no more than half of the lines stand; null where it has not come to that. */
export function halfLife({ points }: SurvivalCurve): number | null {
  return points.find(({ alive }) => alive <= 0.5)?.age ?? null;
}

/** How many lines were rewritten within `CHURN_DAYS`. */
export function churn(lives: Iterable<LineLife>): Churn {
  let born = 0;
  let rewritten = 0;
  for (const { bornAt, diedAt, until, lines } of lives) {
    if (until - bornAt < CHURN_DAYS * DAY_MS) continue;
    born += lines;
    if (diedAt !== null && diedAt - bornAt < CHURN_DAYS * DAY_MS) rewritten += lines;
  }
  return { born, rewritten, ratio: born === 0 ? null : rewritten / born };
}

function wholeDays(ms: number): number {
  return Math.max(0, Math.floor(ms / DAY_MS));
}
