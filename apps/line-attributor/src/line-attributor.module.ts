import { Module } from '@nestjs/common';
import { CandidatesConsumer } from './attribution/candidates.consumer';
import { ReplayWorker } from './replay/replay-worker';

/** From candidates to a verdict on every line: live, and again under another policy. */
@Module({ controllers: [CandidatesConsumer], providers: [ReplayWorker] })
export class LineAttributorModule {}
