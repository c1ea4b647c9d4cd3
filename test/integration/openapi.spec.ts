import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answerOf, createLineprintClient } from '@lineprint/api-client';
import { generateApiKey } from '@lineprint/persistence';
import { StandaloneServer } from '../programs';

const apiKey = generateApiKey();
let directory: string;
let server: StandaloneServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lineprint-openapi-'));
  server = await StandaloneServer.start(directory, apiKey);
}, 60_000);

afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('the OpenAPI document in the repository', () => {
  it('is the one that the running service answers', async () => {
    const file = join(__dirname, '..', '..', 'docs', 'openapi.json');
    const served: unknown = await (await fetch(`${server.url}/api/openapi.json`)).json();
    expect(served).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('makes a client that the running service answers', async () => {
    const client = createLineprintClient({ baseUrl: server.url, apiKey });
    const query = { scope: 'organization', period: '7d' } as const;
    const stats = await answerOf(client.GET('/api/v1/stats/ai-attribution', { params: { query } }));
    expect(stats.summary.total_lines).toBe(0);
    const wrong = answerOf(client.GET('/api/v1/commits', { params: { query: { limit: 0 } } }));
    await expect(wrong).rejects.toMatchObject({ status: 400, code: 'parameters-invalid' });
  });
});
