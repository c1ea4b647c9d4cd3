import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { LineprintClient } from '@lineprint/capture';
import type { CommitFile, CommitPush, LineKind } from '@lineprint/contracts';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { type DataSet, hasAi, type LabelledCommit, type LabelledFile, labelledFiles } from './data';
import {
  attributeRecord,
  commitFileOf,
  fingerprintOf,
  indexDataSet,
  languageIdOf,
  parentLines,
  repositoryOf,
  Timeline,
} from './engine';
import { type Answer, type EngineFigures, type LineAnswer, scoredLines, scoreRecords } from './score';

/** A running Lineprint without data of its own. */
export interface Server {
  readonly url: string;
  readonly apiKey: string;
}

type ScoredFigures = Pick<EngineFigures, 'withAi' | 'humanOnly' | 'byTier'>;

/** What the libraries and the whole pipeline say about the same records. */
export interface Comparison {
  readonly records: number;
  readonly withAi: number;
  readonly lines: number;
  /** Scored lines with another label, confidence or snippet. */
  readonly differentLines: number;
  /** Ids of the records with such lines. */
  readonly differentRecords: readonly string[];
  readonly library: ScoredFigures;
  readonly pipeline: ScoredFigures;
}

/** Before all that happens in the data; the files that stand there already were committed once more before that. */
const EARLY_MS = 3_600_000;
/** What ingest takes at once. */
const COMMITS_A_REQUEST = 200;
const FILES_A_PART = 50;
const POLL_MS = 250;
/** Without a new verdict for so long, something has stopped. */
const PATIENCE_MS = 120_000;

/**
 * Sends the records of a set as clients and git hosts would, and compares every scored line of the server's export
 * with what the libraries say.
 *
 * @param records some of the set's
 * @throws Error when the server refuses something or stops
 */
export async function compareWithPipeline(
  data: DataSet,
  records: readonly LabelledCommit[],
  server: Server,
): Promise<Comparison> {
  const index = await indexDataSet(data, await enrol(server));
  const exported = await throughPipeline(data, records, server);
  const answers = new Map<string, Answer>();
  for (const record of records) answers.set(record.id, await attributeRecord(record, index));
  await index.recall.close();

  let lines = 0;
  let differentLines = 0;
  const differentRecords: string[] = [];
  for (const record of records) {
    const [ours, theirs] = [answers.get(record.id)!, exported.get(record.id)!];
    const scored = scoredLines(labelledFiles(record));
    const different = scored.filter(
      ({ file, line }) => !isSame(ours.files[file]?.get(line), theirs.files[file]?.get(line)),
    );
    lines += scored.length;
    differentLines += different.length;
    if (different.length > 0) differentRecords.push(record.id);
  }
  return {
    records: records.length,
    withAi: records.filter(hasAi).length,
    lines,
    differentLines,
    differentRecords,
    library: await figuresOf(records, answers),
    pipeline: await figuresOf(records, exported),
  };
}

function isSame(a: LineAnswer | undefined, b: LineAnswer | undefined): boolean {
  return a?.kind === b?.kind && a?.confidence === b?.confidence && a?.codeId === b?.codeId;
}

async function figuresOf(
  records: readonly LabelledCommit[],
  answers: ReadonlyMap<string, Answer>,
): Promise<ScoredFigures> {
  const { withAi, humanOnly, byTier } = await scoreRecords(records, (record) =>
    Promise.resolve(answers.get(record.id)!),
  );
  return { withAi, humanOnly, byTier };
}

async function enrol(server: Server): Promise<LineKey> {
  const { lineKey, keyId } = (await (await get(server, '/api/v1/enrolment')).json()) as {
    lineKey: string;
    keyId: string;
  };
  return deriveLineKey(Buffer.from(lineKey, 'base64'), keyId);
}

async function get({ url, apiKey }: Server, path: string): Promise<Response> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response;
}

/**
 * Sends a set's snippets and some of its records, those without a time in the order given.
 *
 * @returns the server's answers by id of the record
 * @throws Error when the server refuses something or stops
 */
export async function throughPipeline(
  data: DataSet,
  records: readonly LabelledCommit[],
  server: Server,
): Promise<Map<string, Answer>> {
  const key = await enrol(server);
  const timeline = new Timeline(data);
  const client = new LineprintClient(server);
  const sendCommits = async (commits: readonly CommitPush[]) => {
    for (let from = 0; from < commits.length; from += COMMITS_A_REQUEST) {
      const { rejected } = await client.sendCommits(commits.slice(from, from + COMMITS_A_REQUEST));
      if (rejected[0]) throw new Error(`A commit was refused: ${rejected[0].detail}`);
    }
  };
  await sendCommits(baselines(data, timeline));

  // In order of time, so that no commit is judged with snippets that came later.
  const snippets = [...data.snippets].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const inOrder = [...records].sort((a, b) => timeline.at(a.time) - timeline.at(b.time));
  let sent = 0;
  let waiting: CommitPush[] = [];
  for (const record of inOrder) {
    let until = sent;
    while (until < snippets.length && timeline.at(snippets[until]!.time ?? 0) <= timeline.at(record.time))
      until++;
    if (until > sent) {
      await sendCommits(waiting);
      waiting = [];
      const fingerprints = snippets
        .slice(sent, until)
        .flatMap((snippet) => fingerprintOf(snippet, timeline, key) ?? []);
      const { rejected } = await client.sendFingerprints(fingerprints);
      if (rejected[0]) throw new Error(`A snippet was refused: ${rejected[0].detail}`);
      sent = until;
    }
    waiting.push(...commitsOf(record, timeline));
  }
  await sendCommits(waiting);
  await allAnalysed(server, inOrder.flatMap((record) => commitsOf(record, timeline)).length);
  return exportedAnswers(server, records);
}

function shaOf(name: string): string {
  return createHash('sha1').update(name).digest('hex');
}

function commit(name: string, repository: string, time: number, files: readonly CommitFile[]): CommitPush {
  return {
    repository,
    sha: shaOf(name),
    parents: [],
    authorName: 'bench',
    authorEmail: 'bench@example.org',
    committerName: 'bench',
    committerEmail: 'bench@example.org',
    authoredAt: time,
    committedAt: time,
    files: [...files],
  };
}

/** The files of each repository as onboarding sends them. */
function baselines(data: DataSet, timeline: Timeline): CommitPush[] {
  const files = new Map<string, CommitFile[]>();
  data.background.forEach(({ text, path, language }, i) => {
    const repository = languageIdOf(path, language);
    const file = wholeFile(`background-${i}/${path ?? `file.${language ?? 'txt'}`}`, text.split('\n'));
    files.set(repository, [...(files.get(repository) ?? []), file]);
  });
  return [...files].flatMap(([repository, all]) =>
    Array.from({ length: Math.ceil(all.length / FILES_A_PART) }, (_, part) => ({
      ...commit(
        `baseline of ${repository}`,
        repository,
        timeline.start - 2 * EARLY_MS,
        all.slice(part * FILES_A_PART, (part + 1) * FILES_A_PART),
      ),
      baseline: { part },
    })),
  );
}

/**
 * A record between the commit that makes its parent and those that undo both, so that each record finds the
 * repository as the data describes it.
 */
function commitsOf(record: LabelledCommit, timeline: Timeline): CommitPush[] {
  const repository = repositoryOf(record);
  const files = labelledFiles(record);
  const since = typeof record.since === 'number' ? timeline.at(record.since) : timeline.start - EARLY_MS;
  const step = (name: string, time: number, of: (file: LabelledFile) => CommitFile) =>
    commit(`${record.id} ${name}`, repository, time, files.map(of));
  return [
    step('parent', since, (file) => {
      const { oldPath, path } = commitFileOf(file);
      const isCopy = files.some((other) => other.path === oldPath);
      return wholeFile(isCopy ? path : (oldPath ?? path), parentLines(file));
    }),
    step('itself', timeline.at(record.time), (file) => commitFileOf(file)),
    step('undone', since, withoutAdded),
    step('gone', since, (file) => deletedFile(file.path, parentLines(file))),
  ];
}

function wholeFile(path: string, lines: readonly string[]): CommitFile {
  return {
    path,
    status: 'added',
    binary: false,
    addedLines: lines.length,
    deletedLines: 0,
    content: lines.join('\n'),
    hunks:
      lines.length > 0
        ? [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: lines.length, removed: [] }]
        : [],
  };
}

function withoutAdded(file: LabelledFile): CommitFile {
  let removed = 0;
  return {
    path: file.path,
    status: 'modified',
    binary: false,
    addedLines: 0,
    deletedLines: file.hunks.reduce((sum, { lines }) => sum + lines.length, 0),
    content: parentLines(file).join('\n'),
    hunks: file.hunks.map(({ start, lines }) => {
      const newStart = start - removed;
      removed += lines.length;
      return {
        oldStart: start + 1,
        oldLines: lines.length,
        newStart,
        newLines: 0,
        removed: [...lines],
      };
    }),
  };
}

function deletedFile(path: string, lines: readonly string[]): CommitFile {
  return {
    path,
    status: 'deleted',
    binary: false,
    addedLines: 0,
    deletedLines: lines.length,
    hunks:
      lines.length > 0
        ? [{ oldStart: 1, oldLines: lines.length, newStart: 0, newLines: 0, removed: [...lines] }]
        : [],
  };
}

async function allAnalysed(server: Server, commits: number): Promise<void> {
  let analysed = 0;
  for (let waited = 0; analysed < commits; waited += POLL_MS) {
    if (waited > PATIENCE_MS) throw new Error(`Only ${analysed} of ${commits} commits have a verdict.`);
    await delay(POLL_MS);
    const counts = (await (await get(server, '/api/v1/summary/commits')).json()) as {
      commits: number;
      merges: number;
    };
    if (counts.commits + counts.merges > analysed) waited = 0;
    analysed = counts.commits + counts.merges;
  }
}

interface ExportedCommit {
  readonly type: string;
  readonly sha: string;
  readonly files: readonly {
    readonly path: string;
    readonly results: readonly {
      readonly matched_code_id: string | null;
      readonly confidence: LineAnswer['confidence'];
    }[];
    readonly lines: readonly { start: number; count: number; kind: LineKind; result: number }[];
  }[];
}

async function exportedAnswers(
  server: Server,
  records: readonly LabelledCommit[],
): Promise<Map<string, Answer>> {
  const bySha = new Map<string, ExportedCommit>();
  for (const line of (await (await get(server, '/api/v1/export')).text()).split('\n')) {
    if (line === '') continue;
    const exported = JSON.parse(line) as ExportedCommit;
    if (exported.type === 'commit') bySha.set(exported.sha, exported);
  }
  return new Map(
    records.map((record) => {
      const exported = bySha.get(shaOf(`${record.id} itself`));
      if (!exported) throw new Error(`The export has no commit for record ${record.id}.`);
      return [record.id, toAnswer(record, exported)];
    }),
  );
}

function toAnswer(record: LabelledCommit, { files }: ExportedCommit): Answer {
  return {
    files: labelledFiles(record).map(({ path }) => {
      const answers = new Map<number, LineAnswer>();
      const file = files.find((exported) => exported.path === path);
      for (const { start, count, kind, result } of file?.lines ?? []) {
        const { confidence, matched_code_id: codeId } = file!.results[result]!;
        for (let line = start; line < start + count; line++) answers.set(line, { kind, confidence, codeId });
      }
      return answers;
    }),
    attributableLines: 0,
    candidates: 0,
    recalled: new Set(),
    milliseconds: 0,
  };
}
