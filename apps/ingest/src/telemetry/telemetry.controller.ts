import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { type ActivityEvent, codeGenStatsSchema, projectKey, TOPICS } from '@lineprint/contracts';
import { EVENT_LOG, type EventLog, newEvent } from '@lineprint/event-log';
import { CurrentPrincipal, type Principal, Scopes, Traceparent } from '@lineprint/platform';
import { batchAnswer, parseItem, sortItems } from '../batch/batch';
import { IntakeMetrics } from '../batch/intake-metrics';
import { FingerprintIntake } from '../fingerprints/fingerprint-intake';
import { projectOf, Tenancy } from '../tenancy/tenancy';

/** The seed's two endpoints (section 5): one item, answered with `true`. */
@Controller('telemetry')
export class TelemetryController {
  constructor(
    private readonly fingerprints: FingerprintIntake,
    private readonly tenancy: Tenancy,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    private readonly metrics: IntakeMetrics,
  ) {}

  @Post('code-fingerprint')
  @HttpCode(200)
  @Scopes('ingest')
  async codeFingerprint(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<true> {
    const now = Date.now();
    const { taken, rejected } = await sortItems([body], (item) =>
      this.fingerprints.accept(item, principal, now),
    );
    if (taken.length > 0) await this.fingerprints.publish(taken, traceparent);
    this.metrics.count(TOPICS.snippets, taken.length, rejected);
    batchAnswer(taken.length, rejected);
    return true;
  }

  @Post('code-gen-stats')
  @HttpCode(200)
  @Scopes('ingest')
  async codeGenStats(
    @Body() body: unknown,
    @CurrentPrincipal() principal: Principal,
    @Traceparent() traceparent: string,
  ): Promise<true> {
    const { taken, rejected } = await sortItems([body], (item) => this.activity(item, principal));
    for (const event of taken) {
      await this.log.append([
        newEvent({
          topic: TOPICS.activity,
          key: projectKey(event.tenant, event.projectId),
          tenant: event.tenant,
          source: 'ingest',
          value: event,
          traceparent,
        }),
      ]);
    }
    this.metrics.count(TOPICS.activity, taken.length, rejected);
    batchAnswer(taken.length, rejected);
    return true;
  }

  private async activity(item: unknown, principal: Principal): Promise<ActivityEvent> {
    const stats = parseItem(codeGenStatsSchema, item);
    await this.tenancy.check(principal, stats);
    const { orgId: _claimed, ...rest } = stats;
    const userId = stats.userId ?? principal.userId ?? undefined;
    return { ...rest, tenant: principal.orgId, projectId: projectOf(stats), ...(userId ? { userId } : {}) };
  }
}
