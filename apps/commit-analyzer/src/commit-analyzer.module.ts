import { Module } from '@nestjs/common';
import { CommitConsumer } from './analysis/commit.consumer';
import { Parser } from './analysis/parser';
import { AnalysisReplay } from './replay/analysis-replay';
import { RevisionRelay } from './revisions/revision-relay';

/** From a commit's content to its added lines and their candidates. */
@Module({ controllers: [CommitConsumer], providers: [Parser, RevisionRelay, AnalysisReplay] })
export class CommitAnalyzerModule {}
