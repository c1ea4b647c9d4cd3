import type { Snippet } from '@lineprint/attribution';
import { decodeCurrentLinePrints } from '@lineprint/fingerprint';
import { type Database, loadSnippetPrints, type StoredSnippet } from '@lineprint/persistence';
import { LRUCache } from 'lru-cache';

/** Decoded line prints, at about 150 bytes each: some 30 MB. */
const MAX_PRINTS = 200_000;
/** Who deletes a snippet waits no longer than that until it proves nothing any more. */
const FRESH_MS = 60_000;

/**
 * Snippets by code id, decoded. Commits that follow each other have most of their candidates in common, and a stored
 * snippet never changes. One that is not there is asked for each time: it may come.
 */
export class SnippetCache {
  private readonly cache: LRUCache<string, Snippet>;

  constructor(
    private readonly database: Database,
    maxPrints = MAX_PRINTS,
  ) {
    this.cache = new LRUCache({
      maxSize: maxPrints,
      sizeCalculation: ({ prints }) => 1 + (prints?.length ?? 0),
      ttl: FRESH_MS,
    });
  }

  /** Snippets of one organisation; unknown ids are left out. */
  async load(orgId: string, codeIds: Iterable<string>): Promise<Map<string, Snippet>> {
    const snippets = new Map<string, Snippet>();
    const missing: string[] = [];
    for (const codeId of new Set(codeIds)) {
      const snippet = this.cache.get(keyOf(orgId, codeId));
      if (snippet) snippets.set(codeId, snippet);
      else missing.push(codeId);
    }
    // What nobody asks for any more would stay until there is no room.
    this.cache.purgeStale();
    for (const stored of await loadSnippetPrints(this.database, orgId, missing)) {
      const snippet = decoded(stored);
      snippets.set(stored.codeId, snippet);
      this.cache.set(keyOf(orgId, stored.codeId), snippet);
    }
    return snippets;
  }
}

function keyOf(orgId: string, codeId: string): string {
  return `${orgId}\0${codeId}`;
}

function decoded(stored: StoredSnippet): Snippet {
  return {
    codeId: stored.codeId,
    userId: stored.userId,
    sessionId: stored.sessionId,
    source: stored.source,
    model: stored.model,
    language: stored.language,
    createdAt: stored.createdAt,
    protocol: stored.protocol,
    lineCount: stored.lineCount,
    declaredBy: stored.declaredBy,
    prints: stored.linePrints && decodeCurrentLinePrints(stored.linePrints),
    pathKey: stored.pathKey,
    before: stored.before,
    after: stored.after,
  };
}
