import { performance } from 'node:perf_hooks';
import { attributeCommit, type Snippet } from '@lineprint/attribution';
import { captureHunks } from '@lineprint/capture';
import {
  analyseFile,
  countOccurrences,
  type LineFrequency,
  recallCandidates,
  recallQuery,
  toCandidateFile,
} from '@lineprint/commit-analyzer';
import {
  CLOCK_SKEW_MS,
  type CodeFingerprint,
  type CommitEvent,
  type CommitFile,
  type CommitHeader,
  DEFAULT_POLICY,
  type Policy,
} from '@lineprint/contracts';
import {
  computeLinePrints,
  deriveLineKey,
  hasShingles,
  hex64,
  languageOf,
  LineCounts,
  type LineKey,
  type LinePrint,
  linePrintsFromBase64,
  snippetRecallKeys,
  textBands,
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
import { type Stranger, Strangers } from './strangers';

const TENANT = 'bench';
/** Further apart than clocks may be, so that none of the future's snippets is forgiven for that. */
const STEP_MS = CLOCK_SKEW_MS + 1;
const EPOCH = Date.UTC(2026, 0, 1);

/**
 * The data's times in their order, but close together: one record may sum up years of commits, and the snippets'
 * time to live must not decide about it.
 */
export class Timeline {
  /** The first moment of the data, milliseconds since 1970. */
  readonly start = EPOCH;
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
    return this.start + rank * STEP_MS;
  }
}

/** How often lines, and their shapes, stand in some files. */
class FileCounts {
  private readonly counts = new LineCounts();
  lines = 0;

  add(prints: readonly LinePrint[]): void {
    for (const { h1, h2 } of prints) {
      this.counts.add(h1, 1);
      this.counts.add(h2, 1);
    }
    this.lines += prints.length;
  }

  of(hash: bigint): number {
    return this.counts.get(hash);
  }
}

/** The same of snippets, as each moment knew them. */
class SnippetCounts {
  private readonly times = new Map<bigint, number[]>();

  /** In order of time. */
  add(prints: readonly LinePrint[], time: number): void {
    for (const { h1, h2 } of prints) {
      this.append(h1, time);
      this.append(h2, time);
    }
  }

  of(hash: bigint, until: number): number {
    const times = this.times.get(hash) ?? [];
    let count = times.length;
    while (count > 0 && times[count - 1]! > until) count--;
    return count;
  }

  private append(hash: bigint, time: number): void {
    const times = this.times.get(hash);
    if (times) times.push(time);
    else this.times.set(hash, [time]);
  }
}

/** What the services hold when the commits arrive: every snippet, and each language's files as one repository. */
export interface BenchIndex {
  readonly key: LineKey;
  readonly timeline: Timeline;
  readonly recall: RecallIndex;
  /** Those of the data by their numbers in the index; the strangers' numbers follow. */
  readonly snippets: readonly Snippet[];
  readonly strangers: Strangers;
  readonly accepted: SnippetCounts;
  readonly repositories: ReadonlyMap<string, FileCounts>;
}

/** The organisation's, where there is no server that has one. */
export const LINE_KEY = deriveLineKey(new Uint8Array(32).fill(7), 'bench');

/**
 * Takes in a data set as clients, indexer and onboarding would, snippets in order of acceptance.
 *
 * @param strangers snippets made with LINE_KEY that are in the index beside those of the data
 */
export async function indexDataSet(
  data: DataSet,
  key: LineKey = LINE_KEY,
  strangers: Iterable<Stranger> = [],
): Promise<BenchIndex> {
  const timeline = new Timeline(data);
  const repositories = new Map<string, FileCounts>();
  for (const { text, path, language } of data.background) {
    const id = languageIdOf(path, language);
    let counts = repositories.get(id);
    if (!counts) repositories.set(id, (counts = new FileCounts()));
    counts.add(computeLinePrints(text, id, key));
  }

  const recall = await openRecallIndex('memory:');
  await recall.activate(await recall.begin());
  const at = await recall.coverage();
  const snippets: Snippet[] = [];
  const accepted = new SnippetCounts();
  const inOrder = [...data.snippets].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  const fingerprints = inOrder.flatMap((labelled) => fingerprintOf(labelled, timeline, key) ?? []);
  for (const [offset, fingerprint] of fingerprints.entries()) {
    const snippet = toSnippet(fingerprint);
    const { createdAt: eventTime, prints } = snippet;
    snippets.push(snippet);
    accepted.add(prints, eventTime);
    const signature = Uint32Array.from(fingerprint.signature);
    const keys = snippetRecallKeys({
      prints,
      pathKey: fingerprint.pathKey,
      before: fingerprint.before,
      after: fingerprint.after,
      textBands: hasShingles(signature) ? textBands(signature) : undefined,
    });
    await recall.add(at, TENANT, [{ id: offset, eventTime, partition: 0, offset, keys }]);
  }
  const others = new Strangers();
  for (const stranger of strangers) {
    const id = snippets.length + others.length;
    others.add(stranger);
    const { keys } = stranger;
    await recall.add(at, TENANT, [{ id, eventTime: timeline.start, partition: 1, offset: id, keys }]);
  }
  return { key, timeline, recall, snippets, strangers: others, accepted, repositories };
}

/** The language as clients and services name it: by the path, else what the data says. */
export function languageIdOf(path: string | null | undefined, language: string | undefined): string {
  const byPath = path ? languageOf(path) : 'text';
  if (byPath !== 'text' || !language) return byPath;
  const byExtension = languageOf(`file.${language}`);
  return byExtension === 'text' ? language : byExtension;
}

/** What a client sends of a snippet; nothing of blank lines alone. */
export function fingerprintOf(
  { id, snippet, path, language, before, after, time }: LabelledSnippet,
  timeline: Timeline,
  lineKey: LineKey,
): CodeFingerprint | undefined {
  const languageId = languageIdOf(path, language);
  const h1 = (line: string | null | undefined) => {
    const [print] = computeLinePrints(line ?? '', languageId, lineKey);
    return print && hex64(print.h1);
  };
  const [fingerprint] = captureHunks({
    content: snippet,
    hunks: [{ first: 0, last: snippet.split('\n').length - 1 }],
    path: path ?? '',
    language: languageId,
    source: 'agent',
    sessionId: id,
    userId: TENANT,
    timestamp: timeline.at(time ?? 0),
    toolCallIndex: 0,
    lineKey,
  });
  if (!fingerprint) return undefined;
  const { pathKey: keyedPath, ...rest } = fingerprint;
  const context = { before: h1(before), after: h1(after), pathKey: path ? keyedPath : undefined };
  return { ...rest, ...definedOf(context), codeId: id };
}

/** An optional field is absent, never undefined. */
function definedOf<T extends object>(fields: T): { [Field in keyof T]?: NonNullable<T[Field]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in keyof T]?: NonNullable<T[Field]>;
  };
}

/** As the store gives it back. */
function toSnippet(fingerprint: CodeFingerprint): Snippet & { prints: readonly LinePrint[] } {
  const { codeId, userId, sessionId, source, language, timestamp, lineCount } = fingerprint;
  return {
    codeId,
    userId,
    sessionId,
    source,
    model: null,
    language,
    createdAt: timestamp,
    protocol: 2,
    lineCount,
    declaredBy: null,
    prints: linePrintsFromBase64(fingerprint.linePrints!),
    pathKey: fingerprint.pathKey ?? null,
    before: fingerprint.before ?? null,
    after: fingerprint.after ?? null,
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
  const { key, timeline, recall, snippets, strangers } = index;
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
    snippetHorizon: [snippets.length, snippets.length + strangers.length],
  };
  const { frequency, lines: repositoryLines } = beforeCommit(record, labelled, index);
  const started = performance.now();
  const files = commit.files.map((file) => analyseFile(file, key));
  const keys = new Set(files.flatMap((file) => [...file.keys.keys()]));
  const postings = await recall.postings(await recall.coverage(), TENANT, keys, recallQuery(commit));
  const recalled = new Map<number, Snippet>();
  const candidates = recallCandidates(commit, files, postings).map(({ id, ...candidate }) => {
    const snippet =
      recalled.get(id) ?? snippets[id] ?? strangers.snippet(id - snippets.length, timeline.start);
    recalled.set(id, snippet);
    return { ...candidate, codeId: snippet.codeId };
  });
  const occurrences = countOccurrences(files, frequency);
  const attributed = attributeCommit({
    commit,
    repositoryLines,
    files: files.map((file, i) => {
      const since = typeof record.since === 'number' ? { previousCommitAt: timeline.at(record.since) } : {};
      const isSearched = candidates.some(({ file }) => file === i);
      return toCandidateFile(file, { ...occurrences[i]!, ...since }, isSearched);
    }),
    candidates,
    snippets: [...recalled.values()],
    policy,
  });
  const milliseconds = performance.now() - started;
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
    recalled: new Set([...recalled.values()].map(({ codeId }) => codeId)),
    milliseconds,
  };
}

/** The repository before the commit: its language's background, and what the commit's files had already. */
function beforeCommit(
  record: LabelledCommit,
  files: readonly LabelledFile[],
  { key, timeline, accepted, strangers, repositories }: BenchIndex,
): { frequency: LineFrequency; lines: number } {
  const repository = repositories.get(repositoryOf(record)) ?? new FileCounts();
  const parent = new FileCounts();
  for (const file of files) {
    parent.add(computeLinePrints(parentLines(file).join('\n'), languageOf(file.path), key));
  }
  const time = timeline.at(record.time);
  const count = (hash: bigint) =>
    repository.of(hash) + parent.of(hash) + accepted.of(hash, time) + strangers.counts.get(hash);
  return { frequency: { exact: count, abstract: count }, lines: repository.lines + parent.lines };
}

/** The data has one repository a language. */
export function repositoryOf(record: LabelledCommit): string {
  return languageIdOf(labelledFiles(record)[0]!.path, record.language);
}

/** What a file is made of besides the lines that the commit adds. */
export function parentLines({ lines, added }: LabelledFile): string[] {
  return lines.filter((_, i) => added[i] !== '1');
}
