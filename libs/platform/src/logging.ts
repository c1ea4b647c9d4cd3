import type { LoggerService } from '@nestjs/common';
import pino, { type Logger } from 'pino';
import { traceFields } from './tracing';

export type { Logger } from 'pino';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('LOGGER');

/** Structured logs on stderr, with the ids of the running span: stdout belongs to the command's answer. */
export function createLogger(service: string, level: string): Logger {
  return pino({ level, base: { service }, mixin: traceFields }, pino.destination({ dest: 2, sync: true }));
}

/** Gives Nest's own messages to our logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }
  error(message: unknown, ...rest: unknown[]): void {
    this.logger.error({ details: rest }, String(message));
  }
  warn(message: unknown, context?: unknown): void {
    this.logger.warn({ context }, String(message));
  }
  debug(message: unknown, context?: unknown): void {
    this.logger.debug({ context }, String(message));
  }
  verbose(message: unknown, context?: unknown): void {
    this.logger.trace({ context }, String(message));
  }
}
