import { ConfigError, StoreError } from '@lineprint/platform';

/** Transient: the topic may be on its way to every broker, and no record is lost while somebody creates it. */
export function unknownTopic(topic: string): StoreError {
  return new StoreError('topic-unknown', `The log has no topic ${topic}: ensureTopics creates it`);
}

export function shrinkingTopic(topic: string, existing: number, wanted: number): ConfigError {
  return new ConfigError(
    `${topic} has ${existing} partitions and cannot be cut to ${wanted}: that would break the order of its keys`,
  );
}

/** Transient: a member that was stopped may be on its way out. */
export function groupInUse(group: string, cause?: unknown): StoreError {
  return new StoreError('group-in-use', `The group ${group} still has members: stop them first`, cause);
}
