import type { InheritedRange } from '@lineprint/contracts';
import { diff_core } from 'fast-myers-diff';
import { BLOCK_BITS, isTellingBlock, TELLING_BITS } from './telling-lines';

/** A removed or added line that is not blank. */
export interface ChangedLine {
  /** Number of the line in its file, from 0: of a removed line in the old file, of an added one in the new. */
  readonly line: number;
  /** Number of the line among those of its file that are not blank: neighbours differ by one. */
  readonly ordinal: number;
  /** Its print's hashes: exact, abstracted (for the frequency of its shape), and of its statement. */
  readonly h1: bigint;
  readonly h2: bigint;
  readonly h3: bigint;
  /** Bits of its tokens: what it says more than brackets and keywords do. */
  readonly bits: number;
}

/** One run of lines that a diff replaces by another. Either side may be empty. */
export interface ChangedHunk {
  readonly removed: readonly ChangedLine[];
  readonly added: readonly ChangedLine[];
}

export interface ChangedFile {
  readonly path: string;
  readonly oldPath?: string;
  /** In the order of the file. */
  readonly hunks: readonly ChangedHunk[];
}

/** Edited lines on either side, at most, between a block that moved and what else of it did. */
const EDITED_LINES = 4;
/** A line that was removed more often than this does not say where it went; it moves with its neighbours. */
const MAX_PLACES = 16;
/** Two sides of a hunk with more common lines than this are left to the search for moves. */
const MAX_CELLS = 4_000_000;

/**
 * The added lines of a commit that nobody wrote in it: they stood in its parent, and the commit removes them
 * there. Within a hunk, in order, they may differ in white space, a trailing comma and the like (equal H1), or
 * be the statement that a formatter wrapped anew (equal H3): `whitespace`. Elsewhere, in any file of the commit,
 * they are `moved` where at least three neighbours, or one longer statement, went together, the longest first.
 * Each removed line is inherited at most once. Copies of lines that stay do not count: somebody added them.
 *
 * Pure, and the same for any order of equal work: ties go to the place that comes first.
 *
 * @returns for each file the ranges of inherited lines, ascending, as the `candidates` event carries them
 */
export function inheritedLines(files: readonly ChangedFile[]): InheritedRange[][] {
  if (!files.some(({ hunks }) => hunks.some(({ removed }) => removed.length > 0))) return files.map(() => []);
  return new Inheritance(files).settle();
}

/** One side of the commit: the lines of all files one after another. */
interface Side {
  readonly lines: readonly ChangedLine[];
  /** Index of each line's file. */
  readonly file: Int32Array;
  /** 1 = the line follows the one before it in the same file, blank lines aside. */
  readonly follows: Uint8Array;
  /** For each hunk, in order: index of its first line; one more at the end. */
  readonly hunks: readonly number[];
}

interface Statement {
  readonly h3: bigint;
  /** Indices into `Side.lines`, both included. */
  readonly first: number;
  readonly last: number;
  readonly bits: number;
}

const isWrapped = ({ first, last }: Statement) => last > first;

/** Statements by their hash, the first one at the end of its list. */
function firstByHash(statements: readonly Statement[]): Map<bigint, Statement[]> {
  const lists = new Map<bigint, Statement[]>();
  for (const statement of [...statements].reverse()) {
    const list = lists.get(statement.h3);
    if (list) list.push(statement);
    else lists.set(statement.h3, [statement]);
  }
  return lists;
}

interface Run {
  readonly added: number;
  readonly removed: number;
  readonly length: number;
}

class Inheritance {
  private readonly removed: Side;
  private readonly added: Side;
  /** By index of the added line: index of the removed line that it was, -1 where it is new. */
  private readonly origin: Int32Array;
  private readonly isMoved: Uint8Array;
  private readonly isUsed: Uint8Array;

  constructor(private readonly files: readonly ChangedFile[]) {
    this.removed = sideOf(files, 'removed');
    this.added = sideOf(files, 'added');
    this.origin = new Int32Array(this.added.lines.length).fill(-1);
    this.isMoved = new Uint8Array(this.added.lines.length);
    this.isUsed = new Uint8Array(this.removed.lines.length);
  }

  settle(): InheritedRange[][] {
    const { added, removed } = this;
    for (let hunk = 0; hunk + 1 < added.hunks.length; hunk++) {
      const from = { first: removed.hunks[hunk]!, end: removed.hunks[hunk + 1]! };
      const to = { first: added.hunks[hunk]!, end: added.hunks[hunk + 1]! };
      if (from.first === from.end || to.first === to.end) continue;
      this.takeEqualLines(from, to);
      this.takeStatements(this.freeStatements('removed', from), this.freeStatements('added', to), false);
    }
    this.takeMoves();
    const whole = (side: Side) => ({ first: 0, end: side.lines.length });
    const isLong = ({ bits }: Statement) => bits >= BLOCK_BITS;
    this.takeStatements(
      this.freeStatements('removed', whole(removed)).filter(isLong),
      this.freeStatements('added', whole(added)).filter(isLong),
      true,
    );
    return this.ranges();
  }

  private inherit(added: number, removed: number, isMoved: boolean): void {
    this.origin[added] = removed;
    this.isMoved[added] = Number(isMoved);
    this.isUsed[removed] = 1;
  }

  private isFree(added: number, removed: number): boolean {
    return this.origin[added] === -1 && !this.isUsed[removed];
  }

  private isEqual(added: number, removed: number): boolean {
    return this.added.lines[added]!.h1 === this.removed.lines[removed]!.h1;
  }

  /** Equal lines of a hunk, in order. Of brackets alone only what all else of the hunk agrees with. */
  private takeEqualLines(from: Stretch, to: Stretch): void {
    // Lines of one side only cannot match, and would make the diff quadratic.
    const removed = common(this.removed, from, this.added, to);
    const added = common(this.added, to, this.removed, from);
    if (removed.length * added.length > MAX_CELLS) return;
    const runs: Run[] = [];
    const pair = (i: number, j: number) => {
      const run = runs.at(-1);
      if (run && run.added + run.length === j && run.removed + run.length === i) {
        runs[runs.length - 1] = { ...run, length: run.length + 1 };
      } else {
        runs.push({ added: j, removed: i, length: 1 });
      }
    };
    let x = 0;
    let y = 0;
    const isEqual = (i: number, j: number) => this.isEqual(added[j]!, removed[i]!);
    const end = [removed.length, removed.length, added.length, added.length] as const;
    for (const [start, stop, otherStart, otherStop] of [
      ...[...diff_core(0, removed.length, 0, added.length, isEqual)].map((region) => [...region] as const),
      end,
    ]) {
      while (x < start && y < otherStart) pair(removed[x++]!, added[y++]!);
      x = stop;
      y = otherStop;
    }
    const size = to.end - to.first;
    for (const run of runs) {
      if (run.length < size && !this.isTelling(run)) continue;
      for (let k = 0; k < run.length; k++) this.inherit(run.added + k, run.removed + k, false);
    }
  }

  private isTelling(run: Run): boolean {
    for (let k = 0; k < run.length; k++) {
      if (this.added.lines[run.added + k]!.bits >= TELLING_BITS) return true;
    }
    return false;
  }

  /** Neighbouring lines with one H3 of which none has been given away. */
  private freeStatements(which: 'added' | 'removed', { first, end }: Stretch): Statement[] {
    const { lines, follows } = this[which];
    const isTaken = (index: number) =>
      which === 'added' ? this.origin[index] !== -1 : this.isUsed[index] === 1;
    const statements: Statement[] = [];
    for (let start = first, stop = first + 1; start < end; start = stop++) {
      const { h1, h3 } = lines[start]!;
      let bits = lines[start]!.bits;
      let isOneFree = !isTaken(start);
      while (h1 !== h3 && stop < end && follows[stop] && lines[stop]!.h3 === h3) {
        bits += lines[stop]!.bits;
        isOneFree &&= !isTaken(stop);
        stop++;
      }
      if (isOneFree) statements.push({ h3, first: start, last: stop - 1, bits });
    }
    return statements;
  }

  /** Statements whose lines were wrapped anew; of several equal ones the first that is left. */
  private takeStatements(removed: readonly Statement[], added: readonly Statement[], isMoved: boolean): void {
    const wrapped = firstByHash(removed.filter(isWrapped));
    const single = firstByHash(removed.filter((statement) => !isWrapped(statement)));
    for (const statement of added) {
      const old =
        wrapped.get(statement.h3)?.pop() ??
        (isWrapped(statement) ? single.get(statement.h3)?.pop() : undefined);
      if (!old) continue;
      const count = old.last - old.first + 1;
      const share = count / (statement.last - statement.first + 1);
      for (let index = statement.first; index <= statement.last; index++) {
        this.inherit(index, old.first + Math.floor((index - statement.first) * share), isMoved);
      }
      for (let index = old.first; index <= old.last; index++) this.isUsed[index] = 1;
    }
  }

  /** Runs that were removed together and stand together again, the longest first. */
  private takeMoves(): void {
    const byLength: Run[][] = [];
    const weak: Run[] = [];
    const keep = (run: Run) => {
      if (this.isMove(run)) (byLength[run.length] ??= []).push(run);
      else weak.push(run);
    };
    for (const run of this.equalRuns()) keep(run);
    for (let length = byLength.length - 1; length > 0; length--) {
      for (const run of (byLength[length] ?? []).sort(compareRuns)) {
        const free = this.freePartsOf(run);
        if (free.length === 1 && free[0]!.length === length) {
          this.takeRun(run);
        } else {
          // What an earlier run has left of this one is shorter, so that its turn is still to come.
          free.forEach(keep);
        }
      }
    }
    // What an edit has cut off from a block that moved goes with it.
    for (const run of weak.sort(compareRuns)) {
      for (const part of this.freePartsOf(run)) if (this.isBesideMove(part)) this.takeRun(part);
    }
  }

  private takeRun({ added, removed, length }: Run): void {
    for (let k = 0; k < length; k++) this.inherit(added + k, removed + k, true);
  }

  private isBesideMove({ added, removed, length }: Run): boolean {
    const isMoved = (j: number, i: number) => this.isMoved[j] === 1 && this.origin[j] === i;
    for (let j = 1; j <= EDITED_LINES; j++) {
      for (let i = 1; i <= EDITED_LINES; i++) {
        if (isMoved(added - j, removed - i) || isMoved(added + length - 1 + j, removed + length - 1 + i))
          return true;
      }
    }
    return false;
  }

  private isMove({ added, length }: Run): boolean {
    return isTellingBlock(this.added.lines.slice(added, added + length).map(({ bits }) => bits));
  }

  /** Each longest run of equal lines once. */
  private *equalRuns(): Generator<Run> {
    const { added, removed } = this;
    const places = new Map<bigint, number[]>();
    removed.lines.forEach(({ h1, bits }, index) => {
      if (bits < TELLING_BITS || this.isUsed[index]) return;
      const list = places.get(h1);
      if (list) list.push(index);
      else places.set(h1, [index]);
    });
    /** By distance of the two indices: where the last run found there ends. */
    const walkedTo = new Map<number, number>();
    const belongs = (j: number, i: number) => this.isFree(j, i) && this.isEqual(j, i);
    for (let j = 0; j < added.lines.length; j++) {
      const list = places.get(added.lines[j]!.h1) ?? [];
      if (list.length > MAX_PLACES) continue;
      for (const i of list) {
        if ((walkedTo.get(j - i) ?? 0) > j || !belongs(j, i)) continue;
        let first = 0;
        while (
          added.follows[j + first] &&
          removed.follows[i + first] &&
          belongs(j + first - 1, i + first - 1)
        )
          first--;
        let end = 1;
        while (added.follows[j + end] && removed.follows[i + end] && belongs(j + end, i + end)) end++;
        walkedTo.set(j - i, j + end);
        yield { added: j + first, removed: i + first, length: end - first };
      }
    }
  }

  private freePartsOf(run: Run): Run[] {
    const parts: Run[] = [];
    for (let k = 0, length = 0; k <= run.length; k++) {
      if (k < run.length && this.isFree(run.added + k, run.removed + k)) {
        length++;
      } else if (length > 0) {
        parts.push({ added: run.added + k - length, removed: run.removed + k - length, length });
        length = 0;
      }
    }
    return parts;
  }

  private ranges(): InheritedRange[][] {
    const ranges: InheritedRange[][] = this.files.map(() => []);
    this.origin.forEach((removed, index) => {
      if (removed === -1) return;
      const { line } = this.added.lines[index]!;
      const fromLine = this.removed.lines[removed]!.line;
      const how = this.isMoved[index] ? 'moved' : 'whitespace';
      const to = this.added.file[index]!;
      const from = this.removed.file[removed]!;
      const fromFile = from === to ? undefined : (this.files[from]!.oldPath ?? this.files[from]!.path);
      const last = ranges[to]!.at(-1);
      if (
        last &&
        last.how === how &&
        last.fromFile === fromFile &&
        last.start + last.count === line &&
        last.fromLine + last.count === fromLine
      ) {
        last.count++;
      } else {
        ranges[to]!.push({
          start: line,
          count: 1,
          how,
          ...(fromFile === undefined ? {} : { fromFile }),
          fromLine,
        });
      }
    });
    return ranges;
  }
}

interface Stretch {
  readonly first: number;
  readonly end: number;
}

function sideOf(files: readonly ChangedFile[], which: 'added' | 'removed'): Side {
  const lines: ChangedLine[] = [];
  const file: number[] = [];
  const follows: number[] = [];
  const hunks: number[] = [];
  files.forEach((changed, index) => {
    for (const hunk of changed.hunks) {
      hunks.push(lines.length);
      for (const line of hunk[which]) {
        const isNext = file.at(-1) === index && lines.at(-1)!.ordinal + 1 === line.ordinal;
        follows.push(Number(isNext));
        lines.push(line);
        file.push(index);
      }
    }
  });
  return {
    lines,
    file: Int32Array.from(file),
    follows: Uint8Array.from(follows),
    hunks: [...hunks, lines.length],
  };
}

/** Indices of the lines of one stretch that the other has too. */
function common(side: Side, { first, end }: Stretch, other: Side, stretch: Stretch): number[] {
  const known = new Set<bigint>();
  for (let index = stretch.first; index < stretch.end; index++) known.add(other.lines[index]!.h1);
  const indices: number[] = [];
  for (let index = first; index < end; index++) if (known.has(side.lines[index]!.h1)) indices.push(index);
  return indices;
}

function compareRuns(a: Run, b: Run): number {
  return a.added - b.added || a.removed - b.removed;
}
