import {
  applyDecorators,
  type ArgumentsHost,
  Catch,
  type RpcExceptionFilter,
  UseFilters,
} from '@nestjs/common';
import {
  type CustomTransportStrategy,
  EventPattern,
  type MessageHandler,
  Server,
} from '@nestjs/microservices';
import { ConfigError } from '@lineprint/platform';
import { type Observable, isObservable, lastValueFrom, throwError } from 'rxjs';
import type { Batch, BatchResult, ConsumeOptions, Consumption, EventLog } from './log';

export const EVENT_LOG_TRANSPORT = Symbol('lineprint.event-log');

export type ConsumeBatchesOptions = Omit<ConsumeOptions, 'handler'>;

/** Nest's own filter turns an error into an object without code; retry or dead letter hangs on the original. */
@Catch()
class PassErrorOn implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

/**
 * Marks a controller's method `(batch: Batch) => Promise<BatchResult>` as the handler of a topic for a group.
 * What it throws decides as the port says: `transient: true` is tried again, the rest is dead-lettered.
 */
export function ConsumeBatches(options: ConsumeBatchesOptions): MethodDecorator {
  return applyDecorators(
    EventPattern(`${options.topic} ${options.group}`, EVENT_LOG_TRANSPORT, { consume: options }),
    UseFilters(PassErrorOn),
  );
}

/**
 * Nest's transport over the event log: one instance serves every `@ConsumeBatches` method of the process.
 * `close` finishes the running batches and commits them; the log itself stays open, it is its owner's.
 */
export class EventLogServer extends Server implements CustomTransportStrategy {
  override readonly transportId = EVENT_LOG_TRANSPORT;
  private running: readonly Consumption[] = [];

  constructor(private readonly log: EventLog) {
    super();
  }

  /** What health asks: `ready` and `lastTickAt` of each; empty before `listen`. */
  get consumptions(): readonly Consumption[] {
    return this.running;
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      const subscriptions = [...this.messageHandlers.values()].map(toConsumeOptions);
      const starts = await Promise.allSettled(subscriptions.map((options) => this.log.consume(options)));
      this.running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      const failed = starts.find((start) => start.status === 'rejected');
      if (failed) {
        await this.close();
        throw failed.reason;
      }
    } catch (error) {
      callback(error);
      return;
    }
    callback();
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((consumption) => consumption.stop()));
  }

  /** There are no events of the transport itself: health is in `consumptions`. */
  on(): void {}

  unwrap<T>(): T {
    return this.log as T;
  }
}

function toConsumeOptions(handler: MessageHandler<Batch, unknown, BatchResult>): ConsumeOptions {
  const consume = handler.extras?.['consume'] as ConsumeBatchesOptions;
  if (handler.next) {
    throw new ConfigError(
      `Two methods consume ${consume.topic} for ${consume.group}: only one of them can commit`,
    );
  }
  return {
    ...consume,
    handler: async (batch) => {
      // Without interceptors Nest answers with the method's own result; errors come as an observable.
      const answer: unknown = await handler(batch);
      return (isObservable(answer) ? await lastValueFrom(answer) : answer) as BatchResult;
    },
  };
}
