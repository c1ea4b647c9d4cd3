import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asyncApiDocument } from './asyncapi';
import { GROUPS, topicSpecs } from './topics';

interface Channel {
  readonly address: string;
  readonly bindings: { kafka: { topicConfiguration: { 'retention.ms': number } } };
}

const document = asyncApiDocument();
const text = JSON.stringify(document);

describe('the AsyncAPI document', () => {
  it('in docs is the one that the schemas give (`node tools/asyncapi.mjs` writes it)', () => {
    const written: unknown = JSON.parse(readFileSync(join(__dirname, '../../../docs/asyncapi.json'), 'utf8'));
    expect(written).toEqual(document);
  });

  it('names every topic that is created, with its retention', () => {
    const channels = Object.values(document['channels'] as Record<string, Channel>);
    expect(
      channels.map(({ address, bindings }) => [address, bindings.kafka.topicConfiguration['retention.ms']]),
    ).toEqual(topicSpecs(1).map(({ name, retentionMs }) => [name, retentionMs]));
  });

  it('names every consumer group', () => {
    for (const group of Object.values(GROUPS)) expect(text).toContain(`"const":"${group}"`);
  });

  it('refers only to parts that it has', () => {
    const references = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path!);
    expect(references.length).toBeGreaterThan(0);
    for (const path of references) {
      const part = path
        .split('/')
        .reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], document);
      expect([path, part]).toEqual([path, expect.anything()]);
    }
  });

  it('lets a reader meet fields that it does not know', () => {
    expect(text).not.toContain('"additionalProperties":false');
  });
});
