import {
  pathMatcher,
  type AttributedFile,
  type Candidate,
  type CandidateFile,
  type CommitHeader,
  type Declaration,
  type DeclaredRange,
  type ExclusionRule,
  type Policy,
} from '@lineprint/contracts';
import { isKept, type MatchedLine } from './alignment';
import { assignLines, compareText, isFree, take, type Assigned, type Pairing } from './assignment';
import { AttributionError } from './attribution-error';
import type { ConsumedLines } from './consumed-lines';
import type { CopiedLine } from './copied-lines';
import { estimateHunks, type Estimate } from './estimate';
import type { LineExplanation } from './explanation';
import { conclude, FileLedger, type Origin } from './file-ledger';
import { HashIds, lineNumbers, type FileLines, type SnippetLines } from './lines';
import { placeOnWholeFiles } from './second-pass';
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
  /** Lines of snippets that the commit's ancestors have used up; none where absent. */
  readonly consumed?: ConsumedLines;
  /** Lines that another line of history has added before; none where absent. */
  readonly copied?: readonly CopiedLine[];
}

/**
 * Decides for every attributable line of a commit whether it was kept from AI (P), changed from AI (M) or
 * written by a human (H), and by which evidence. Lines that were copied are none of these. First the lines that match
 * a snippet (`matched`); then, what records beside the commit say of single lines (`declared`, or human); then, where
 * the commit itself names an AI, all that is left (`declared`), else what version 1 snippets let guess (`estimated`);
 * the rest is human, flagged where a match was too weak to count. Pure: the answer depends on nothing but the input,
 * and not on the order of candidates and snippets.
 *
 * Throws AttributionError `candidates-malformed` for an event that contradicts itself, and
 * `lines-not-reconciled` should the totals of the answer not add up.
 */
export function attributeCommit(input: CommitToAttribute): AttributedFile[] {
  const { commit, policy } = input;
  const files = excludeFiles(input.files, policy.exclusions ?? []);
  const ids = new HashIds();
  // Nothing is looked for in a file that is no candidate's, as most are: where its lines are is all that is asked.
  const isSearched = new Set(input.candidates.map(({ file }) => file));
  const fileLines = files.map((file, index) =>
    file.excluded === undefined && isSearched.has(index)
      ? ids.fileLines(file, input.repositoryLines)
      : undefined,
  );
  const numbers = files.map((file, index) =>
    file.excluded === undefined ? (fileLines[index]?.numbers ?? lineNumbers(file)) : undefined,
  );
  const declares = commit.declared !== undefined || files.some(({ declaredLines }) => declaredLines);
  const snippets = new Map(
    input.snippets
      .filter((snippet) => mayCount(snippet, commit, declares))
      .map((snippet) => [snippet.codeId, snippet] as const),
  );
  const candidates = distinctCandidates(input.candidates);
  const ledger = numbers.map((lines) => new FileLedger(lines?.length ?? 0));

  for (const copy of input.copied ?? []) {
    const { file, line } = copy;
    if (!numbers[file]) continue;
    ledger[file]!.copy(line, copy);
    const searched = fileLines[file];
    if (searched) searched.taken[line] = 1;
  }

  const pairings = pairUp(files, fileLines, candidates, snippets, ids, input.consumed);
  const { counted, suspects } = assignLines(pairings, policy.thresholds);
  const similarityOf = new Map(
    candidates.map((candidate) => [candidateKey(candidate), candidate.text ?? candidate.ast ?? null]),
  );
  const originOf = ({ snippet, file }: Pairing, confidence: Origin['confidence']) => {
    const similarity = similarityOf.get(candidateKey({ codeId: snippet.codeId, file })) ?? null;
    return ledger[file]!.origin(snippet, 'matched', confidence, similarity);
  };
  const record = ({ pairing, cluster }: Assigned, confidence: Origin['confidence']) => {
    const origin = originOf(pairing, confidence);
    origin.bits += cluster.bits;
    for (const line of cluster.lines) {
      const kind = confidence === 'SUSPECT' ? 'H' : isKept(line.rule) ? 'P' : 'M';
      ledger[pairing.file]!.give(line.fileLine, kind, origin, explain(pairing, line));
    }
  };
  for (const assigned of counted) {
    record(assigned, assigned.cluster.bits >= policy.thresholds.highBits ? 'HIGH' : 'LOW');
  }

  const runs = placeOnWholeFiles(
    pairings,
    (file, line) => ledger[file]!.isFree(line) || ledger[file]!.isChanged(line),
    (file, line) => !ledger[file]!.isFree(line),
  );
  for (const { pairing, lines } of runs) {
    const { file, fileLines, snippetLines } = pairing;
    const origin = originOf(pairing, 'LOW');
    for (const line of lines) {
      if (snippetLines.taken[line.snippetLine]) continue;
      const isFreeLine = ledger[file]!.isFree(line.fileLine);
      if (isFreeLine) ledger[file]!.give(line.fileLine, 'P', origin, explain(pairing, line));
      else if (ledger[file]!.isChanged(line.fileLine)) {
        ledger[file]!.giveKept(line.fileLine, origin, explain(pairing, line));
      } else continue;
      origin.bits += line.bits;
      snippetLines.taken[line.snippetLine] = 1;
      fileLines.taken[line.fileLine] = 1;
    }
  }

  files.forEach(({ declaredLines }, file) => {
    if (declaredLines && numbers[file]) giveDeclared(declaredLines, numbers[file], ledger[file]!);
  });
  if (commit.declared) {
    for (const file of ledger) file.giveRest('P', file.shared(declaredBy(commit.declared)));
    return files.map((file, index) => conclude(file, numbers[index], ledger[index]!));
  }

  const estimates = estimateHunks(
    files,
    numbers,
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
  for (const file of ledger) file.giveRest('H', file.shared(HUMAN));
  return files.map((file, index) => conclude(file, numbers[index], ledger[index]!));
}

/** The reason why a policy's own rules leave a file out. */
const ORGANISATION = 'organisation';

/** The files as they count under a policy's rules: an excluded one keeps git's counts and nothing of its lines. */
/** Which paths an organisation's rules take out of the count: the last rule that fits decides. */
export function exclusionBy(rules: readonly ExclusionRule[]): (path: string) => boolean {
  const compiled = rules
    .map(({ glob, include }) => ({ fits: pathMatcher(glob), excludes: !include }))
    .reverse();
  return (path) => compiled.find(({ fits }) => fits(path))?.excludes ?? false;
}

function excludeFiles(
  files: readonly CandidateFile[],
  rules: readonly ExclusionRule[],
): readonly CandidateFile[] {
  if (rules.length === 0) return files;
  const isExcluded = exclusionBy(rules);
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

function declaredBy({ source, model }: Pick<Declaration, 'source' | 'model'>) {
  return { ...DECLARED, source, ...(model ? { model } : {}) };
}

/** Gives the lines of which a record says who wrote them, where nothing was matched. */
function giveDeclared(ranges: readonly DeclaredRange[], numbers: Int32Array, ledger: FileLedger): void {
  let next = 0;
  numbers.forEach((number, line) => {
    while (next < ranges.length && ranges[next]!.start + ranges[next]!.count <= number) next++;
    const range = ranges[next];
    if (!range || number < range.start || !ledger.isFree(line)) return;
    ledger.give(line, range.kind, ledger.shared(range.kind === 'H' ? HUMAN : declaredBy(range)));
  });
}

/**
 * A snippet that was made from a commit which names an AI, for all its lines or for some, cannot prove that the same,
 * or another such commit, is AI's: those are `declared` by their own word. Nor can it prove anything of a commit that came
 * before: its time is git's own, so that nothing is forgiven for a client's clock, and of commits of one
 * second (a rebase makes many) only a parent is known to be earlier. What a client captured counts everywhere.
 */
function mayCount({ declaredBy, createdAt }: Snippet, commit: CommitHeader, declares: boolean): boolean {
  if (declaredBy === null) return true;
  if (declares || declaredBy === commit.sha) return false;
  return createdAt < commit.committedAt || commit.parents.includes(declaredBy);
}

function explain({ snippetLines }: Pairing, { rule, snippetLine, bits }: MatchedLine): LineExplanation {
  return { rule, snippetLine: snippetLines.numbers[snippetLine]!, bits };
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
  consumed: ConsumedLines | undefined,
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
    if (!snippetLines) {
      linesOf.set(codeId, (snippetLines = ids.snippetLines(snippet, snippet.prints)));
      takeConsumed(snippetLines, consumed?.get(codeId));
    }
    const { pathKeys, previousCommitAt } = files[file]!;
    // What was accepted before the file's previous commit has had its chance there.
    const isFresh = previousCommitAt === undefined || snippet.createdAt > previousCommitAt;
    const samePath = isFresh && snippet.pathKey !== null && pathKeys.includes(snippet.pathKey);
    pairings.push({ snippet, snippetLines, file, fileLines: lines, isFresh, samePath });
  }
  return pairings;
}

function takeConsumed({ numbers, taken }: SnippetLines, consumed: ReadonlySet<number> | undefined): void {
  if (!consumed) return;
  numbers.forEach((number, i) => {
    if (consumed.has(number)) taken[i] = 1;
  });
}
