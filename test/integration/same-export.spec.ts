import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@lineprint/persistence';
import { generateHistory } from '../history';
import { LINE_KEY, lineprintOutput, StandaloneServer } from '../programs';
import { type RunningStack, startStack } from '../stack';

const COMMITS = 150;

describe('the embedded run and the six services on Kafka, Redis and Postgres', () => {
  let directory: string;
  let embedded: StandaloneServer;
  let stack: RunningStack;
  let embeddedOptions: string[];
  let stackOptions: string[];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-same-'));
    const name = `same_${randomUUID().replaceAll('-', '').slice(0, 12)}`;
    const apiKey = generateApiKey();
    embedded = await StandaloneServer.start(directory, apiKey);
    stack = await startStack({
      database: name,
      env: { LINEPRINT_ORG_ID: name, LINEPRINT_BOOTSTRAP_LINE_KEY: LINE_KEY.toString('base64') },
    });
    embeddedOptions = ['--url', embedded.url, '--api-key', apiKey];
    stackOptions = [
      ...['--url', stack.services.ingest.url, '--query-url', stack.services['query-api'].url],
      ...['--api-key', stack.apiKey],
    ];
  }, 180_000);
  afterAll(async () => {
    await embedded?.stop();
    await stack?.stop();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  async function sameExport(): Promise<string> {
    const ours = await lineprintOutput(['export', '--json', ...embeddedOptions], {
      LINEPRINT_STATE_DIRECTORY: directory,
    });
    const theirs = await lineprintOutput(['export', '--json', ...stackOptions], {
      LINEPRINT_STATE_DIRECTORY: directory,
    });
    expect(theirs).toBe(ours);
    return ours;
  }

  /** The export with the ledger, once that has all that came, and a branch stands at the commit. */
  async function ledgerOf(url: string, apiKey: string, tip: string): Promise<string> {
    for (;;) {
      const headers = { authorization: `Bearer ${apiKey}` };
      const text = await (await fetch(`${url}/api/v1/export?ledger=true`, { headers })).text();
      if (text.endsWith('"ledger":"kept"}\n') && text.includes(`"commit":"${tip}"`)) return text;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  it('give the identical export of the sample, and right answers for 95 % of its lines', async () => {
    for (const options of [embeddedOptions, stackOptions]) {
      const { truth } = JSON.parse(
        await lineprintOutput(['sample', '--json', ...options], { LINEPRINT_STATE_DIRECTORY: directory }),
      ) as {
        truth: { lines: number; right: number };
      };
      expect(truth.right / truth.lines).toBeGreaterThanOrEqual(0.95);
    }
    const exported = await sameExport();
    expect(exported).toContain('"evidence":"matched"');
    expect(exported).toContain('"type":"daily"');
  }, 120_000);

  it('give the identical export of a longer history, sent from a declared repository', async () => {
    const repository = join(directory, 'history');
    await generateHistory(repository, COMMITS, 1);
    const outcomes: unknown[] = [];
    for (const options of [embeddedOptions, stackOptions]) {
      const outcome = JSON.parse(
        await lineprintOutput(['backfill', '--repo', repository, '--json', ...options], {
          LINEPRINT_STATE_DIRECTORY: directory,
        }),
      ) as {
        commits: number;
        lines: object;
        byEvidence: Record<string, { lines: number }>;
        git: { equal: boolean };
      };
      expect(outcome.commits).toBe(COMMITS);
      expect(outcome.git.equal).toBe(true);
      expect(outcome.byEvidence['declared']!.lines).toBeGreaterThan(0);
      expect(outcome.byEvidence['matched']!.lines).toBeGreaterThan(0);
      outcomes.push(outcome);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    await sameExport();
    const tip = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: repository, encoding: 'utf8' }).trim();
    const ours = await ledgerOf(embedded.url, embeddedOptions.at(-1)!, tip);
    const theirs = await ledgerOf(stack.services['query-api'].url, stack.apiKey, tip);
    expect(theirs).toBe(ours);
    for (const type of ['branch', 'head', 'life']) expect(ours).toContain(`"type":"${type}"`);
  }, 120_000);
});
