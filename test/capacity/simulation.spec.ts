import { simulate, type SimulatedLoad } from '../../bench/capacity/simulation';

/** Ten commits a second, one process, nothing unequal. */
const load: SimulatedLoad = {
  seed: 1,
  key: 'repository',
  partitions: 6,
  stages: [{ meanMs: 50, fixedMs: 0, replicas: 1 }],
  commitsPerSecond: 10,
  shape: () => 1,
  seconds: 4000,
  repositories: 300,
  zipfExponent: 1,
  monorepoShare: 0,
  spread: 0,
  largeShare: 0,
  largeFactor: 1,
  filesPerCommit: 5,
  partMs: 0,
  floorMs: 0,
};

describe('the simulation of partitions', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(simulate(load)).toEqual(simulate(load));
    expect(simulate({ ...load, seed: 2 }).commits).not.toBe(simulate(load).commits);
  });

  it('has the median and the 99th percentile of waits that queueing theory has for an M/D/1 queue', () => {
    const { busiestProcess, waitP50Ms, waitP99Ms } = simulate(load);
    expect(busiestProcess).toBeCloseTo(0.5, 1);
    // Half of the commits find nobody before them: P(wait = 0) = 1 - utilisation.
    expect(waitP50Ms).toBeLessThan(10);
    // Crommelin's formula at a utilisation of .5 gives 3.6 service times.
    expect(waitP99Ms / 50).toBeGreaterThan(3.2);
    expect(waitP99Ms / 50).toBeLessThan(4.1);
  });

  it('keeps the order of a repository by repository and by path, and loses it by commit', () => {
    const unequal = {
      ...load,
      spread: 1,
      monorepoShare: 0.6,
      stages: [
        { meanMs: 50, fixedMs: 0, replicas: 6 },
        { meanMs: 20, fixedMs: 0, replicas: 6 },
      ],
    };
    expect(simulate({ ...unequal, key: 'repository' }).outOfOrder).toBe(0);
    expect(simulate({ ...unequal, key: 'path' }).outOfOrder).toBe(0);
    expect(simulate({ ...unequal, key: 'commit' }).outOfOrder).toBeGreaterThan(100);
  });

  it('puts the work of a monorepo on one partition, and spreads it by commit', () => {
    const mono = { ...load, monorepoShare: 0.6 };
    const byRepository = simulate(mono).hottestPartition;
    expect(byRepository).toBeGreaterThan(0.6 * 0.5 * 0.95);
    expect(simulate({ ...mono, key: 'commit' }).hottestPartition).toBeLessThan(byRepository / 2);
  });

  it('makes a commit that is alone as old as its services take, and what is fixed', () => {
    const alone = { ...load, commitsPerSecond: 0.01, floorMs: 100 };
    const stages = [
      { meanMs: 50, fixedMs: 10, replicas: 1 },
      { meanMs: 20, fixedMs: 0, replicas: 1 },
    ];
    expect(simulate({ ...alone, stages }).ageP99Ms).toBeCloseTo(180, 5);
  });
});
