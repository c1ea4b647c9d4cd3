import { DATABASE, type Database } from '@lineprint/persistence';
import { Inject, Injectable } from '@nestjs/common';
import { LoadedHistories } from '../consumed/loaded-histories';
import { SnippetCache } from './snippet-cache';

/** What the judges of this process, the live one and those of replays, keep in memory: once, however many they are. */
@Injectable()
export class JudgeCaches {
  readonly snippets: SnippetCache;
  readonly histories = new LoadedHistories();

  constructor(@Inject(DATABASE) database: Database) {
    this.snippets = new SnippetCache(database);
  }
}
