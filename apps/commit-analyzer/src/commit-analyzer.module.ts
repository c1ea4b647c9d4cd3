import { Module } from '@nestjs/common';
import { CommitConsumer } from './analysis/commit.consumer';

/** From a commit's content to its added lines and their candidates. */
@Module({ controllers: [CommitConsumer] })
export class CommitAnalyzerModule {}
