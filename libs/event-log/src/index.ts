export * from './log';
export * from './report';
export { openEventLog, type EventLogOptions } from './open-event-log';
export { EmbeddedEventLog } from './embedded-event-log';
export { murmur2, partitionFor } from './partitioner';
export { eventHeaders, jsonRecord, newEvent, parseJson, type EventContext, type NewEvent } from './event';
export * from './read-batch';
export {
  ConsumeBatches,
  EVENT_LOG_TRANSPORT,
  EventLogServer,
  type ConsumeBatchesOptions,
} from './event-log-server';
export { EVENT_LOG, EventLogModule, eventLogTransport } from './event-log.module';
