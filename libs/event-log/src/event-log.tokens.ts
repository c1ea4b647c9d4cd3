import type { EventLog } from './log';

/** Injection token of the process's one EventLog. */
export const EVENT_LOG = Symbol('EVENT_LOG');

/** Injection token of what answers the process's one EventLog, opened at the latest then. */
export const OPEN_EVENT_LOG = Symbol('OPEN_EVENT_LOG');

/** Rejects, for a call that may be repeated, while the log cannot be reached. */
export type OpenEventLog = () => Promise<EventLog>;
