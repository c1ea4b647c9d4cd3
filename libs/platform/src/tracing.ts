import { randomBytes } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import {
  context,
  type Context,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { NextFunction, Request, Response } from 'express';
import { isProbe, routeOf } from './routes';

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

const EXPORT_TIMEOUT_MS = 5_000;

/**
 * Sends the process's spans to a collector under the service's name, until the answer is called, which sends
 * what is left. Without an address nothing is recorded and trace contexts are only passed on.
 * @param url base address of OTLP over HTTP, e.g. `http://collector:4318`
 */
export async function startTracing(service: string, url: string | undefined): Promise<() => Promise<void>> {
  if (url === undefined) return () => Promise.resolve();
  // Only where it is used: the command line starts without it.
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const { BatchSpanProcessor, NodeTracerProvider } = await import('@opentelemetry/sdk-trace-node');
  const exporter = new OTLPTraceExporter({
    url: `${url.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.namespace': 'lineprint' }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  return async () => {
    // A collector that is gone costs spans, never the service's own shutdown.
    await provider.shutdown().catch(() => undefined);
    trace.disable();
    context.disable();
    propagation.disable();
  };
}

/** Middleware that records each request as a span, child of the caller's where it sent a trace context. */
export function traceRequests(request: Request, response: Response, next: NextFunction): void {
  if (isProbe(request)) {
    next();
    return;
  }
  const parent = withTraceparent(headerText(request.headers['traceparent']));
  const span = trace
    .getTracer('lineprint.http')
    .startSpan(
      request.method,
      { kind: SpanKind.SERVER, attributes: { 'http.request.method': request.method } },
      parent,
    );
  response.on('close', () => {
    const route = routeOf(request);
    if (route !== undefined) {
      span.updateName(`${request.method} ${route}`);
      span.setAttribute('http.route', route);
    }
    span.setAttribute('http.response.status_code', response.statusCode);
    if (response.statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
  context.with(trace.setSpan(parent, span), next);
}

/** The context in which a span is a child of the W3C trace context; a root's where that is missing or invalid. */
export function withTraceparent(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, spanContext);
}

export function traceparentFrom({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
}

/**
 * The running span's W3C trace context, else the caller's where it is valid, else a new one, so that a record
 * can be followed across topics.
 */
export function traceparentOf(header: string | string[] | undefined): string {
  const running = trace.getActiveSpan()?.spanContext();
  if (running && isSpanContextValid(running) && !running.isRemote) return traceparentFrom(running);
  const given = headerText(header);
  if (given && TRACEPARENT.test(given)) return given;
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}

/** What a log line says of the running span. */
export function traceFields(): { traceId?: string; spanId?: string } {
  const running = trace.getActiveSpan()?.spanContext();
  return running && isSpanContextValid(running) ? { traceId: running.traceId, spanId: running.spanId } : {};
}

/** The request's trace context for a handler; unlike `@Headers` it puts no required header into OpenAPI. */
export const Traceparent = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  traceparentOf(context.switchToHttp().getRequest<Request>().headers['traceparent']),
);

function headerText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
