import { Module } from '@nestjs/common';
import { BaselinesController } from './baselines/baselines.controller';
import { CommitsController } from './commits/commits.controller';
import { EnrolmentController } from './enrolment/enrolment.controller';
import { FingerprintIntake } from './fingerprints/fingerprint-intake';
import { FingerprintsController } from './fingerprints/fingerprints.controller';
import { TelemetryController } from './telemetry/telemetry.controller';
import { Tenancy } from './tenancy/tenancy';

/** The only door: validates, authenticates, stamps, produces. */
@Module({
  controllers: [
    FingerprintsController,
    TelemetryController,
    CommitsController,
    BaselinesController,
    EnrolmentController,
  ],
  providers: [FingerprintIntake, Tenancy],
})
export class IngestModule {}
