import type { Database } from '@lineprint/persistence';
import { SnippetCache } from './snippet-cache';

/** Answers for the code ids that it has, and remembers what it was asked for. */
function databaseWith(codeIds: Set<string>): { database: Database; asked: string[][] } {
  const asked: string[][] = [];
  const query = (_: string, [, wanted]: [string, string[]]) => {
    asked.push(wanted);
    const rows = wanted.filter((id) => codeIds.has(id));
    return Promise.resolve(rows.map((id) => ({ code_id: id, created_at: new Date(0), line_prints: null })));
  };
  return { database: { query } as unknown as Database, asked };
}

const idsOf = (snippets: ReadonlyMap<string, unknown>) => [...snippets.keys()].sort();

describe('the cache of snippets', () => {
  it('asks for each snippet once, and each time for one that is not there yet', async () => {
    const stored = new Set(['a', 'b']);
    const { database, asked } = databaseWith(stored);
    const cache = new SnippetCache(database);
    expect(idsOf(await cache.load('acme', ['a', 'b', 'late', 'a']))).toEqual(['a', 'b']);
    stored.add('late');
    expect(idsOf(await cache.load('acme', ['b', 'late']))).toEqual(['b', 'late']);
    expect(idsOf(await cache.load('acme', ['a', 'late']))).toEqual(['a', 'late']);
    expect(asked).toEqual([['a', 'b', 'late'], ['late']]);
  });

  it('gives no organisation the snippet of another', async () => {
    const { database, asked } = databaseWith(new Set(['a']));
    const cache = new SnippetCache(database);
    await cache.load('acme', ['a']);
    await cache.load('rival', ['a']);
    expect(asked).toEqual([['a'], ['a']]);
  });

  it('answers in full where it has no room to keep what it was asked for', async () => {
    const { database, asked } = databaseWith(new Set(['a', 'b', 'c']));
    const cache = new SnippetCache(database, 2);
    expect(idsOf(await cache.load('acme', ['a', 'b', 'c']))).toEqual(['a', 'b', 'c']);
    await cache.load('acme', ['a']);
    expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
  });
});
