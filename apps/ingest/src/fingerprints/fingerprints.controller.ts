import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { type BatchAnswer, TOPICS } from '@lineprint/contracts';
import { CurrentPrincipal, type Principal, Scopes, Traceparent } from '@lineprint/platform';
import { batchAnswer, batchItems, sortItems } from '../batch/batch';
import { IntakeMetrics } from '../batch/intake-metrics';
import { FingerprintIntake } from './fingerprint-intake';

export const MAX_FINGERPRINTS = 1000;

@Controller('api/v1/code-fingerprints')
export class FingerprintsController {
  constructor(
    private readonly intake: FingerprintIntake,
    private readonly metrics: IntakeMetrics,
  ) {}

  /** Takes a batch of fingerprints; good items are accepted whatever the others are. */
  @Post()
  @HttpCode(202)
  @Scopes('ingest')
  async post(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<BatchAnswer> {
    const now = Date.now();
    const items = batchItems(body, 'fingerprints', MAX_FINGERPRINTS);
    const { taken, rejected } = await sortItems(items, (item) => this.intake.accept(item, principal, now));
    if (taken.length > 0) await this.intake.publish(taken, traceparent);
    this.metrics.count(TOPICS.snippets, taken.length, rejected);
    return batchAnswer(taken.length, rejected);
  }
}
