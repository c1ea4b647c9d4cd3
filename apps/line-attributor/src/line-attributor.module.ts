import { Module } from '@nestjs/common';
import { CandidatesConsumer } from './attribution/candidates.consumer';
import { JudgeCaches } from './attribution/judge-caches';
import { FollowedConsumer } from './ledger/followed.consumer';
import { LedgerWorker } from './ledger/ledger-worker';
import { ReplayWorker } from './replay/replay-worker';

/** From candidates to a verdict on every line, live and again under another policy; and where the lines are today. */
@Module({
  controllers: [CandidatesConsumer, FollowedConsumer],
  providers: [JudgeCaches, LedgerWorker, ReplayWorker],
})
export class LineAttributorModule {}
