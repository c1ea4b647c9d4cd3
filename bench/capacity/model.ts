/** What an installation needs, from measured figures and stated assumptions. No clock, no randomness. */

/** Where a figure comes from: `npm run bench -- …` on a day. */
export interface Figure {
  readonly value: number;
  readonly unit: string;
  readonly command: string;
  readonly date: string;
}

/** Measured figures by name (`figures.json`). */
export type Figures = Readonly<Record<string, Figure>>;
/** Assumptions by the name of their option (`assumptions.json`). */
export type Assumptions = Readonly<Record<string, number>>;

/** The services on the way of a commit, in order; the indexer and query-api stand beside it. */
export const SERVICES = [
  'ingest',
  'indexer',
  'commit-analyzer',
  'line-attributor',
  'rollup',
  'query-api',
] as const;
export type Service = (typeof SERVICES)[number];

/** Share of a working day's events in each hour; together 1. */
export const DAY_PROFILE: readonly number[] = normalised([
  1, 1, 1, 1, 1, 1, 2, 5, 20, 42, 50, 46, 28, 40, 48, 46, 40, 26, 12, 8, 6, 4, 2, 1,
]);

/** Of each service: processor time at the peak in cores, how many run, and what they hold when idle. */
export interface ServiceNeed {
  readonly cores: number;
  readonly replicas: number;
  readonly idleMb: number;
}

export interface Capacity {
  readonly developers: number;
  readonly snippetsPerDay: number;
  readonly commitsPerDay: number;
  readonly peakSnippetsPerSecond: number;
  readonly peakCommitsPerSecond: number;
  readonly redisBytes: number;
  readonly postgresBytes: number;
  /** All replicas of all topics together. */
  readonly kafkaBytes: number;
  readonly services: Readonly<Record<Service, ServiceNeed>>;
  readonly partitions: number;
}

/** Partitions are chosen from these: what an installation starts with cannot be taken back. */
const PARTITIONS = [3, 6, 12, 24, 48, 96, 192, 384];
const SECONDS_A_DAY = 86_400;
const QUESTIONS_A_VIEW = 10;

/**
 * @throws {Error} code `figure-missing` for a name that nobody measured or assumed
 */
export function capacityOf(developers: number, figures: Figures, assumptions: Assumptions): Capacity {
  const measured = (name: string) => known(figures[name]?.value, name);
  const assumed = (name: string) => known(assumptions[name], name);
  const snippetsPerDay = developers * assumed('snippets-per-developer');
  const commitsPerDay = developers * assumed('commits-per-developer');
  const peak = peakOf(assumed('peak-factor'));
  const peakSnippets = snippetsPerDay * peak;
  const peakCommits = commitsPerDay * peak;
  const views = developers * assumed('views-per-developer') * peak;
  const daysOf = (name: string) => (assumed(name) * assumed('working-days')) / 7;
  const size = meanSize(figures, assumptions);

  const milliseconds: Record<Service, number> = {
    ingest:
      peakCommits * measured('ingest-ms-per-commit') * size +
      peakSnippets * measured('ingest-ms-per-fingerprint'),
    indexer: peakSnippets * measured('indexer-ms-per-fingerprint'),
    'commit-analyzer': peakCommits * measured('commit-analyzer-ms-per-commit') * size,
    'line-attributor': peakCommits * measured('line-attributor-ms-per-commit') * size,
    rollup: peakCommits * measured('rollup-ms-per-commit') * size,
    'query-api': views * QUESTIONS_A_VIEW * measured('query-ms'),
  };
  const services = Object.fromEntries(
    SERVICES.map((name) => {
      const cores = (milliseconds[name] / 1000) * assumed('cpu-factor');
      const replicas = Math.max(leastReplicas(developers), Math.ceil(cores / assumed('utilisation')));
      return [name, { cores, replicas, idleMb: replicas * measured(`${name}-idle-mb`) }];
    }),
  ) as Record<Service, ServiceNeed>;
  const most = Math.max(...SERVICES.filter(readsTopics).map((name) => services[name].replicas));

  return {
    developers,
    snippetsPerDay,
    commitsPerDay,
    peakSnippetsPerSecond: peakSnippets,
    peakCommitsPerSecond: peakCommits,
    redisBytes: snippetsPerDay * daysOf('recall-days') * measured('redis-bytes-per-snippet'),
    postgresBytes:
      daysOf('result-days') *
      (snippetsPerDay * measured('database-bytes-per-fingerprint') +
        commitsPerDay * measured('database-bytes-per-commit') * size),
    kafkaBytes:
      daysOf('retention-days') *
      assumed('replication') *
      (snippetsPerDay * measured('log-bytes-per-fingerprint') +
        commitsPerDay * measured('log-bytes-per-commit') * size),
    services,
    // Twice the consumers: assigned evenly, and room to add some.
    partitions: PARTITIONS.find((count) => count >= 2 * most) ?? 2 * most,
  };
}

/** Events a second in the busiest minutes, of one event a working day. */
export function peakOf(peakFactor: number): number {
  return ((Math.max(...DAY_PROFILE) * 24) / SECONDS_A_DAY) * peakFactor;
}

/** How many times as much as the measured commit a usual one costs: by its added lines, never less than once. */
export function usualSize(figures: Figures, assumptions: Assumptions): number {
  return Math.max(1, known(assumptions['lines-per-commit'], 'lines-per-commit') / measuredLines(figures));
}

/** How many times as much a very large commit costs. */
export function largeSize(figures: Figures, assumptions: Assumptions): number {
  return Math.max(1, known(assumptions['large-lines'], 'large-lines') / measuredLines(figures));
}

/** Of all commits, the very large ones among them. */
function meanSize(figures: Figures, assumptions: Assumptions): number {
  const share = known(assumptions['large-share'], 'large-share');
  return (1 - share) * usualSize(figures, assumptions) + share * largeSize(figures, assumptions);
}

function measuredLines(figures: Figures): number {
  return known(figures['lines-per-commit']?.value, 'lines-per-commit');
}

/** One is enough for a team; more must not stand still while a node is drained. */
function leastReplicas(developers: number): number {
  return developers <= 100 ? 1 : 2;
}

function readsTopics(name: Service): boolean {
  return name !== 'ingest' && name !== 'query-api';
}

function normalised(weights: readonly number[]): number[] {
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function known(value: number | undefined, name: string): number {
  if (value === undefined || !Number.isFinite(value)) {
    throw Object.assign(new Error(`There is no figure ${name}.`), { code: 'figure-missing' });
  }
  return value;
}
