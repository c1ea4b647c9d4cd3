import { generationConformance, recallConformance } from './conformance';
import { openRecallIndex } from './open-recall-index';

recallConformance('memory', () => openRecallIndex('memory:'));
generationConformance('memory', () => openRecallIndex('memory:'));

describe('memory recall index', () => {
  it('says that it is empty when the process starts', async () => {
    const index = await openRecallIndex('memory:');
    expect(index.kind).toBe('memory');
    expect((await index.coverage()).next).toEqual(new Map());
  });
});

describe('openRecallIndex', () => {
  it.each(['', 'memory', 'http://localhost', 'redis://', 'valkey://localhost:1'])(
    'refuses the URL "%s" as a wrong setting',
    async (url) => {
      await expect(openRecallIndex(url)).rejects.toMatchObject({ code: 'config-invalid', transient: false });
    },
  );

  it('does not show the password of a URL it refuses', async () => {
    await expect(openRecallIndex('redsi://:secret@localhost')).rejects.not.toThrow('secret');
  });

  it('reports a server that is not there as worth another try', async () => {
    await expect(openRecallIndex('redis://127.0.0.1:1')).rejects.toMatchObject({
      code: 'recall-unavailable',
      transient: true,
    });
  });
});
