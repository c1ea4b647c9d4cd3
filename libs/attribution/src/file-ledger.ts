import type {
  AttributedFile,
  AttributionResult,
  CandidateFile,
  CopiedRange,
  LineKind,
  LineRange,
} from '@lineprint/contracts';
import { compareText } from './assignment';
import { AttributionError } from './attribution-error';
import type { OriginalLine } from './copied-lines';
import { encodeExplanations, type LineExplanation } from './explanation';
import type { Snippet } from './snippet';

/** Whom a line belongs to. Lines with one origin share the object. */
export type Origin = Pick<
  AttributionResult,
  'codeId' | 'source' | 'model' | 'evidence' | 'confidence' | 'similarity'
> & { bits: number };

interface Owner {
  readonly kind: LineKind;
  readonly origin: Origin;
  readonly why: LineExplanation | undefined;
}

/** Who owns each line of one file. */
export class FileLedger {
  private readonly owners: (Owner | undefined)[];
  /** Where each line was copied from; such a line has no owner here. */
  private readonly copied = new Map<number, OriginalLine>();
  private readonly origins = new Map<string, Origin>();

  constructor(length: number) {
    this.owners = new Array<Owner | undefined>(length).fill(undefined);
  }

  isFree(line: number): boolean {
    return line < this.owners.length && this.owners[line] === undefined && !this.copied.has(line);
  }

  isChanged(line: number): boolean {
    return this.owners[line]?.kind === 'M';
  }

  /** The line is another line of history's: whoever owns it there. */
  copy(line: number, original: OriginalLine): void {
    this.copied.set(line, original);
  }

  /** @param why where the line was matched */
  give(line: number, kind: LineKind, origin: Origin, why?: LineExplanation): void {
    if (!this.isFree(line)) throw new AttributionError('lines-not-reconciled', `line ${line} has two owners`);
    this.owners[line] = { kind, origin, why };
  }

  /** Gives a line that counts as changed to a snippet that it was kept from. */
  giveKept(line: number, origin: Origin, why: LineExplanation): void {
    if (!this.isChanged(line)) {
      throw new AttributionError('lines-not-reconciled', `line ${line} was not changed from anything`);
    }
    this.owners[line] = { kind: 'P', origin, why };
  }

  giveRest(kind: LineKind, origin: Origin): void {
    for (let line = 0; line < this.owners.length; line++) {
      if (this.isFree(line)) this.give(line, kind, origin);
    }
  }

  /** The one origin of all lines in this file that no snippet explains and of which the same is said. */
  shared(origin: Omit<Origin, 'bits'>): Origin {
    const key = JSON.stringify([origin.evidence, origin.source, origin.model]);
    let shared = this.origins.get(key);
    if (!shared) this.origins.set(key, (shared = { ...origin, bits: 0 }));
    return shared;
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

  /** The owner of each line that was not copied. Throws where one has none. */
  settled(): (Owner & { readonly line: number })[] {
    return this.owners.flatMap((owner, line) => {
      if (this.copied.has(line)) return [];
      if (!owner) throw new AttributionError('lines-not-reconciled', `line ${line} has no owner`);
      return [{ ...owner, line }];
    });
  }

  /** @param numbers of each line in the file */
  copiedRanges(numbers: ArrayLike<number>): CopiedRange[] {
    const ranges: CopiedRange[] = [];
    for (const [line, { fromCommit, fromLine }] of [...this.copied].sort(([a], [b]) => a - b)) {
      const start = numbers[line]!;
      const last = ranges.at(-1);
      const follows =
        last?.fromCommit === fromCommit &&
        last.start + last.count === start &&
        (last.fromLine === undefined ? undefined : last.fromLine + last.count) === fromLine;
      if (follows) last.count++;
      else {
        ranges.push({
          start,
          count: 1,
          how: 'copied',
          fromCommit,
          ...(fromLine === undefined ? {} : { fromLine }),
        });
      }
    }
    return ranges;
  }
}

/**
 * The verdict on a file whose lines all have an owner.
 *
 * @param numbers of its attributable lines in the new file, from 0; undefined where it is excluded
 * @throws AttributionError `lines-not-reconciled`, or `candidates-malformed` where the event's own counts differ
 */
export function conclude(
  file: CandidateFile,
  numbers: Int32Array | undefined,
  ledger: FileLedger,
): AttributedFile {
  const owners = ledger.settled();
  const origins = [...new Set(owners.map((owner) => owner.origin))].sort(compareOrigins);
  const indexOf = new Map(origins.map((origin, index) => [origin, index]));
  const results = origins.map((origin) => ({ ...origin, preserved: 0, modified: 0, human: 0, suspect: 0 }));
  const ranges: LineRange[] = [];
  owners.forEach(({ kind, origin, line }) => {
    const number = numbers![line]!;
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
  const copied = numbers ? ledger.copiedRanges(numbers) : [];
  const inherited = [...file.inherited, ...copied].sort((a, b) => a.start - b.start);
  const inheritedLines = inherited.reduce((sum, range) => sum + range.count, 0);
  if (numbers && owners.length + inheritedLines + file.blankLines !== file.addedLines) {
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
    inherited,
    ...(file.excluded === undefined ? {} : { excluded: file.excluded }),
    results,
    lines: ranges,
    explanations: encodeExplanations(owners.flatMap(({ why }) => why ?? [])),
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
