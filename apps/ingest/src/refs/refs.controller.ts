import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { type BatchAnswer, TOPICS } from '@lineprint/contracts';
import { CurrentPrincipal, type Principal, Scopes, Traceparent } from '@lineprint/platform';
import { batchAnswer, sortItems } from '../batch/batch';
import { IntakeMetrics } from '../batch/intake-metrics';
import { RefIntake } from './ref-intake';

@Controller('api/v1/refs')
export class RefsController {
  constructor(
    private readonly intake: RefIntake,
    private readonly metrics: IntakeMetrics,
  ) {}

  /** Takes what branches of a repository name now; to be sent after the commits that they lead to. */
  @Post()
  @HttpCode(202)
  @Scopes('ingest')
  async post(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<BatchAnswer> {
    const { taken, rejected } = await sortItems([body], (item) => this.intake.accept(item, principal));
    for (const push of taken) await this.intake.publish(principal.orgId, push, { traceparent });
    this.metrics.count(TOPICS.commits, taken.length, rejected);
    return batchAnswer(taken.length, rejected);
  }
}
