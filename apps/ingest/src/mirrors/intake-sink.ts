import { Injectable } from '@nestjs/common';
import { type BatchAnswer, TOPICS } from '@lineprint/contracts';
import type { HistorySink } from '@lineprint/git';
import type { Principal } from '@lineprint/platform';
import { sortItems } from '../batch/batch';
import { IntakeMetrics } from '../batch/intake-metrics';
import { CommitIntake } from '../commits/commit-intake';
import { FingerprintIntake } from '../fingerprints/fingerprint-intake';

/** Takes a mirror's history as the endpoints take a client's. */
@Injectable()
export class IntakeSink {
  constructor(
    private readonly commits: CommitIntake,
    private readonly fingerprints: FingerprintIntake,
    private readonly metrics: IntakeMetrics,
  ) {}

  forOrganisation(orgId: string): HistorySink {
    const principal: Principal = { orgId, scopes: ['ingest'], userId: null };
    return {
      sendFingerprints: async (items): Promise<BatchAnswer> => {
        const now = Date.now();
        const { taken, rejected } = await sortItems(items, (item) =>
          this.fingerprints.accept(item, principal, now),
        );
        if (taken.length > 0) await this.fingerprints.publish(taken);
        this.metrics.count(TOPICS.snippets, taken.length, rejected);
        return { accepted: taken.length, rejected };
      },
      sendCommits: async (items): Promise<BatchAnswer> => {
        const { taken, rejected } = await sortItems(items, (item) => this.commits.accept(item, principal));
        if (taken.length > 0) await this.commits.publish(taken, principal);
        this.metrics.count(TOPICS.commits, taken.length, rejected);
        return { accepted: taken.length, rejected };
      },
    };
  }
}
