import { ConfigError, LineprintError } from '@lineprint/platform';

export function unknownTopic(topic: string): LineprintError {
  return new LineprintError('topic-unknown', `The log has no topic ${topic}: ensureTopics creates it`);
}

export function shrinkingTopic(topic: string, existing: number, wanted: number): ConfigError {
  return new ConfigError(
    `${topic} has ${existing} partitions and cannot be cut to ${wanted}: that would break the order of its keys`,
  );
}
