export * from './log';
export * from './report';
export { kafkaBrokers, openEventLog, type EventLogOptions } from './open-event-log';
export * from './inspect-kafka';
export { EmbeddedEventLog } from './embedded-event-log';
export { murmur2, partitionFor } from './partitioner';
export {
  eventHeaders,
  isRefsEvent,
  jsonRecord,
  newEvent,
  newRefsEvent,
  parseJson,
  type EventContext,
  type NewEvent,
} from './event';
export * from './read-batch';
export {
  ConsumeBatches,
  EVENT_LOG_TRANSPORT,
  EventLogServer,
  type ConsumeBatchesOptions,
} from './event-log-server';
export { EventLogModule, eventLogTransport } from './event-log.module';
export { EVENT_LOG, OPEN_EVENT_LOG, type OpenEventLog } from './event-log.tokens';
export { LazyEventLogModule } from './lazy-event-log.module';
export * from './dead-letter-queue';
export { enqueue } from './outbox';
export { OutboxRelay } from './outbox-relay';
export { OutboxModule } from './outbox.module';
export { StageConsumer, type Advance, type StageEffects } from './replay/stage-consumer';
export { StageWorker, type StageWork, type StageWorkerOptions } from './replay/stage-worker';
