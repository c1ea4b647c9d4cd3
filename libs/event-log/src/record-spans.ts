import { traceparentFrom, withTraceparent } from '@lineprint/platform';
import { type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Headers, LogRecord, OutgoingRecord } from './log';

/**
 * A span for each record, child of the record's `traceparent`, which becomes the span's: whoever passes it on
 * continues the trace from here. Without a tracing backend records stay as they are.
 */
function startSpans<T extends { readonly topic: string; readonly headers: Headers }>(
  records: readonly T[],
  operation: 'send' | 'process',
  attributes: Readonly<Record<string, string>>,
): { readonly records: T[]; readonly spans: (Span | undefined)[] } {
  const tracer = trace.getTracer('lineprint.event-log');
  const started = records.map((record) => {
    const span = tracer.startSpan(
      `${operation} ${record.topic}`,
      {
        kind: operation === 'send' ? SpanKind.PRODUCER : SpanKind.CONSUMER,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.operation.type': operation,
          'messaging.destination.name': record.topic,
          ...attributes,
        },
      },
      withTraceparent(record.headers['traceparent']),
    );
    if (!span.isRecording()) return { record, span: undefined };
    const traceparent = traceparentFrom(span.spanContext());
    return { record: { ...record, headers: { ...record.headers, traceparent } }, span };
  });
  return { records: started.map(({ record }) => record), spans: started.map(({ span }) => span) };
}

/** Appends the records within a span each. */
export async function sendTraced<R>(
  records: readonly OutgoingRecord[],
  send: (records: readonly OutgoingRecord[]) => Promise<R>,
): Promise<R> {
  const { records: traced, spans } = startSpans(records, 'send', {});
  try {
    return await send(traced);
  } catch (error) {
    for (const span of spans) fail(span, error instanceof Error ? error.message : String(error));
    throw error;
  } finally {
    for (const span of spans) span?.end();
  }
}

/** Spans over one call of a handler. */
export class ProcessingSpans {
  readonly records: readonly LogRecord[];
  private readonly spans: readonly (Span | undefined)[];

  constructor(records: readonly LogRecord[], group: string) {
    const started = startSpans(records, 'process', { 'messaging.consumer.group.name': group });
    this.records = started.records;
    this.spans = started.spans;
  }

  /** Ends every span; `failureOf` says in words what went wrong with a record, if anything. */
  end(failureOf: (record: LogRecord, index: number) => string | undefined): void {
    for (const [i, span] of this.spans.entries()) {
      const failure = span && failureOf(this.records[i]!, i);
      if (failure !== undefined) fail(span, failure);
      span?.end();
    }
  }
}

function fail(span: Span | undefined, message: string): void {
  span?.setStatus({ code: SpanStatusCode.ERROR, message });
}
