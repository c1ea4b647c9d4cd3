import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { type BatchAnswer, TOPICS } from '@lineprint/contracts';
import { CurrentPrincipal, type Principal, Scopes, Traceparent } from '@lineprint/platform';
import { batchAnswer, batchItems, sortItems } from '../batch/batch';
import { IntakeMetrics } from '../batch/intake-metrics';
import { CommitIntake } from './commit-intake';

export const MAX_COMMITS = 500;

@Controller('api/v1/commits')
export class CommitsController {
  constructor(
    private readonly intake: CommitIntake,
    private readonly metrics: IntakeMetrics,
  ) {}

  /** Takes commits with their content, in the order in which they are to be analysed. */
  @Post()
  @HttpCode(202)
  @Scopes('ingest')
  async post(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<BatchAnswer> {
    const items = batchItems(body, 'commits', MAX_COMMITS);
    const { taken, rejected } = await sortItems(items, (item) => this.intake.accept(item, principal));
    if (taken.length > 0) await this.intake.publish(taken, principal, traceparent);
    this.metrics.count(TOPICS.commits, taken.length, rejected);
    return batchAnswer(taken.length, rejected);
  }
}
