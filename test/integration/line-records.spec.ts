import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@lineprint/persistence';
import { lineprintOutput, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

jest.setTimeout(120_000);

const FIXTURES = join(__dirname, '../../libs/capture/src/adapters/fixtures');

describe('what records say of single lines', () => {
  let directory: string;
  let server: StandaloneServer;
  let repository: TestRepository;
  let connection: string[];
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lineprint-line-records-'));
    const apiKey = generateApiKey();
    server = await StandaloneServer.start(directory, apiKey);
    connection = ['--url', server.url, '--api-key', apiKey];
    repository = new TestRepository(join(directory, 'port'));
    const lines = Array.from(
      { length: 10 },
      (_, i) => `export const sounding${i} = chart.at(${i * 11}, 'm');\n`,
    );
    const noted = repository.commit('anchor', { 'src/anchor.ts': lines.join('') });
    const note = readFileSync(join(FIXTURES, 'git-ai/3.0.0.txt'), 'utf8');
    repository.git(['notes', '--ref', 'ai', 'add', '-F', '-', noted], { input: note });
    const traced = repository.commit('winch', {
      'src/winch.py': lines.map((line) => line.slice(7)).join(''),
    });
    mkdirSync(join(repository.path, '.agent-trace'));
    writeFileSync(
      join(repository.path, '.agent-trace/traces.jsonl'),
      readFileSync(join(FIXTURES, 'agent-trace/traces.jsonl'), 'utf8').replaceAll('a'.repeat(40), traced),
    );
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  const run = (...args: string[]) => lineprintOutput(args, { LINEPRINT_STATE_DIRECTORY: directory });
  const backfill = async (name: string, ...options: string[]) =>
    JSON.parse(
      await run('backfill', '--repo', repository.path, '--name', name, '--json', ...options, ...connection),
    ) as { byEvidence: Record<string, { lines: number }>; sent: { declared: number; fingerprints: number } };

  it('goes with backfill: notes and the traces in the repository', async () => {
    const { byEvidence, sent } = await backfill('port');
    expect(sent).toMatchObject({ declared: 2, fingerprints: 5 });
    expect([byEvidence['declared']!.lines, byEvidence['none']!.lines]).toEqual([13, 7]);
  });

  it('goes with push', async () => {
    const range = ['--repo', repository.path, '--name', 'pushed', '--range', 'HEAD~1..HEAD'];
    const { sent } = JSON.parse(await run('push', ...range, '--json', ...connection)) as { sent: object };
    expect(sent).toMatchObject({ commits: 1, declared: 1, fingerprints: 3 });
  });

  it('stays behind where nobody wants it', async () => {
    const { byEvidence, sent } = await backfill('bare', '--no-ai-records');
    expect(sent).toMatchObject({ declared: 0, fingerprints: 0 });
    expect(byEvidence['declared']!.lines).toBe(0);
  });

  it('is imported as fingerprints, the same ones that backfill sends', async () => {
    const state = ['--state', join(directory, 'state')];
    await run('login', ...state, ...connection);
    const imported = async (...args: string[]) =>
      JSON.parse(await run('capture', 'import', ...args, '--json', ...state)) as object;
    expect(await imported('git-ai', '--repo', repository.path)).toEqual({ commits: 1, fingerprints: 2 });
    const traces = join(repository.path, '.agent-trace/traces.jsonl');
    expect(await imported('agent-trace', traces)).toEqual({ commits: 2, fingerprints: 5 });
  });
});
