import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateApiKey } from '@lineprint/persistence';
import { type DataSet, dataSetsIn, loadDataSet, spread } from '../../bench/accuracy/data';
import { repositoryOf } from '../../bench/accuracy/engine';
import { compareWithPipeline, type Server, throughPipeline } from '../../bench/accuracy/pipeline';
import { selfMadeSet } from '../../bench/accuracy/self-made/self-made';
import { StandaloneServer } from '../programs';

const FOLDER = process.env['LINEPRINT_BENCH_DATA'] ?? join(__dirname, '../../../shared/bench');
const SEED = 3;
const RECORDS = 200;
const TIMEOUT_MS = 600_000;

/** Labelled data where there is some, else what needs none. */
const labelled = dataSetsIn(FOLDER);
const sets: readonly [name: string, load: () => DataSet][] =
  labelled.length > 0
    ? labelled.map((name) => [name, () => loadDataSet(FOLDER, name)])
    : [['selfmade', () => selfMadeSet(SEED)]];

async function onEmptyServer<T>(use: (server: Server) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'lineprint-accuracy-'));
  const apiKey = generateApiKey();
  const server = await StandaloneServer.start(directory, apiKey);
  try {
    return await use({ url: server.url, apiKey });
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

describe('the whole pipeline', () => {
  it.each(sets)(
    'labels every line of the set %s as the libraries do',
    async (_name, load) => {
      const data = load();
      const comparison = await onEmptyServer((server) =>
        compareWithPipeline(data, spread(data.records, RECORDS), server),
      );
      expect(comparison.withAi).toBeGreaterThan(0);
      expect(comparison.differentRecords).toEqual([]);
      expect(comparison.pipeline.withAi.f1).toBe(comparison.library.withAi.f1);
    },
    TIMEOUT_MS,
  );

  it(
    'gives the same answers in whatever order the commits of different repositories come',
    async () => {
      const data = selfMadeSet(SEED);
      const records = spread(data.records, 60);
      const byRepository = [...records].sort((a, b) => (repositoryOf(a) < repositoryOf(b) ? -1 : 1));
      const oneByOne = await onEmptyServer((server) => throughPipeline(data, byRepository, server));
      const mixed = Array.from({ length: 7 }, (_, i) => records.filter((_, k) => k % 7 === i)).flat();
      const interleaved = await onEmptyServer((server) => throughPipeline(data, mixed, server));
      for (const [id, { files }] of oneByOne) expect(interleaved.get(id)!.files).toEqual(files);
    },
    TIMEOUT_MS,
  );
});
