/**
 * Commits of a working day's busiest hour on their way through commit-analyzer, line-attributor and rollup: who waits
 * for whom where repositories are very unequal. Pure: the same seed gives the same answer.
 */
import { repositoryKey } from '@lineprint/contracts';
import { partitionFor } from '@lineprint/event-log';
import { SeededRandom } from '../accuracy/self-made/random';

/**
 * What decides the partition of commits.v1: the repository (as built); the commit, which loses the order of a
 * repository; or each path of a commit, whose parts are put together again before they are attributed in order.
 */
export type Key = 'repository' | 'commit' | 'path';

/** One reading service: its processes, and its processor time a commit in milliseconds. */
export interface Stage {
  /** Of a usual commit's lines; a commit of twice the size takes twice as long. */
  readonly meanMs: number;
  /** Whatever the size. */
  readonly fixedMs: number;
  readonly replicas: number;
}

export interface SimulatedLoad {
  readonly seed: number;
  readonly key: Key;
  readonly partitions: number;
  /** In the order of the commits' way; the first is the one that a key by path splits. */
  readonly stages: readonly Stage[];
  /** Of the day's busiest moment; `shape` gives the share of it at each point of the time simulated. */
  readonly commitsPerSecond: number;
  /** From 0 to 1, for 0 to below 1 of the time simulated. */
  readonly shape: (share: number) => number;
  readonly seconds: number;
  readonly repositories: number;
  readonly zipfExponent: number;
  /** Of all commits, the first repository's; 0: it is as others are. */
  readonly monorepoShare: number;
  /** Sigma of the lognormal factor (mean 1) on each commit's size. */
  readonly spread: number;
  /** Very large commits: how many of all, and how many times a usual one they cost. */
  readonly largeShare: number;
  readonly largeFactor: number;
  readonly filesPerCommit: number;
  readonly partMs: number;
  /** What a commit takes that waits for nothing: requests, polls, transactions; milliseconds. */
  readonly floorMs: number;
}

export interface Simulated {
  readonly commits: number;
  /** Of the time simulated, the processor time of the first stage on the partition with most of it. */
  readonly hottestPartition: number;
  /** Of the time simulated, that of the busiest process of any stage. */
  readonly busiestProcess: number;
  readonly waitP50Ms: number;
  readonly waitP99Ms: number;
  readonly ageP99Ms: number;
  /** Of the first repository's commits alone. */
  readonly monorepoAgeP99Ms: number;
  /** Commits whose results came before those of an earlier commit of their repository. */
  readonly outOfOrder: number;
}

interface Commit {
  readonly n: number;
  readonly repository: number;
  readonly at: number;
  /** Of the key that keeps it whole. */
  readonly partition: number;
  /** Times a usual commit's cost. */
  readonly size: number;
}

interface Job {
  readonly commit: Commit;
  readonly partition: number;
  readonly arrives: number;
  readonly ms: number;
}

const TENANT = 'simulated';

/** @returns figures of all commits that arrive in the time simulated, each followed to its end */
export function simulate(load: SimulatedLoad): Simulated {
  const random = new SeededRandom(load.seed);
  const commits = arrivals(load, random);
  const [first, ...others] = load.stages;
  if (first === undefined || commits.length === 0) throw new Error('Nothing to simulate.');

  const parts = commits.flatMap((commit) => partsOf(commit, load, first, random));
  const busy: number[] = new Array<number>(load.partitions).fill(0);
  for (const { partition, ms } of parts) busy[partition]! += ms;
  const waited = new Float64Array(commits.length);
  let ends = new Float64Array(commits.length);
  let busiest = serve(parts, first.replicas, (job, start, end) => {
    const { n } = job.commit;
    // Of parts, the one that ends last is what its commit waits for.
    if (end > ends[n]!) {
      ends[n] = end;
      waited[n] = start - job.arrives;
    }
  });
  if (load.key === 'path') restoreOrder(commits, ends, waited);
  for (const stage of others) {
    const jobs = commits.map((commit) => ({
      commit,
      partition: commit.partition,
      arrives: ends[commit.n]!,
      ms: commit.size * stage.meanMs + stage.fixedMs,
    }));
    const next = new Float64Array(commits.length);
    const used = serve(jobs, stage.replicas, (job, start, end) => {
      waited[job.commit.n]! += start - job.arrives;
      next[job.commit.n] = end;
    });
    ends = next;
    busiest = Math.max(busiest, used);
  }

  const milliseconds = load.seconds * 1000;
  const agesOf = (some: readonly Commit[]) =>
    some.map(({ n, at: began }) => ends[n]! - began + load.floorMs).sort((a, b) => a - b);
  const waits = [...waited].sort((a, b) => a - b);
  return {
    commits: commits.length,
    hottestPartition: Math.max(...busy) / milliseconds,
    busiestProcess: busiest / milliseconds,
    waitP50Ms: at(waits, 0.5),
    waitP99Ms: at(waits, 0.99),
    ageP99Ms: at(agesOf(commits), 0.99),
    monorepoAgeP99Ms: at(agesOf(commits.filter(({ repository }) => repository === 0)), 0.99),
    outOfOrder: overtaken(commits, ends),
  };
}

/** A Poisson process whose rate follows the shape, by thinning. */
function arrivals(load: SimulatedLoad, random: SeededRandom): Commit[] {
  const chosen = repositories(load);
  const commits: Commit[] = [];
  const partitions = new Map<string, number>();
  const end = load.seconds * 1000;
  for (let time = 0; ;) {
    time -= (Math.log(1 - random.share()) * 1000) / load.commitsPerSecond;
    if (time >= end) return commits;
    if (random.share() >= load.shape(time / end)) continue;
    const size = Math.exp(load.spread * normal(random) - (load.spread * load.spread) / 2);
    const isLarge = random.share() < load.largeShare;
    const n = commits.length;
    const repository = chosen(random.share());
    const ofRepository = repositoryKey(TENANT, `group/repository-${repository}`);
    const key = load.key === 'commit' ? `${ofRepository}/${n}` : ofRepository;
    const partition = partitions.get(key) ?? partitionFor(key, load.partitions);
    partitions.set(key, partition);
    commits.push({ n, repository, at: time, partition, size: isLarge ? load.largeFactor : size });
  }
}

/** Repositories by Zipf's law, after the monorepo, which is number 0. @returns the repository of a share from 0 to 1 */
function repositories({ repositories: count, zipfExponent, monorepoShare }: SimulatedLoad) {
  const ends = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) ends[i] = sum += Math.exp(-zipfExponent * Math.log(i + 1));
  return (share: number): number => {
    if (share < monorepoShare) return 0;
    const wanted = ((share - monorepoShare) / (1 - monorepoShare)) * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! > wanted) high = middle;
      else low = middle + 1;
    }
    return monorepoShare > 0 ? low + 1 : low;
  };
}

/** What the first stage is given of a commit: all of it or, by path, the share of each of its files. */
function partsOf(commit: Commit, load: SimulatedLoad, stage: Stage, random: SeededRandom): Job[] {
  const { at: arrives, partition, size } = commit;
  const ms = size * stage.meanMs + stage.fixedMs;
  if (load.key !== 'path') return [{ commit, partition, arrives, ms }];
  const count = 1 + Math.floor(Math.log(1 - random.share()) / Math.log(1 - 1 / load.filesPerCommit));
  // Files are as unequal as commits are.
  const weights = Array.from({ length: count }, () => Math.exp(load.spread * normal(random)));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => {
    const path = `src/${random.between(0, 9999)}.ts`;
    return {
      commit,
      partition: partitionFor(
        `${repositoryKey(TENANT, `group/repository-${commit.repository}`)}/${path}`,
        load.partitions,
      ),
      arrives,
      ms: (ms * weight) / total + load.partMs,
    };
  });
}

/**
 * Each process takes one job after the other, as they come, from the partitions it is assigned in turn.
 *
 * @returns milliseconds of work of the busiest
 */
function serve(
  jobs: readonly Job[],
  replicas: number,
  done: (job: Job, start: number, end: number) => void,
): number {
  const free = new Array<number>(replicas).fill(0);
  const used = new Array<number>(replicas).fill(0);
  for (const job of [...jobs].sort((a, b) => a.arrives - b.arrives || a.commit.n - b.commit.n)) {
    const process = job.partition % replicas;
    const start = Math.max(job.arrives, free[process]!);
    const end = start + job.ms;
    free[process] = end;
    used[process]! += job.ms;
    done(job, start, end);
  }
  return Math.max(...used);
}

/** A commit that is put together again waits for the earlier ones of its repository. */
function restoreOrder(commits: readonly Commit[], ends: Float64Array, waited: Float64Array): void {
  const last = new Map<number, number>();
  for (const { n, repository } of commits) {
    const ready = Math.max(ends[n]!, last.get(repository) ?? 0);
    waited[n]! += ready - ends[n]!;
    ends[n] = ready;
    last.set(repository, ready);
  }
}

function overtaken(commits: readonly Commit[], ends: Float64Array): number {
  const last = new Map<number, number>();
  let count = 0;
  for (const { n, repository } of commits) {
    const before = last.get(repository) ?? 0;
    if (ends[n]! < before) count++;
    else last.set(repository, ends[n]!);
  }
  return count;
}

/** Mean 0, deviation 1 (Marsaglia's polar method). */
function normal(random: SeededRandom): number {
  for (;;) {
    const x = 2 * random.share() - 1;
    const y = 2 * random.share() - 1;
    const square = x * x + y * y;
    if (square > 0 && square < 1) return x * Math.sqrt((-2 * Math.log(square)) / square);
  }
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
