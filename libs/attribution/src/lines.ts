import type { CandidateFile } from '@lineprint/contracts';
import { linePrintsFromBase64, printedLinesFromBase64, type LinePrint } from '@lineprint/fingerprint';
import { AttributionError } from './attribution-error';
import { decodeContextLines, LEFT_OUT } from './context-lines';
import { assertEvidence, contextWeights, lineWeights } from './line-weights';
import type { Snippet } from './snippet';

/** Id of a hash that does not occur in the commit: it equals nothing, not even itself. */
export const UNKNOWN = -1;

/** Id of the line before the first one, and after the last one, of a file. It equals nothing either. */
export const NONE = -2;

/** The lines of one side of an alignment, as parallel arrays. Hashes are small ids, see `HashIds`. */
export interface Lines {
  readonly length: number;
  /** Number of each line in its text, from 0: the new file, or the snippet. */
  readonly numbers: Int32Array;
  /** Ids of H1, H2 and H3. H1 and H3 share one space: a re-wrapped statement's H3 is the one-liner's H1. */
  readonly exact: Int32Array;
  readonly abstract: Int32Array;
  readonly statement: Int32Array;
  /** Two words of the token Bloom a line. */
  readonly bloom: Uint32Array;
  readonly statements: readonly Statement[];
  /** 1 = already given away by the assignment. */
  readonly taken: Uint8Array;
}

/** A statement over several lines, or a one-line statement: indices into `Lines`, both included. */
export interface Statement {
  readonly id: number;
  readonly first: number;
  readonly last: number;
}

export interface FileLines extends Lines {
  /** Evidence of each line, in bits. */
  readonly weight: Float64Array;
  /** Evidence of each line's shape alone. */
  readonly abstractWeight: Float64Array;
  /** Exact id of the non-blank line before and after each line in the new file, `NONE` at its ends. */
  readonly before: Int32Array;
  readonly after: Int32Array;
  /** The commit wrote all of it. */
  readonly isNew: boolean;
  readonly surroundings: Surroundings;
  /** Where each id occurs, ascending. */
  readonly exactAt: ReadonlyMap<number, readonly number[]>;
  readonly abstractAt: ReadonlyMap<number, readonly number[]>;
  readonly statementsAt: ReadonlyMap<number, readonly Statement[]>;
}

/** The attributable lines of a file among those around them, in the order of the new file. */
export interface Surroundings {
  /** Exact ids; `UNKNOWN` stands where lines were left out. */
  readonly exact: Int32Array;
  readonly weight: Float64Array;
  /** Index of each into the attributable lines, -1 where it is none. */
  readonly own: Int32Array;
  /** The other way round: where each attributable line is in here. */
  readonly place: Int32Array;
}

export interface SnippetLines extends Lines {
  /** Exact ids of the non-blank lines around it when it was accepted, `NONE` where it named none. */
  readonly before: number;
  readonly after: number;
}

/** Gives the 64-bit hashes of one commit small ids, because comparing bigints in inner loops is slow. */
export class HashIds {
  private readonly exact = new Map<bigint, number>();
  private readonly abstract = new Map<bigint, number>();

  /** Decodes a file's attributable lines. Throws `candidates-malformed` where the event contradicts itself. */
  fileLines(file: CandidateFile, repositoryLines: number): FileLines {
    const prints = linePrintsFromBase64(file.linePrints);
    const weights = lineWeights(file, prints.length, repositoryLines);
    const lines = packLines(
      prints,
      (hash) => add(this.exact, hash),
      (hash) => add(this.abstract, hash),
    );
    const before = new Int32Array(prints.length).fill(UNKNOWN);
    const after = new Int32Array(prints.length).fill(UNKNOWN);
    assertHunks(file, prints.length);
    for (const hunk of file.hunks) {
      for (let j = hunk.first; j <= hunk.last; j++) {
        before[j] = j > hunk.first ? lines.exact[j - 1]! : this.addHex(hunk.before);
        after[j] = j < hunk.last ? lines.exact[j + 1]! : this.addHex(hunk.after);
      }
    }
    const statementsAt = new Map<number, Statement[]>();
    for (const statement of lines.statements) append(statementsAt, statement.id, statement);
    return {
      ...lines,
      weight: weights.exact,
      abstractWeight: weights.abstract,
      before,
      after,
      isNew: file.hunks.length === 1 && before[0] === NONE && after.at(-1) === NONE,
      surroundings: this.surroundings(file, prints, lines.exact, weights.exact, repositoryLines),
      exactAt: positions(lines.exact),
      abstractAt: positions(lines.abstract),
      statementsAt,
    };
  }

  /** Lines of a snippet in the ids of the files seen so far: call it after `fileLines` of every file. */
  snippetLines(snippet: Snippet, prints: readonly LinePrint[]): SnippetLines {
    const exactOf = (hash: bigint) => this.exact.get(hash) ?? UNKNOWN;
    const lines = packLines(prints, exactOf, (hash) => this.abstract.get(hash) ?? UNKNOWN);
    return {
      ...lines,
      before: snippet.before === null ? NONE : exactOf(BigInt(`0x${snippet.before}`)),
      after: snippet.after === null ? NONE : exactOf(BigInt(`0x${snippet.after}`)),
    };
  }

  private addHex(hash: string | undefined): number {
    return hash === undefined ? NONE : add(this.exact, BigInt(`0x${hash}`));
  }

  private surroundings(
    file: CandidateFile,
    prints: readonly LinePrint[],
    exact: Int32Array,
    weight: Float64Array,
    repositoryLines: number,
  ): Surroundings {
    const around = this.contextOf(file, prints, repositoryLines);
    const own = prints.map(({ line }, j) => ({ line, id: exact[j]!, weight: weight[j]!, own: j }));
    const all = [...own, ...around].sort((a, b) => a.line - b.line);
    const place = new Int32Array(prints.length);
    all.forEach((entry, x) => {
      if (entry.own >= 0) place[entry.own] = x;
    });
    return {
      exact: Int32Array.from(all, ({ id }) => id),
      weight: Float64Array.from(all, (entry) => entry.weight),
      own: Int32Array.from(all, (entry) => entry.own),
      place,
    };
  }

  /** What stands around the lines: the file's context or, without one, the neighbours that its hunks name. */
  private contextOf(file: CandidateFile, prints: readonly LinePrint[], repositoryLines: number) {
    if (!file.context) {
      return file.hunks.flatMap(({ first, last, before, after }) => [
        { line: prints[first]!.line - 0.5, id: this.addHex(before), weight: 0, own: -1 },
        { line: prints[last]!.line + 0.25, id: this.addHex(after), weight: 0, own: -1 },
      ]);
    }
    const lines = decodeContextLines(file.context.lines);
    const weight = contextWeights(file.context, lines.length, repositoryLines);
    return lines.map(({ line, h1 }, x) => ({
      line,
      id: h1 === LEFT_OUT ? UNKNOWN : add(this.exact, h1),
      weight: weight[x]!,
      own: -1,
    }));
  }
}

/**
 * Numbers of a file's attributable lines in the new file, from 0: all that is asked of one in which nothing is looked
 * for. Throws `candidates-malformed` where the event contradicts itself.
 */
export function lineNumbers(file: CandidateFile): Int32Array {
  const numbers = printedLinesFromBase64(file.linePrints);
  assertEvidence(file, numbers.length);
  assertHunks(file, numbers.length);
  return numbers;
}

function assertHunks({ hunks, path }: CandidateFile, lines: number): void {
  if (hunks.every(({ first, last }) => first <= last && last < lines)) return;
  throw new AttributionError('candidates-malformed', `a hunk ends after the last line of ${path}`);
}

function add(ids: Map<bigint, number>, hash: bigint): number {
  let id = ids.get(hash);
  if (id === undefined) ids.set(hash, (id = ids.size));
  return id;
}

function append<V>(lists: Map<number, V[]>, key: number, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function positions(ids: Int32Array): Map<number, number[]> {
  const at = new Map<number, number[]>();
  ids.forEach((id, j) => append(at, id, j));
  return at;
}

function packLines(
  prints: readonly LinePrint[],
  exactOf: (hash: bigint) => number,
  abstractOf: (hash: bigint) => number,
): Lines {
  const bloom = new Uint32Array(prints.length * 2);
  prints.forEach((print, i) => {
    bloom[i * 2] = Number(print.bloom & 0xffff_ffffn);
    bloom[i * 2 + 1] = Number(print.bloom >> 32n);
  });
  const exact = Int32Array.from(prints, (print) => exactOf(print.h1));
  const statement = Int32Array.from(prints, (print) => exactOf(print.h3));
  return {
    length: prints.length,
    numbers: Int32Array.from(prints, (print) => print.line),
    exact,
    abstract: Int32Array.from(prints, (print) => abstractOf(print.h2)),
    statement,
    bloom,
    statements: findStatements(prints, statement),
    taken: new Uint8Array(prints.length),
  };
}

/** Neighbouring lines with one H3 are one statement; a line whose H3 is its H1 is a statement of its own. */
function findStatements(prints: readonly LinePrint[], ids: Int32Array): Statement[] {
  const statements: Statement[] = [];
  let tokens = 0;
  for (let first = 0, end = 1; first < prints.length; first = end++) {
    const { h1, h3 } = prints[first]!;
    tokens = prints[first]!.tokens;
    if (h1 !== h3) {
      while (end < prints.length && prints[end]!.h3 === h3) tokens += prints[end++]!.tokens;
    }
    const id = ids[first]!;
    if (id !== UNKNOWN && tokens >= MIN_STATEMENT_TOKENS) statements.push({ id, first, last: end - 1 });
  }
  return statements;
}

/** Statements shorter than this are everywhere and prove nothing. */
const MIN_STATEMENT_TOKENS = 4;
