import { attributeCommit, type Snippet } from '@lineprint/attribution';
import {
  analyseFile,
  countOccurrences,
  type LineFrequency,
  recallCandidates,
} from '@lineprint/commit-analyzer';
import {
  CLOCK_SKEW_MS,
  type CommitEvent,
  type CommitFile,
  type CommitHeader,
  DEFAULT_POLICY,
  type Policy,
} from '@lineprint/contracts';
import {
  analyseText,
  computeLinePrints,
  deriveLineKey,
  hasShingles,
  hex64,
  languageOf,
  type LineKey,
  type LinePrint,
  pathKey,
  recallKeys,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { openRecallIndex, type RecallIndex } from '@lineprint/recall';
import {
  type DataSet,
  type LabelledCommit,
  type LabelledFile,
  type LabelledSnippet,
  labelledFiles,
} from './data';
import type { Answer, LineAnswer } from './score';

const TENANT = 'bench';
/** Further apart than clocks may be, so that none of the future's snippets is forgiven for that. */
const STEP_MS = CLOCK_SKEW_MS + 1;
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * The data's times in their order, but close together: one record may sum up years of commits, and the snippets'
 * time to live must not decide about it.
 */
export class Timeline {
  private readonly ranks: ReadonlyMap<number, number>;

  constructor({ records, snippets }: Pick<DataSet, 'records' | 'snippets'>) {
    const times = [
      ...records.flatMap(({ time, since }) => [time, since]),
      ...snippets.map(({ time }) => time ?? 0),
    ].filter((time) => typeof time === 'number');
    this.ranks = new Map([...new Set(times)].sort((a, b) => a - b).map((time, rank) => [time, rank]));
  }

  /** Milliseconds since 1970; what has no time comes after all that has one. */
  at(time: number | null | undefined): number {
    const rank = typeof time === 'number' ? this.ranks.get(time)! : this.ranks.size;
    return EPOCH + rank * STEP_MS;
  }
}

/** How often hashes were seen, by H1 and by H2. */
class Counts {
  private readonly exact = new Map<bigint, number>();
  private readonly abstract = new Map<bigint, number>();
  lines = 0;

  add(prints: readonly LinePrint[]): void {
    for (const { h1, h2 } of prints) {
      this.exact.set(h1, (this.exact.get(h1) ?? 0) + 1);
      this.abstract.set(h2, (this.abstract.get(h2) ?? 0) + 1);
    }
    this.lines += prints.length;
  }

  ofExact(h1: bigint): number {
    return this.exact.get(h1) ?? 0;
  }

  ofAbstract(h2: bigint): number {
    return this.abstract.get(h2) ?? 0;
  }
}

/** The same of snippets, as each moment knew them. */
class DatedCounts {
  private readonly exact = new Map<bigint, number[]>();
  private readonly abstract = new Map<bigint, number[]>();

  /** In order of time. */
  add(prints: readonly LinePrint[], time: number): void {
    for (const { h1, h2 } of prints) {
      append(this.exact, h1, time);
      append(this.abstract, h2, time);
    }
  }

  ofExact(h1: bigint, until: number): number {
    return upTo(this.exact.get(h1), until);
  }

  ofAbstract(h2: bigint, until: number): number {
    return upTo(this.abstract.get(h2), until);
  }
}

function append(lists: Map<bigint, number[]>, hash: bigint, time: number): void {
  const list = lists.get(hash);
  if (list) list.push(time);
  else lists.set(hash, [time]);
}

/** How many of the sorted times are not later. */
function upTo(times: readonly number[] | undefined, until: number): number {
  let count = times?.length ?? 0;
  while (count > 0 && times![count - 1]! > until) count--;
  return count;
}

/** What the services hold when the commits arrive: every snippet, and each language's files as one repository. */
export interface BenchIndex {
  readonly key: LineKey;
  readonly timeline: Timeline;
  readonly recall: RecallIndex;
  readonly snippets: ReadonlyMap<string, Snippet>;
  readonly accepted: DatedCounts;
  readonly repositories: ReadonlyMap<string, Counts>;
}

/** Takes in a data set as clients, indexer and onboarding would, snippets in order of acceptance. */
export async function indexDataSet(data: DataSet): Promise<BenchIndex> {
  const key = deriveLineKey(new Uint8Array(32).fill(7), 'bench');
  const timeline = new Timeline(data);
  const repositories = new Map<string, Counts>();
  for (const { text, path, language } of data.background) {
    const id = languageIdOf(path, language);
    let counts = repositories.get(id);
    if (!counts) repositories.set(id, (counts = new Counts()));
    counts.add(computeLinePrints(text, id, key));
  }

  const recall = await openRecallIndex('memory:');
  const snippets = new Map<string, Snippet>();
  const accepted = new DatedCounts();
  const inOrder = [...data.snippets].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  for (const [offset, labelled] of inOrder.entries()) {
    const snippet = toSnippet(labelled, timeline, key);
    snippets.set(snippet.codeId, snippet);
    const { codeId, createdAt: eventTime, prints, pathKey: path, before, after } = snippet;
    accepted.add(prints!, eventTime);
    const signature = textSignature(labelled.snippet);
    const keys = recallKeys(
      {
        prints: prints!,
        pathKey: path ?? undefined,
        before: before ?? undefined,
        after: after ?? undefined,
        textBands: hasShingles(signature) ? textBands(signature) : undefined,
      },
      'snippet',
    );
    await recall.add(TENANT, [
      { codeId, eventTime, partition: 0, offset, keys: keys.map((recallKey) => recallKey.key) },
    ]);
  }
  return { key, timeline, recall, snippets, accepted, repositories };
}

/** The language as clients and services name it: by the path, else what the data says. */
function languageIdOf(path: string | null | undefined, language: string | undefined): string {
  const byPath = path ? languageOf(path) : 'text';
  if (byPath !== 'text' || !language) return byPath;
  const byExtension = languageOf(`file.${language}`);
  return byExtension === 'text' ? language : byExtension;
}

function toSnippet(labelled: LabelledSnippet, timeline: Timeline, key: LineKey): Snippet {
  const { id, snippet, path, before, after, time } = labelled;
  const language = languageIdOf(path, labelled.language);
  const h1 = (line: string | null | undefined) => {
    const [print] = computeLinePrints(line ?? '', language, key);
    return print ? hex64(print.h1) : null;
  };
  return {
    codeId: id,
    userId: TENANT,
    sessionId: id,
    source: 'agent',
    model: null,
    language,
    createdAt: timeline.at(time ?? 0),
    protocol: 2,
    lineCount: snippet.split('\n').length,
    declaredBy: null,
    prints: computeLinePrints(snippet, language, key),
    pathKey: path ? pathKey(path, key) : null,
    before: h1(before),
    after: h1(after),
  };
}

/** The file as a pusher would send it; its parent is what it has besides the added lines. */
export function commitFileOf({ path, aliases, content, lines, hunks }: LabelledFile): CommitFile {
  const oldPath = aliases.findLast((alias) => alias !== path);
  let added = 0;
  return {
    path,
    ...(oldPath ? { oldPath } : {}),
    status: oldPath ? 'renamed' : hunks[0]?.lines.length === lines.length ? 'added' : 'modified',
    binary: false,
    addedLines: hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0),
    deletedLines: 0,
    content,
    hunks: hunks.map((hunk) => {
      const oldStart = hunk.start - added;
      added += hunk.lines.length;
      return {
        oldStart,
        oldLines: 0,
        newStart: hunk.start + 1,
        newLines: hunk.lines.length,
        removed: [],
      };
    }),
  };
}

/**
 * The way of a labelled commit through commit-analyzer and line-attributor, without their stores and topics.
 *
 * @returns for each file its lines' labels, and what recall found
 */
export async function attributeRecord(
  record: LabelledCommit,
  index: BenchIndex,
  policy: Policy = DEFAULT_POLICY,
): Promise<Answer> {
  const { key, timeline, recall, snippets } = index;
  const labelled = labelledFiles(record);
  const time = timeline.at(record.time);
  const commit: CommitEvent & CommitHeader = {
    tenant: TENANT,
    projectId: TENANT,
    repository: TENANT,
    sha: '0'.repeat(40),
    parents: [],
    authorName: TENANT,
    authorEmail: '',
    committerName: TENANT,
    committerEmail: '',
    userId: TENANT,
    authoredAt: time,
    committedAt: time,
    late: false,
    files: labelled.map(commitFileOf),
    snippetHorizon: [snippets.size],
  };
  const files = commit.files.map((file) => analyseFile(file, key));
  const postings = await recall.postings(TENANT, [
    ...new Set(files.flatMap((file) => [...file.keys.keys()])),
  ]);
  const candidates = recallCandidates(commit, files, postings);
  const { frequency, lines: repositoryLines } = beforeCommit(record, labelled, index);
  const occurrences = countOccurrences(files, frequency);
  const attributed = attributeCommit({
    commit,
    repositoryLines,
    files: files.map(({ candidateFile }, i) => ({
      ...candidateFile,
      occurrences: occurrences[i]!,
      ...(typeof record.since === 'number' ? { previousCommitAt: timeline.at(record.since) } : {}),
    })),
    candidates,
    snippets: [...new Set(candidates.map(({ codeId }) => codeId))].map((id) => snippets.get(id)!),
    policy,
  });
  return {
    files: attributed.map(({ lines, results }) => {
      const answers = new Map<number, LineAnswer>();
      for (const { start, count, kind, result } of lines) {
        const { confidence, codeId } = results[result]!;
        for (let line = start; line < start + count; line++) answers.set(line, { kind, confidence, codeId });
      }
      return answers;
    }),
    attributableLines: files.reduce((sum, { attributable }) => sum + attributable, 0),
    candidates: candidates.length,
    recalled: new Set(candidates.map(({ codeId }) => codeId)),
  };
}

/** The repository before the commit: its language's background, and what the commit's files had already. */
function beforeCommit(
  record: LabelledCommit,
  files: readonly LabelledFile[],
  { key, timeline, accepted, repositories }: BenchIndex,
): { frequency: LineFrequency; lines: number } {
  const repository = repositories.get(languageIdOf(files[0]!.path, record.language)) ?? new Counts();
  const parent = new Counts();
  for (const { path, content, added } of files) {
    const { prints } = analyseText(content, languageOf(path), key);
    parent.add(prints.filter(({ line }) => added[line] !== '1'));
  }
  const time = timeline.at(record.time);
  return {
    frequency: {
      exact: (h1) => repository.ofExact(h1) + parent.ofExact(h1) + accepted.ofExact(h1, time),
      abstract: (h2) => repository.ofAbstract(h2) + parent.ofAbstract(h2) + accepted.ofAbstract(h2, time),
    },
    lines: repository.lines + parent.lines,
  };
}
