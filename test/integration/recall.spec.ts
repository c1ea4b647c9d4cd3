import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { openRecallIndex } from '@lineprint/recall';
import { recallConformance } from '../../libs/recall/src/conformance';

function redisUrl(): string {
  const url = process.env['LINEPRINT_TEST_REDIS_URL'];
  if (!url) throw new Error('LINEPRINT_TEST_REDIS_URL must name a Redis server; `npm test` starts one');
  return url;
}

recallConformance('redis', async () => openRecallIndex(redisUrl()));

describe('redis recall index', () => {
  it('keeps its postings when the process that wrote them ends', async () => {
    const tenant = `tenant-${randomUUID()}`;
    const posting = { codeId: randomUUID(), eventTime: 1, partition: 0, offset: 1 };
    const writer = await openRecallIndex(redisUrl());
    expect(writer.kind).toBe('redis');
    await writer.add(tenant, [{ ...posting, keys: ['h1:aa'] }]);
    await writer.close();
    const reader = await openRecallIndex(redisUrl());
    expect((await reader.postings(tenant, ['h1:aa'])).get('h1:aa')).toEqual([posting]);
    await reader.close();
  });

  it('does not say that it holds what it lost while it was written', async () => {
    // A database of its own, which may be emptied.
    const url = new URL(redisUrl());
    url.pathname = '/9';
    const index = await openRecallIndex(url.href);
    const server = new Redis(url.href);
    const start = await index.coverage();
    await index.cover(start, 0, 10);
    const since = await index.coverage();
    await server.flushdb();
    const lost = { code: 'recall-lost', transient: true };
    await expect(index.cover(since, 0, 20)).rejects.toMatchObject(lost);
    await expect(index.cover({ ...since, run: 'another' }, 1, 20)).rejects.toMatchObject(lost);
    expect((await index.coverage()).next).toEqual(new Map());
    await Promise.all([index.close(), server.quit()]);
  });

  it('reports a closed connection as worth another try', async () => {
    const index = await openRecallIndex(redisUrl());
    await index.close();
    await expect(index.ping()).rejects.toMatchObject({ code: 'recall-unavailable', transient: true });
    await expect(index.close()).resolves.toBeUndefined();
  });
});
