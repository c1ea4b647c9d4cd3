import {
  pathMatcher,
  type AttributedFile,
  type AttributionResult,
  type Candidate,
  type CandidateFile,
  type CommitHeader,
  type ExclusionRule,
  type LineKind,
  type LineRange,
  type Policy,
} from '@lineprint/contracts';
import { assignLines, compareText, isFree, take, type Assigned, type Pairing } from './assignment';
import { AttributionError } from './attribution-error';
import { estimateHunks, type Estimate } from './estimate';
import { discountFrequentLines, type Occurrence } from './line-frequency';
import { HashIds, type FileLines, type SnippetLines } from './lines';
import type { Snippet } from './snippet';

export interface CommitToAttribute {
  readonly commit: CommitHeader;
  readonly repositoryLines: number;
  readonly files: readonly CandidateFile[];
  /** What recall found, in any order. Candidates whose snippet is missing (deleted) are ignored. */
  readonly candidates: readonly Candidate[];
  /** The candidates' snippets, of this tenant only, in any order. */
  readonly snippets: readonly Snippet[];
  readonly policy: Policy;
}

/** Whom a line belongs to. Lines with one origin share the object. */
type Origin = Pick<
  AttributionResult,
  'codeId' | 'source' | 'model' | 'evidence' | 'confidence' | 'similarity'
> & { bits: number };

/**
 * Decides for every attributable line of a commit whether it was kept from AI (P), changed from AI (M) or
 * written by a human (H), and by which evidence. First the lines that match a snippet (`matched`); then,
 * where the commit itself names an AI, all that is left (`declared`), else what version 1 snippets let
 * guess (`estimated`); the rest is human, flagged where a match was too weak to count. Pure: the answer
 * depends on nothing but the input, and not on the order of candidates and snippets.
 *
 * Throws AttributionError `candidates-malformed` for an event that contradicts itself, and
 * `lines-not-reconciled` should the totals of the answer not add up.
 */
export function attributeCommit(input: CommitToAttribute): AttributedFile[] {
  const { commit, policy } = input;
  const files = excludeFiles(input.files, policy.exclusions ?? []);
  const ids = new HashIds();
  const fileLines = files.map((file) =>
    file.excluded === undefined ? ids.fileLines(file, input.repositoryLines) : undefined,
  );
  const snippets = new Map(
    input.snippets
      .filter((snippet) => mayCount(snippet, commit))
      .map((snippet) => [snippet.codeId, snippet] as const),
  );
  const candidates = distinctCandidates(input.candidates);
  const ledger = fileLines.map((lines) => new FileLedger(lines?.length ?? 0));

  const { counted, suspects } = assignLines(
    pairUp(files, fileLines, candidates, snippets, ids),
    policy.thresholds,
  );
  const similarityOf = new Map(
    candidates.map((candidate) => [candidateKey(candidate), candidate.text ?? candidate.ast ?? null]),
  );
  const record = ({ pairing, cluster }: Assigned, confidence: Origin['confidence']) => {
    const { snippet, file } = pairing;
    const similarity = similarityOf.get(candidateKey({ codeId: snippet.codeId, file })) ?? null;
    const origin = ledger[file]!.origin(snippet, 'matched', confidence, similarity);
    origin.bits += cluster.bits;
    for (const line of cluster.lines) {
      const kind = confidence === 'SUSPECT' ? 'H' : line.kind === 'kept' ? 'P' : 'M';
      ledger[file]!.give(line.fileLine, kind, origin);
    }
  };
  for (const assigned of counted) {
    record(assigned, assigned.cluster.bits >= policy.thresholds.highBits ? 'HIGH' : 'LOW');
  }

  if (commit.declared) {
    const { source, model } = commit.declared;
    for (const file of ledger) file.giveRest('P', { ...DECLARED, source, ...(model ? { model } : {}) });
    return files.map((file, index) => conclude(file, fileLines[index], ledger[index]!));
  }

  const estimates = estimateHunks(
    files,
    fileLines,
    input.candidates,
    snippets,
    (file, line) => ledger[file]!.isFree(line),
    policy.thresholds,
  );
  const recordEstimate = ({ snippet, candidate, confidence, kind, lines }: Estimate) => {
    const file = ledger[candidate.file]!;
    const origin = file.origin(snippet, 'estimated', confidence, candidate.text ?? null);
    for (const line of lines) if (file.isFree(line)) file.give(line, kind, origin);
  };
  for (const estimate of estimates) if (estimate.confidence !== 'SUSPECT') recordEstimate(estimate);
  for (const suspect of suspects) {
    const { pairing, cluster } = suspect;
    const stillFree = cluster.lines.every((line) => ledger[pairing.file]!.isFree(line.fileLine));
    if (!stillFree || !isFree(pairing, cluster)) continue;
    take(pairing, cluster);
    record(suspect, 'SUSPECT');
  }
  for (const estimate of estimates) if (estimate.confidence === 'SUSPECT') recordEstimate(estimate);
  for (const file of ledger) file.giveRest('H', HUMAN);
  return files.map((file, index) => conclude(file, fileLines[index], ledger[index]!));
}

/** The reason why a policy's own rules leave a file out. */
const ORGANISATION = 'organisation';

/** The files as they count under a policy's rules: an excluded one keeps git's counts and nothing of its lines. */
function excludeFiles(
  files: readonly CandidateFile[],
  rules: readonly ExclusionRule[],
): readonly CandidateFile[] {
  if (rules.length === 0) return files;
  const compiled = rules
    .map(({ glob, include }) => ({ fits: pathMatcher(glob), excludes: !include }))
    .reverse();
  const isExcluded = (path: string) => compiled.find(({ fits }) => fits(path))?.excludes ?? false;
  return files.map((file) =>
    file.excluded === undefined && isExcluded(file.path)
      ? { ...file, excluded: ORGANISATION, blankLines: 0, inherited: [] }
      : file,
  );
}

const HUMAN = {
  codeId: null,
  source: null,
  evidence: 'none',
  confidence: 'UNIQUE',
  similarity: null,
} as const;
const DECLARED = { codeId: null, evidence: 'declared', confidence: 'HIGH', similarity: null } as const;

/**
 * A snippet that was made from a commit which names an AI cannot prove that the same, or another such
 * commit, is AI's: those are `declared` by their own word. Nor can it prove anything of a commit that came
 * before: its time is git's own, so that nothing is forgiven for a client's clock, and of commits of one
 * second (a rebase makes many) only a parent is known to be earlier. What a client captured counts everywhere.
 */
function mayCount({ declaredBy, createdAt }: Snippet, commit: CommitHeader): boolean {
  if (declaredBy === null) return true;
  if (commit.declared !== undefined || declaredBy === commit.sha) return false;
  return createdAt < commit.committedAt || commit.parents.includes(declaredBy);
}

function candidateKey({ codeId, file }: Pick<Candidate, 'codeId' | 'file'>): string {
  return `${file}:${codeId}`;
}

/** One candidate a snippet and file, the one with the best similarity, in an order of its own. */
function distinctCandidates(candidates: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>();
  const rank = (c: Candidate) => [c.text ?? -1, c.ast ?? -1, -(c.hunk ?? Infinity)] as const;
  for (const candidate of candidates) {
    const key = candidateKey(candidate);
    const other = best.get(key);
    const [text, ast, hunk] = rank(candidate);
    const [otherText, otherAst, otherHunk] = other ? rank(other) : [-2, -2, -Infinity];
    if ((text - otherText || ast - otherAst || hunk - otherHunk) > 0) best.set(key, candidate);
  }
  return [...best.values()].sort((a, b) => a.file - b.file || compareText(a.codeId, b.codeId));
}

function pairUp(
  files: readonly CandidateFile[],
  fileLines: readonly (FileLines | undefined)[],
  candidates: readonly Candidate[],
  snippets: ReadonlyMap<string, Snippet>,
  ids: HashIds,
): Pairing[] {
  const linesOf = new Map<string, SnippetLines>();
  const pairings: Pairing[] = [];
  for (const { codeId, file } of candidates) {
    if (file >= files.length) {
      throw new AttributionError('candidates-malformed', `candidate ${codeId} names file ${file}`);
    }
    const snippet = snippets.get(codeId);
    const lines = fileLines[file];
    if (!snippet?.prints || !lines || lines.length === 0) continue;
    let snippetLines = linesOf.get(codeId);
    if (!snippetLines) linesOf.set(codeId, (snippetLines = ids.snippetLines(snippet, snippet.prints)));
    const samePath = snippet.pathKey !== null && files[file]!.pathKeys.includes(snippet.pathKey);
    pairings.push({ snippet, snippetLines, file, fileLines: lines, samePath });
  }
  const occurrences = [...linesOf].map(([codeId, lines]): Occurrence => {
    const { pathKey, sessionId } = snippets.get(codeId)!;
    return { lines, place: pathKey ?? sessionId };
  });
  discountFrequentLines(
    fileLines.filter((lines) => lines !== undefined),
    occurrences,
  );
  return pairings;
}

/** Who owns each line of one file. */
class FileLedger {
  private readonly owners: ({ kind: LineKind; origin: Origin } | undefined)[];
  private readonly origins = new Map<string, Origin>();

  constructor(length: number) {
    this.owners = new Array<{ kind: LineKind; origin: Origin } | undefined>(length).fill(undefined);
  }

  isFree(line: number): boolean {
    return line < this.owners.length && this.owners[line] === undefined;
  }

  give(line: number, kind: LineKind, origin: Origin): void {
    if (!this.isFree(line)) throw new AttributionError('lines-not-reconciled', `line ${line} has two owners`);
    this.owners[line] = { kind, origin };
  }

  giveRest(kind: LineKind, origin: Omit<Origin, 'bits'>): void {
    const rest = { ...origin, bits: 0 };
    for (let line = 0; line < this.owners.length; line++) {
      if (this.isFree(line)) this.give(line, kind, rest);
    }
  }

  /** The one origin a snippet, evidence and confidence have in this file. */
  origin(
    snippet: Snippet,
    evidence: Origin['evidence'],
    confidence: Origin['confidence'],
    similarity: number | null,
  ): Origin {
    const key = `${evidence}:${confidence}:${snippet.codeId}`;
    let origin = this.origins.get(key);
    if (!origin) {
      const { codeId, source, model } = snippet;
      origin = { codeId, source, ...(model ? { model } : {}), evidence, confidence, similarity, bits: 0 };
      this.origins.set(key, origin);
    }
    return origin;
  }

  /** The owner of each line. Throws where a line has none. */
  settled(): { kind: LineKind; origin: Origin }[] {
    return this.owners.map((owner, line) => {
      if (!owner) throw new AttributionError('lines-not-reconciled', `line ${line} has no owner`);
      return owner;
    });
  }
}

function conclude(file: CandidateFile, lines: FileLines | undefined, ledger: FileLedger): AttributedFile {
  const owners = ledger.settled();
  const origins = [...new Set(owners.map((owner) => owner.origin))].sort(compareOrigins);
  const indexOf = new Map(origins.map((origin, index) => [origin, index]));
  const results = origins.map((origin) => ({ ...origin, preserved: 0, modified: 0, human: 0, suspect: 0 }));
  const ranges: LineRange[] = [];
  owners.forEach(({ kind, origin }, index) => {
    const number = lines!.numbers[index]!;
    const result = indexOf.get(origin)!;
    results[result]![COUNT_OF[kind]]++;
    if (origin.confidence === 'SUSPECT') results[result]!.suspect++;
    const last = ranges.at(-1);
    if (last && last.kind === kind && last.result === result && last.start + last.count === number) {
      last.count++;
    } else {
      ranges.push({ start: number, count: 1, kind, result });
    }
  });
  assertReconciled(file.path, owners.length, results, ranges);
  const inheritedLines = file.inherited.reduce((sum, range) => sum + range.count, 0);
  if (lines && owners.length + inheritedLines + file.blankLines !== file.addedLines) {
    throw new AttributionError(
      'candidates-malformed',
      `${file.path} adds ${file.addedLines} lines; ${owners.length} are attributable, ${inheritedLines} inherited, ${file.blankLines} blank`,
    );
  }
  return {
    path: file.path,
    ...(file.oldPath === undefined ? {} : { oldPath: file.oldPath }),
    status: file.status,
    language: file.language,
    addedLines: file.addedLines,
    deletedLines: file.deletedLines,
    blankLines: file.blankLines,
    inheritedLines,
    inherited: file.inherited,
    ...(file.excluded === undefined ? {} : { excluded: file.excluded }),
    results,
    lines: ranges,
  };
}

const COUNT_OF = { P: 'preserved', M: 'modified', H: 'human' } as const;

/** Strongest evidence first, the human lines last. */
function compareOrigins(a: Origin, b: Origin): number {
  return (
    Number(a.evidence === 'none') - Number(b.evidence === 'none') ||
    b.bits - a.bits ||
    compareText(a.evidence, b.evidence) ||
    compareText(a.codeId ?? '', b.codeId ?? '') ||
    compareText(a.confidence, b.confidence)
  );
}

/** Every attributable line is in one range and in one count; a mistake here would falsify every total. */
function assertReconciled(
  path: string,
  attributable: number,
  results: readonly AttributionResult[],
  ranges: readonly LineRange[],
): void {
  const left = results.map(({ preserved, modified, human }) => ({ preserved, modified, human }));
  for (const range of ranges) left[range.result]![COUNT_OF[range.kind]] -= range.count;
  if (left.some((counts) => Object.values(counts).some((count) => count !== 0))) {
    throw new AttributionError('lines-not-reconciled', `ranges and counts differ in ${path}`);
  }
  const total = results.reduce((sum, result) => sum + result.preserved + result.modified + result.human, 0);
  const ranged = ranges.reduce((sum, range) => sum + range.count, 0);
  if (total !== attributable || ranged !== attributable) {
    throw new AttributionError(
      'lines-not-reconciled',
      `${path} has ${attributable} attributable lines, ${total} in counts and ${ranged} in ranges`,
    );
  }
}
