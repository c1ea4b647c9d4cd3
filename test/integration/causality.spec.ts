import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { captureEdit, LineprintClient } from '@lineprint/capture';
import { CommitAnalyzerModule } from '@lineprint/commit-analyzer';
import type { CommitPush } from '@lineprint/contracts';
import { EventLogModule, eventLogTransport } from '@lineprint/event-log';
import { deriveLineKey } from '@lineprint/fingerprint';
import { IndexerModule } from '@lineprint/indexer';
import { IngestModule } from '@lineprint/ingest';
import { LineAttributorModule } from '@lineprint/line-attributor';
import {
  bootstrap,
  DATABASE,
  type Database,
  generateApiKey,
  PersistenceModule,
} from '@lineprint/persistence';
import { type RunningService, startService } from '@lineprint/platform';
import { RecallModule } from '@lineprint/recall';
import { RollupModule } from '@lineprint/rollup';
import { embeddedStores } from '../stores';

@Module({})
class PipelineApp {}

const WITHOUT_INDEXER = [
  PersistenceModule,
  EventLogModule,
  RecallModule,
  IngestModule,
  CommitAnalyzerModule,
  LineAttributorModule,
  RollupModule,
];

const content = [
  'def reconcile_ledger(entries, opening_balance):',
  '    running = opening_balance',
  '    for entry in sorted(entries, key=lambda item: item.posted_at):',
  '        running += entry.credit_cents - entry.debit_cents',
  '        if running < entry.overdraft_floor:',
  '            raise OverdraftError(entry.reference, running)',
  '    return running',
  '',
].join('\n');
const NOON = Date.UTC(2026, 4, 4, 12);
const API_KEY = generateApiKey();

const commit: CommitPush = {
  repository: 'ledger',
  sha: 'c'.repeat(40),
  parents: [],
  authorName: 'Ada',
  authorEmail: 'ada@example.com',
  committerName: 'Ada',
  committerEmail: 'ada@example.com',
  authoredAt: NOON + 60_000,
  committedAt: NOON + 60_000,
  files: [
    {
      path: 'ledger.py',
      status: 'added',
      binary: false,
      addedLines: 7,
      deletedLines: 0,
      content,
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 7, removed: [] }],
    },
  ],
};

interface Verdict extends Record<string, unknown> {
  readonly late: boolean;
  readonly kept: number;
}

/** Sends a snippet and then the commit that holds its lines; answers the first verdict that is as wanted. */
async function judge(
  modules: (Type | DynamicModule)[],
  causalWaitMs: number,
  settings: Record<string, string> = {},
  isWanted: (verdict: Verdict) => boolean = () => true,
): Promise<Verdict> {
  const { config } = await embeddedStores({
    LINEPRINT_CAUSAL_WAIT_MS: String(causalWaitMs),
    LINEPRINT_BOOTSTRAP_API_KEY: API_KEY,
    ...settings,
  });
  const service: RunningService = await startService({
    name: 'pipeline',
    module: { module: PipelineApp, imports: modules },
    config,
    transport: eventLogTransport,
  });
  try {
    const database = service.app.get<Database>(DATABASE);
    const made = await bootstrap(database, config.bootstrap);
    const client = new LineprintClient({ url: service.url, apiKey: API_KEY });
    const fingerprints = captureEdit({
      path: 'ledger.py',
      before: '',
      after: content,
      source: 'chat',
      sessionId: 'session',
      toolCallIndex: 0,
      userId: 'ada@example.com',
      repository: 'ledger',
      timestamp: NOON,
      lineKey: deriveLineKey(Buffer.from(made.lineKey, 'base64'), made.keyId),
      client: { name: 'test', version: '1' },
    });
    await client.sendFingerprints(fingerprints);
    await client.sendCommits([commit]);
    for (;;) {
      const [verdict] = await database.query<Verdict>(
        `SELECT c.late, SUM(r.ai_preserved_lines) AS kept
           FROM commits c JOIN ai_attribution_results r ON r.commit_sha = c.sha GROUP BY c.late`,
      );
      if (verdict && isWanted(verdict)) return verdict;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  } finally {
    await service.close();
  }
}

describe('a commit that follows a snippet', () => {
  it('waits until the snippet is indexed, and finds it', async () => {
    expect(await judge([...WITHOUT_INDEXER, IndexerModule], 60_000)).toEqual({ late: false, kept: 7 });
  }, 60_000);

  it('goes on without it when the indexer does not come by, and says that it was late', async () => {
    expect(await judge(WITHOUT_INDEXER, 300)).toEqual({ late: true, kept: 0 });
  }, 60_000);

  it('finds it after all, and is not late any more, once the indexer comes by', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lineprint-late-'));
    const stored = { LINEPRINT_DATABASE_URL: `pglite:${join(directory, 'database')}` };
    try {
      expect(await judge(WITHOUT_INDEXER, 300, stored)).toEqual({ late: true, kept: 0 });
      const verdict = await judge(
        [...WITHOUT_INDEXER, IndexerModule],
        60_000,
        stored,
        ({ late, kept }) => !late && kept > 0,
      );
      expect(verdict).toEqual({ late: false, kept: 7 });
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }, 120_000);
});
