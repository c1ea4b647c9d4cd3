import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { structureHash, textBands, textSignature } from '@lineprint/fingerprint';
import { generateApiKey } from '@lineprint/persistence';
import { lineprintOutput, StandaloneServer } from '../programs';
import { TestRepository } from '../repositories';

const ACCEPTED_AT = 1_779_990_000_000;

/** Ten lines of their own for each subject. */
const suggestion = (subject: string) =>
  [
    `export async function load${subject}(${subject}Store: Store, limit: number) {`,
    `  const ${subject}Rows = await ${subject}Store.query('select_${subject}', limit);`,
    `  const fresh${subject} = ${subject}Rows.filter((row) => row.${subject}Age < 30);`,
    `  if (fresh${subject}.length === 0) throw new Empty${subject}Error(limit);`,
    `  const by${subject}Owner = groupBy(fresh${subject}, (row) => row.${subject}Owner);`,
    `  for (const [owner, rows] of by${subject}Owner) {`,
    `    ${subject}Store.remember(owner, rows.map((row) => row.${subject}Id));`,
    `    audit.note('${subject}', owner, rows.length, Date.now());`,
    `  }`,
    `  return by${subject}Owner;`,
  ].join('\n');

interface ExportedCommit {
  readonly type: string;
  readonly committed_at: string;
  readonly files: readonly {
    readonly path: string;
    readonly results: readonly {
      readonly matched_code_id: string | null;
      readonly evidence: string;
      readonly confidence: string;
      readonly ai_preserved_lines: number;
      readonly ai_modified_lines: number;
      readonly human_new_lines: number;
      readonly suspect_lines: number;
      readonly ai_ratio: number;
    }[];
  }[];
}

describe('fingerprints of a version 1 client', () => {
  let directory: string;
  let server: StandaloneServer;
  let apiKey: string;
  let commits: ExportedCommit[];

  /** What the seed's client sends, field by field (its section 5.1). */
  async function accept(codeId: string, code: string, changes: object = {}): Promise<void> {
    const signature = textSignature(code);
    const answer = await fetch(`${server.url}/telemetry/code-fingerprint`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        codeId,
        sessionId: 'session-1',
        userId: 'dev-001',
        source: 'chat',
        signature: [...signature],
        lshBuckets: [...textBands(signature)],
        language: 'typescript',
        fileExtension: 'ts',
        timestamp: ACCEPTED_AT,
        lineCount: code.split('\n').length,
        charCount: code.length,
        structureHash: structureHash(code),
        ...changes,
      }),
    });
    expect([answer.status, await answer.json()]).toEqual([200, true]);
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'lineprint-estimated-'));
    apiKey = generateApiKey();
    server = await StandaloneServer.start(directory, apiKey);
    for (const subject of ['Harbour', 'Ledger', 'Tide', 'Orchard', 'Signal', 'Falcon', 'Glacier', 'Meadow']) {
      await accept(`v1-${subject}`, suggestion(subject));
    }
    await accept('v1-again', suggestion('Signal'), { timestamp: ACCEPTED_AT + 1000, source: 'tab' });
    const repository = new TestRepository(join(directory, 'v1'));
    const lines = (subject: string) => suggestion(subject).split('\n');
    const edited = (subject: string) =>
      lines(subject)
        .with(2, `  const recent = sortBy(${subject}Rows, 'createdAt').slice(0, limit);`)
        .with(7, '    metrics.count(owner).add(rows.length);');
    const histories: Record<string, readonly string[]> = {
      kept: lines('Harbour'),
      changed: edited('Ledger'),
      cut: lines('Tide').slice(0, 8),
      grown: [...lines('Orchard'), 'const a = first(all);', 'log(a);'],
      suspect: edited('Falcon'),
      rewritten: [...lines('Glacier').slice(0, 3), ...lines('Cellar').slice(3)],
      human: lines('Nobody'),
    };
    for (const [name, text] of Object.entries(histories)) {
      repository.commit(name, { [`${name}.ts`]: `${text.join('\n')}\n` });
    }
    repository.commit('accepted twice', {
      'once.ts': `${suggestion('Signal')}\n`,
      'twice.ts': `${suggestion('Signal')}\n`,
    });
    repository.commit('deleted', { 'kept.ts': 'done();\n' });
    repository.commit(
      'declared',
      { 'declared.ts': `${suggestion('Meadow')}\n` },
      'aider <noreply@aider.chat>',
    );
    const options = ['--url', server.url, '--api-key', apiKey];
    await lineprintOutput(['backfill', '--repo', repository.path, '--json', ...options], {
      LINEPRINT_STATE_DIRECTORY: directory,
    });
    commits = (await lineprintOutput(['export', '--json', ...options]))
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as ExportedCommit)
      .filter(({ type }) => type === 'commit')
      .sort((a, b) => a.committed_at.localeCompare(b.committed_at));
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await rm(directory, { recursive: true, force: true });
  }, 60_000);

  /** [evidence, tier, kept, changed, human, flagged] of each origin, by file of one commit, oldest first. */
  const counts = (path: string, commit = 0) =>
    commits
      .flatMap(({ files }) => files.filter((file) => file.path === path))
      .at(commit)!
      .results.map((row) => [
        ...[row.evidence, row.confidence, row.ai_preserved_lines, row.ai_modified_lines],
        ...[row.human_new_lines, row.suspect_lines],
      ]);

  it('have the lines that were kept estimated as kept', () => {
    expect(counts('kept.ts')).toEqual([['estimated', 'HIGH', 10, 0, 0, 0]]);
  });

  it('have the lines that were changed estimated as kept and changed, by their similarity', () => {
    // Eight lines are the suggestion's and two were changed: at a similarity of 0.555 that is 7.1 and 2.9.
    expect(counts('changed.ts')).toEqual([['estimated', 'LOW', 7, 3, 0, 0]]);
  });

  it('earn nothing for lines that were deleted before the commit, nor for deleting them in it', () => {
    expect(counts('cut.ts')).toEqual([['estimated', 'HIGH', 8, 0, 0, 0]]);
    expect(counts('kept.ts', 1)).toEqual([['none', 'UNIQUE', 0, 0, 1, 0]]);
  });

  it('leave lines that were added to the suggestion to their author', () => {
    expect(counts('grown.ts')).toEqual([
      ['estimated', 'HIGH', 10, 0, 0, 0],
      ['none', 'UNIQUE', 0, 0, 2, 0],
    ]);
  });

  it('flag what may be a common pattern, and count it as written by a human', () => {
    expect(counts('suspect.ts')).toEqual([['estimated', 'SUSPECT', 0, 0, 10, 10]]);
  });

  it('claim nothing that was rewritten, which they flag, or written without them', () => {
    expect(counts('rewritten.ts')).toEqual([['estimated', 'SUSPECT', 0, 0, 10, 10]]);
    expect(counts('human.ts')).toEqual([['none', 'UNIQUE', 0, 0, 10, 0]]);
  });

  it('are each used once: of one suggestion accepted twice, both copies count', () => {
    for (const path of ['once.ts', 'twice.ts']) {
      expect(counts(path)).toEqual([['estimated', 'HIGH', 10, 0, 0, 0]]);
    }
    const used = commits.flatMap(({ files }) =>
      files
        .filter(({ path }) => path === 'once.ts' || path === 'twice.ts')
        .flatMap(({ results }) => results.map((row) => row.matched_code_id)),
    );
    expect(used.sort()).toEqual(['v1-Signal', 'v1-again']);
  });

  it('come after what the commit itself declares', () => {
    expect(counts('declared.ts')).toEqual([['declared', 'HIGH', 10, 0, 0, 0]]);
  });

  it('never give a file a ratio above 1', () => {
    for (const { files } of commits) {
      for (const { results } of files)
        for (const { ai_ratio } of results) expect(ai_ratio).toBeLessThanOrEqual(1);
    }
  });
});

describe('the sample as a client of the first protocol sends it', () => {
  it('gets estimates within 10 points of its true ratio', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'lineprint-sample-v1-'));
    const apiKey = generateApiKey();
    const server = await StandaloneServer.start(directory, apiKey);
    try {
      const options = ['--url', server.url, '--api-key', apiKey];
      const { aiRatio, byEvidence, truth } = JSON.parse(
        await lineprintOutput(['sample', '--protocol', '1', '--json', ...options]),
      ) as { aiRatio: number; byEvidence: Record<string, { lines: number }>; truth: { aiRatio: number } };
      expect(byEvidence['matched']?.lines ?? 0).toBe(0);
      expect(byEvidence['estimated']!.lines).toBeGreaterThan(0);
      expect(Math.abs(aiRatio - truth.aiRatio)).toBeLessThan(0.1);
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  }, 120_000);
});
