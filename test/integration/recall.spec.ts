import { randomUUID } from 'node:crypto';
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
    expect(writer).toMatchObject({ kind: 'redis', volatile: false });
    await writer.add(tenant, [{ ...posting, keys: ['h1:aa'] }]);
    await writer.close();
    const reader = await openRecallIndex(redisUrl());
    expect((await reader.postings(tenant, ['h1:aa'])).get('h1:aa')).toEqual([posting]);
    await reader.close();
  });

  it('reports a closed connection as worth another try', async () => {
    const index = await openRecallIndex(redisUrl());
    await index.close();
    await expect(index.ping()).rejects.toMatchObject({ code: 'recall-unavailable', transient: true });
    await expect(index.close()).resolves.toBeUndefined();
  });
});
