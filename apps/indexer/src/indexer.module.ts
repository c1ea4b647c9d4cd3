import { Module } from '@nestjs/common';
import { IndexReplay } from './replay/index-replay';
import { IndexFiller } from './snippets/index-filler';
import { SnippetConsumer } from './snippets/snippet.consumer';

/** Makes accepted snippets findable. */
@Module({ controllers: [SnippetConsumer], providers: [IndexFiller, IndexReplay] })
export class IndexerModule {}
