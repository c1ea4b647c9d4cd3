/**
 * Told of failures that the log survives: a retry, a dead letter, a broker gone. It must not throw.
 * `context` holds what is known of `group`, `topic`, `partition`, `offset` and `error`; never a record's value.
 */
export type Report = (message: string, context: Readonly<Record<string, unknown>>) => void;

export const NO_REPORT: Report = () => undefined;
