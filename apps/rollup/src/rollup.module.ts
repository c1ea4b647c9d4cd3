import { Module } from '@nestjs/common';
import { ActivityConsumer } from './activity/activity.consumer';
import { AttributionConsumer } from './results/attribution.consumer';

/** Idempotent results, and days that are always their sum. */
@Module({ controllers: [AttributionConsumer, ActivityConsumer] })
export class RollupModule {}
