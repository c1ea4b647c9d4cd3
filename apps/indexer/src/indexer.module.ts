import { Module } from '@nestjs/common';
import { SnippetConsumer } from './snippets/snippet.consumer';

/** Makes accepted snippets findable. */
@Module({ controllers: [SnippetConsumer] })
export class IndexerModule {}
