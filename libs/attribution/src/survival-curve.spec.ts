import { SeededRandom } from './fixtures/seeded-random';
import { aliveAt, churn, halfLife, type LineLife, survivalCurve } from './survival-curve';

const DAY = 86_400_000;

/** Lines that were born on one day, died on another, and could be watched until a third. */
const life = (born: number, died: number | null, until: number, lines = 1): LineLife => ({
  bornAt: born * DAY,
  diedAt: died === null ? null : died * DAY,
  until: until * DAY,
  lines,
});

describe('a survival curve', () => {
  it('falls at the first whole day at which lines do not stand any more', () => {
    const curve = survivalCurve([life(0, 1.5, 30, 25), life(0, 9, 30, 25), life(0, null, 30, 50)]);
    expect(curve).toEqual({
      born: 100,
      points: [
        { age: 0, alive: 1 },
        { age: 2, alive: 0.75 },
        { age: 10, alive: 0.75 * (1 - 25 / 75) },
      ],
      watchedDays: 30,
    });
    expect([0, 1, 2, 9, 10, 30, 31].map((age) => aliveAt(curve, age))).toEqual([
      1,
      1,
      0.75,
      0.75,
      0.75 * (1 - 25 / 75),
      0.75 * (1 - 25 / 75),
      null,
    ]);
    expect(halfLife(curve)).toBe(10);
  });

  it('lets lines that are too young for an age say nothing of it, dead or alive', () => {
    const old = [life(0, 20, 100, 10), life(0, null, 100, 10)];
    const young = [life(95, 96, 100, 40), life(95, null, 100, 40)];
    const curve = survivalCurve([...old, ...young]);
    expect(aliveAt(curve, 5)).toBeCloseTo(60 / 100);
    expect(aliveAt(curve, 30)).toBeCloseTo((60 / 100) * (10 / 20));
    expect(aliveAt(survivalCurve(young), 6)).toBeNull();
  });

  it('is nothing but its beginning where nothing was born, or only just now', () => {
    for (const lives of [[], [life(5, null, 5.9)], [life(5, 5.2, 5.9)]]) {
      const curve = survivalCurve(lives);
      expect(curve.points).toEqual([{ age: 0, alive: 1 }]);
      expect([aliveAt(curve, 0), aliveAt(curve, 1), halfLife(curve)]).toEqual([1, null, null]);
    }
  });

  it('stays at nothing when all lines are gone', () => {
    const curve = survivalCurve([life(0, 2, 4)]);
    expect([aliveAt(curve, 3), aliveAt(curve, 90), halfLife(curve)]).toEqual([0, 0, 3]);
  });

  it('begins at 1, never rises, and is the plain share where all lines were watched alike', () => {
    const draws = new SeededRandom(7);
    const random = () => draws.below(10_000) / 10_000;
    for (let round = 0; round < 200; round++) {
      const alike = round % 2 === 0;
      const lives = Array.from({ length: 1 + Math.floor(random() * 30) }, () => {
        const born = alike ? 0 : random() * 50;
        const until = alike ? 40 : born + random() * 50;
        const died = random() < 0.3 ? null : born + random() * (until - born);
        return life(born, died, until, 1 + Math.floor(random() * 9));
      });
      const curve = survivalCurve(lives);
      const shares = curve.points.map(({ alive }) => alive);
      expect(shares[0]).toBe(1);
      expect([...shares].sort((a, b) => b - a)).toEqual(shares);
      if (!alike) continue;
      const all = lives.reduce((sum, { lines }) => sum + lines, 0);
      for (let age = 0; age <= 40; age++) {
        const standing = lives.filter(({ diedAt }) => diedAt === null || diedAt >= age * DAY);
        const share = standing.reduce((sum, { lines }) => sum + lines, 0) / all;
        expect(aliveAt(curve, age)).toBeCloseTo(share, 9);
      }
    }
  });
});

describe('churn', () => {
  it('is what did not live for fourteen days, of all that was born fourteen days ago', () => {
    const lives = [life(0, 13.9, 20, 3), life(0, 14, 20, 5), life(0, null, 20, 2), life(7, 8, 20, 100)];
    expect(churn(lives)).toEqual({ born: 10, rewritten: 3, ratio: 0.3 });
    expect(churn([])).toEqual({ born: 0, rewritten: 0, ratio: null });
  });
});
