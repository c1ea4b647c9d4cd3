import { Inject, Injectable } from '@nestjs/common';
import { METRICS } from '@lineprint/platform';
import { Counter, type Registry } from 'prom-client';
import type { Rejection } from './batch';

/** What Prometheus sees of items at the door, clients' and mirrors' alike. */
@Injectable()
export class IntakeMetrics {
  private readonly items: Counter<'topic' | 'outcome'>;
  private readonly rejections: Counter<'topic' | 'code'>;

  constructor(@Inject(METRICS) registry: Registry) {
    const registers = [registry];
    this.items = new Counter({
      name: 'lineprint_ingest_items_total',
      help: 'Items that clients and mirrors sent: accepted (the log has them), rejected (not valid, or not theirs to send)',
      labelNames: ['topic', 'outcome'],
      registers,
    });
    this.rejections = new Counter({
      name: 'lineprint_ingest_rejections_total',
      help: 'Rejected items by reason',
      labelNames: ['topic', 'code'],
      registers,
    });
  }

  /** Once the log has what was accepted. */
  count(topic: string, accepted: number, rejected: readonly Rejection[]): void {
    this.items.inc({ topic, outcome: 'accepted' }, accepted);
    this.items.inc({ topic, outcome: 'rejected' }, rejected.length);
    for (const { code } of rejected) this.rejections.inc({ topic, code });
  }
}
