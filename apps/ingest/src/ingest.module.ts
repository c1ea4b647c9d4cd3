import { Module } from '@nestjs/common';
import { BaselinesController } from './baselines/baselines.controller';
import { IntakeMetrics } from './batch/intake-metrics';
import { CommitIntake } from './commits/commit-intake';
import { CommitsController } from './commits/commits.controller';
import { EnrolmentController } from './enrolment/enrolment.controller';
import { FingerprintIntake } from './fingerprints/fingerprint-intake';
import { FingerprintsController } from './fingerprints/fingerprints.controller';
import { MailmapController } from './identities/mailmap.controller';
import { IntakeSink } from './mirrors/intake-sink';
import { MirrorFetcher } from './mirrors/mirror-fetcher';
import { MirrorSender } from './mirrors/mirror-sender';
import { RefIntake } from './refs/ref-intake';
import { RefsController } from './refs/refs.controller';
import { RepositoriesController } from './repositories/repositories.controller';
import { TelemetryController } from './telemetry/telemetry.controller';
import { Tenancy } from './tenancy/tenancy';
import { WebhooksController } from './webhooks/webhooks.controller';

/** The only door: validates, authenticates, stamps, produces. */
@Module({
  controllers: [
    FingerprintsController,
    TelemetryController,
    CommitsController,
    RefsController,
    MailmapController,
    BaselinesController,
    EnrolmentController,
    RepositoriesController,
    WebhooksController,
  ],
  providers: [
    CommitIntake,
    FingerprintIntake,
    IntakeMetrics,
    IntakeSink,
    MirrorFetcher,
    MirrorSender,
    RefIntake,
    Tenancy,
  ],
})
export class IngestModule {}
