import { Module } from '@nestjs/common';
import { ActivityConsumer } from './activity/activity.consumer';
import { AttributionConsumer } from './results/attribution.consumer';
import { ErasureWorker } from './erasure/erasure-worker';
import { NightlyReconciliation } from './reconciliation/nightly-reconciliation';
import { NightlyRetention } from './retention/nightly-retention';
import { RefSettlement } from './results/ref-settlement';

/** Idempotent results, and days that are always their sum. */
@Module({
  controllers: [AttributionConsumer, ActivityConsumer],
  providers: [RefSettlement, NightlyReconciliation, NightlyRetention, ErasureWorker],
})
export class RollupModule {}
