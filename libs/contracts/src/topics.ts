/** Topic names and how they are laid out. Names are `lineprint.<name>.v<major>`. */
export const TOPICS = {
  snippets: 'lineprint.snippets.v1',
  activity: 'lineprint.activity.v1',
  commits: 'lineprint.commits.v1',
  candidates: 'lineprint.candidates.v1',
  attributions: 'lineprint.attributions.v1',
} as const;

export type TopicName = (typeof TOPICS)[keyof typeof TOPICS];

/** The type of events in the topic of commits that say what a repository's refs name; those of commits have the topic's. */
export const REFS_EVENT = 'lineprint.refs.v1';

export interface TopicSpec {
  readonly name: string;
  readonly partitions: number;
  /** How long records are kept, in milliseconds. */
  readonly retentionMs: number;
}

const DAY_MS = 86_400_000;

/** Snippets outlive their 90-day TTL in the log, because the recall index is rebuilt from it. */
const RETENTION_MS: Record<TopicName, number> = {
  [TOPICS.snippets]: 120 * DAY_MS,
  [TOPICS.activity]: 30 * DAY_MS,
  [TOPICS.commits]: 120 * DAY_MS,
  [TOPICS.candidates]: 120 * DAY_MS,
  [TOPICS.attributions]: 30 * DAY_MS,
};

/** Dead letters wait for somebody to look at them. */
const DEAD_LETTER_RETENTION_MS = 120 * DAY_MS;

/** Until when at most a value may be read: as a record, and then as the dead letter that was made of it on its last day. */
export const LONGEST_KEPT_MS = Math.max(...Object.values(RETENTION_MS)) + DEAD_LETTER_RETENTION_MS;

export function deadLetterTopic(topic: string): string {
  return `${topic}.dlq`;
}

/** Every topic and its dead-letter topic, to be created at start. */
export function topicSpecs(partitions: number): TopicSpec[] {
  return Object.values(TOPICS)
    .flatMap((name) => [name, deadLetterTopic(name)])
    .map((name) => ({ name, partitions, retentionMs: retentionOf(name) }));
}

/** How long records of a topic are kept, in milliseconds. */
export function retentionOf(topic: string): number {
  return RETENTION_MS[topic as TopicName] ?? DEAD_LETTER_RETENTION_MS;
}

/** Consumer group of each service; its committed offsets are the service's progress. */
export const GROUPS = {
  indexer: 'lineprint.indexer',
  commitAnalyzer: 'lineprint.commit-analyzer',
  lineAttributor: 'lineprint.line-attributor',
  ledger: 'lineprint.line-attributor.ledger',
  rollupAttributions: 'lineprint.rollup.attributions',
  rollupActivity: 'lineprint.rollup.activity',
} as const;

/** Consumer group of a replay, which shares no position with live. */
export function replayGroup(replayId: string): string {
  return `lineprint.replay.${replayId}`;
}

/** Where a replay from commits puts the candidates that it finds; laid out as the topic of everyone's candidates. */
export function replayTopic(replayId: string): string {
  return `${TOPICS.candidates}.replay-${replayId}`;
}

/** Consumer group of a replay's analysis of commits … */
export function replayAnalysisGroup(replayId: string): string {
  return `${replayGroup(replayId)}.analyse`;
}

/** … and that of its judgement of what it found. */
export function replayOwnGroup(replayId: string): string {
  return `${replayGroup(replayId)}.own`;
}

/** Snippets and activity are ordered within a project. */
export function projectKey(tenant: string, projectId: string): string {
  return `${tenant}/${projectId}`;
}

/** Everything about commits is ordered within a repository. */
export function repositoryKey(tenant: string, repository: string): string {
  return `${tenant}/${repository}`;
}
