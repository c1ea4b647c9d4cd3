import { Module } from '@nestjs/common';
import { CandidatesConsumer } from './attribution/candidates.consumer';

/** From candidates to a verdict on every line. */
@Module({ controllers: [CandidatesConsumer] })
export class LineAttributorModule {}
