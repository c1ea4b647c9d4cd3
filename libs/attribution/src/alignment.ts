import { diff_core } from 'fast-myers-diff';
import { UNKNOWN, type FileLines, type SnippetLines, type Statement } from './lines';

/**
 * Why a line is taken for a snippet's: equal tokens (`line`), a statement of equal tokens over other lines
 * (`statement`), equal but for names, strings and numbers (`shape`), similar tokens (`similar`), similar to what
 * stands on more, or fewer, lines (`reflow`), or equal tokens where the lines around show its place (`surroundings`).
 */
export const MATCH_RULES = ['line', 'statement', 'shape', 'similar', 'reflow', 'surroundings'] as const;
export type MatchRule = (typeof MATCH_RULES)[number];

/** Whether a line that was matched by the rule was kept as it was, or changed. */
export function isKept(rule: MatchRule): boolean {
  return rule === 'line' || rule === 'statement' || rule === 'surroundings';
}

/** One line of the file that a snippet explains. Indices are into `FileLines` and `SnippetLines`. */
export interface MatchedLine {
  readonly fileLine: number;
  readonly snippetLine: number;
  /** The last snippet line that the match uses up: a statement may stand on fewer lines than before. */
  readonly snippetLast: number;
  readonly rule: MatchRule;
  /** Evidence of this line, in bits. */
  readonly bits: number;
}

// The numbers of this file are those of docs/engine.md, section 4; docs/decisions/0015 says what each is worth.

/** A re-wrapped statement says a little less than unchanged lines. */
const STATEMENT_SHARE = 0.9;
/** Bits a run needs to anchor the alignment; weaker lines count only between anchors. */
const ANCHOR_BITS = { exact: 9, abstract: 12 };
/** What an agreeing neighbour outside the snippet is worth, in bits. */
export const CONTEXT_BITS = 9;
/**
 * A line that occurs more often in the file starts no run (runs still pass through it), and a statement that
 * does is not looked for re-wrapped: its evidence is nearly nothing, and trying all places is quadratic.
 */
const MAX_PLACES = 64;
/** Lines around the outermost anchors that may belong to the snippet, beyond what it has left. */
const GAP_SLACK = 6;
/** A line that strayed from its place among the snippet's lines is looked for this near to what is matched. */
const STRAY_REACH = 3;
/** Bits from which a stray line needs no matched neighbours. */
const STRAY_BITS = 4;
/** One line may have become this many. */
const MAX_REFLOW = 8;
/** Similarity from which lines are taken for a reflowed one. */
const REFLOW_SIMILARITY = 0.7;
/** Of lines that are one on the other side, each must be in it with this share of its tokens. */
const MIN_CONTAINED = 0.75;
/** What each further line of a reflow adds, as a share of its similarity. */
const REFLOW_BONUS = 0.5;
/** Both diff and pairing are quadratic: larger gaps are left alone. */
const MAX_GAP_CELLS = 40_000;

/**
 * Places the free lines of a snippet on the free lines of a file: anchors first (runs of equal lines,
 * then of equal shape, then re-wrapped statements; in any order), then the gaps between the anchors.
 * Returns the matches in the order of the file, each line of either side at most once, except that a
 * statement over more lines than before repeats its last snippet line.
 */
export function alignSnippet(snippet: SnippetLines, file: FileLines, lineSimilarity: number): MatchedLine[] {
  const alignment = new Alignment(snippet, file, lineSimilarity);
  alignment.placeRuns('exact');
  alignment.placeRuns('abstract');
  alignment.placeStatements();
  alignment.fillGaps();
  alignment.placeStrays();
  return alignment.matches();
}

type Relation = 'exact' | 'abstract';

/** Equal neighbouring lines: snippet lines from `i`, file lines from `j`. */
interface Run {
  readonly i: number;
  readonly j: number;
  readonly length: number;
  readonly bits: number;
  /** Agreeing lines just outside, which tell equal runs apart. */
  readonly neighbours: number;
}

/** Placed lines `[i, iEnd)` of the snippet on `[j, jEnd)` of the file. */
interface Anchor {
  readonly i: number;
  readonly iEnd: number;
  readonly j: number;
  readonly jEnd: number;
}

class Alignment {
  /** For each file line its match, if any; for each snippet line whether it is used. */
  private readonly matched: (MatchedLine | undefined)[];
  private readonly used: Uint8Array;
  private readonly anchors: Anchor[] = [];

  constructor(
    private readonly snippet: SnippetLines,
    private readonly file: FileLines,
    private readonly lineSimilarity: number,
  ) {
    this.matched = new Array<MatchedLine | undefined>(file.length);
    this.used = Uint8Array.from(snippet.taken);
  }

  matches(): MatchedLine[] {
    return this.matched.filter((match) => match !== undefined);
  }

  placeRuns(relation: Relation): void {
    const runs = this.findRuns(relation, ANCHOR_BITS[relation]).sort(
      (a, b) =>
        b.bits - a.bits || b.length - a.length || b.neighbours - a.neighbours || a.i - b.i || a.j - b.j,
    );
    for (const run of runs) {
      // Better runs may have taken parts of this one: each part that is left must carry itself.
      for (let k = 0; k < run.length; k++) {
        const start = k;
        while (k < run.length && this.isFree(run.i + k, run.j + k)) k++;
        if (k > start) this.placeRun(run.i + start, run.j + start, k - start, ANCHOR_BITS[relation]);
      }
    }
  }

  placeStatements(): void {
    const done = new Set<Statement>();
    for (const source of this.snippet.statements) {
      // H3 speaks for the whole statement: of one that partly went to other lines, nothing can be placed.
      if (anyLine(source, (i) => this.snippet.taken[i] === 1)) continue;
      if (!anyLine(source, (i) => !this.used[i])) continue;
      const places = this.file.statementsAt.get(source.id);
      if (!places || places.length > MAX_PLACES) continue;
      const target = places.find(
        (statement) =>
          !done.has(statement) &&
          (isWrapped(statement) || isWrapped(source)) &&
          anyLine(statement, (j) => this.isFreeInFile(j)),
      );
      if (!target) continue;
      done.add(target);
      for (let j = target.first; j <= target.last; j++) {
        if (!this.isFreeInFile(j)) continue;
        const i = Math.min(source.last, source.first + j - target.first);
        const snippetLast = j === target.last ? source.last : i;
        this.place(i, j, 'statement', this.file.weight[j]! * STATEMENT_SHARE, snippetLast);
      }
      // All of the statement is used, however many lines it has now.
      this.used.fill(1, source.first, source.last + 1);
      this.anchors.push({ i: source.first, iEnd: source.last + 1, j: target.first, jEnd: target.last + 1 });
    }
  }

  fillGaps(): void {
    const anchors = this.anchors.sort((a, b) => a.j - b.j || a.i - b.i);
    const first = anchors[0];
    const last = anchors.at(-1);
    if (!first || !last) return;
    for (let k = 0; k + 1 < anchors.length; k++) {
      const a = anchors[k]!;
      const b = anchors[k + 1]!;
      if (b.i >= a.iEnd) {
        this.fillGap(a.iEnd, b.i, a.jEnd, b.j);
      } else {
        // Reordered: the lines between belong to the end of the one or the start of the other.
        const reach = b.j - a.jEnd + 2;
        this.fillGap(a.iEnd, Math.min(this.snippet.length, a.iEnd + reach), a.jEnd, b.j);
        this.fillGap(Math.max(0, b.i - reach), b.i, a.jEnd, b.j);
      }
    }
    this.fillGap(0, first.i, Math.max(0, first.j - first.i - GAP_SLACK), first.j);
    const rest = this.snippet.length - last.iEnd;
    this.fillGap(
      last.iEnd,
      this.snippet.length,
      last.jEnd,
      Math.min(this.file.length, last.jEnd + rest + GAP_SLACK),
    );
  }

  /** Equal lines that have left their place among the snippet's others: gaps between anchors do not cross. */
  placeStrays(): void {
    const free = new Map<number, number[]>();
    for (let i = this.snippet.length - 1; i >= 0; i--) {
      const id = this.snippet.exact[i]!;
      if (id === UNKNOWN || this.used[i]) continue;
      const lines = free.get(id);
      if (lines) lines.push(i);
      else free.set(id, [i]);
    }
    if (free.size === 0) return;
    const nearby = new Set<number>();
    for (const { j, jEnd } of this.anchors) {
      const end = Math.min(this.file.length, jEnd + STRAY_REACH);
      for (let line = Math.max(0, j - STRAY_REACH); line < end; line++) nearby.add(line);
    }
    for (const j of [...nearby].sort((a, b) => a - b)) {
      const lines = free.get(this.file.exact[j]!);
      if (!lines || lines.length === 0 || !this.isFreeInFile(j)) continue;
      const isBetween = this.matched[j - 1] !== undefined && this.matched[j + 1] !== undefined;
      if (isBetween || this.file.weight[j]! >= STRAY_BITS) {
        this.place(lines.pop()!, j, 'line', this.file.weight[j]!);
      }
    }
  }

  private isFreeInFile(j: number): boolean {
    return !this.file.taken[j] && this.matched[j] === undefined;
  }

  private isFree(i: number, j: number): boolean {
    return !this.used[i] && this.isFreeInFile(j);
  }

  /** Equal in H1 or, more loosely, in H2. Out of range is equal to nothing. */
  private isEqual(relation: Relation, i: number, j: number): boolean {
    const left = this.snippet[relation][i];
    return left !== undefined && left !== UNKNOWN && left === this.file[relation][j];
  }

  private place(i: number, j: number, rule: MatchRule, bits: number, snippetLast = i): void {
    this.matched[j] = { fileLine: j, snippetLine: i, snippetLast, rule, bits };
    this.used.fill(1, i, snippetLast + 1);
  }

  /** Bits of two lines of at least one shape: tokens that they share say more than a common shape. */
  private equalBits(i: number, j: number): number {
    if (this.isEqual('exact', i, j)) return this.file.weight[j]!;
    const alike = this.file.weight[j]! * similarShare(this.similarity(i, 1, j, 1));
    return Math.max(this.file.abstractWeight[j]!, alike);
  }

  private placeEqual(i: number, j: number): void {
    this.place(i, j, this.isEqual('exact', i, j) ? 'line' : 'shape', this.equalBits(i, j));
  }

  private contextBits(i: number, j: number, length: number): number {
    const { snippet, file } = this;
    const before = i === 0 && snippet.before !== UNKNOWN && file.before[j] === snippet.before;
    const end = j + length - 1;
    const after =
      i + length === snippet.length && snippet.after !== UNKNOWN && file.after[end] === snippet.after;
    return (before ? CONTEXT_BITS : 0) + (after ? CONTEXT_BITS : 0);
  }

  /** Each longest run once, but for those too weak to anchor: no part of one has more bits than the whole. */
  private findRuns(relation: Relation, anchorBits: number): Run[] {
    const runs: Run[] = [];
    const ids = this.snippet[relation];
    const places = relation === 'exact' ? this.file.exactAt : this.file.abstractAt;
    /** By `j - i`: the end, in the snippet, of the last run found there. Walking a run again is quadratic. */
    const walkedTo = new Map<number, number>();
    const belongs = (i: number, j: number) => this.isEqual(relation, i, j) && this.isFree(i, j);
    for (let i = 0; i < this.snippet.length; i++) {
      const found = ids[i] === UNKNOWN ? undefined : places.get(ids[i]!);
      if (!found || found.length > MAX_PLACES) continue;
      for (const j of found) {
        if ((walkedTo.get(j - i) ?? 0) > i || !belongs(i, j)) continue;
        // A run is found from its first rare line.
        let back = 0;
        while (belongs(i - back - 1, j - back - 1)) back++;
        const start = { i: i - back, j: j - back };
        let length = 0;
        let bits = 0;
        while (belongs(start.i + length, start.j + length)) {
          bits += this.equalBits(start.i + length, start.j + length);
          length++;
        }
        walkedTo.set(j - i, start.i + length);
        bits += this.contextBits(start.i, start.j, length);
        if (bits < anchorBits) continue;
        const neighbours =
          Number(this.isEqual('abstract', start.i - 1, start.j - 1)) +
          Number(this.isEqual('abstract', start.i + length, start.j + length));
        runs.push({ ...start, length, bits, neighbours });
      }
    }
    return runs;
  }

  private placeRun(i: number, j: number, length: number, anchorBits: number): void {
    let bits = this.contextBits(i, j, length);
    for (let k = 0; k < length; k++) bits += this.equalBits(i + k, j + k);
    if (bits < anchorBits) return;
    for (let k = 0; k < length; k++) this.placeEqual(i + k, j + k);
    this.anchors.push({ i, iEnd: i + length, j, jEnd: j + length });
  }

  /** Equal lines in order, by diff; what the diff says was replaced is paired by similarity. */
  private fillGap(i: number, iEnd: number, j: number, jEnd: number): void {
    if (i >= iEnd || j >= jEnd || (iEnd - i) * (jEnd - j) > MAX_GAP_CELLS) return;
    const isEqual = (x: number, y: number) =>
      this.isFree(x, y) && (this.isEqual('exact', x, y) || this.isEqual('abstract', x, y));
    const replaced = [...diff_core(i, iEnd - i, j, jEnd - j, isEqual)].map((region) => [...region] as const);
    let x = i;
    let y = j;
    for (const [start, end, fileStart, fileEnd] of [...replaced, [iEnd, iEnd, jEnd, jEnd] as const]) {
      while (x < start && y < fileStart) this.placeEqual(x++, y++);
      this.pairSimilar(start, end, fileStart, fileEnd);
      x = end;
      y = fileEnd;
    }
  }

  /**
   * The pairing in order with the largest sum of similarities: line by line, or one line with the several that a
   * formatter made of it, or the other way round.
   */
  private pairSimilar(i: number, iEnd: number, j: number, jEnd: number): void {
    const { snippet, file } = this;
    const rows = iEnd - i;
    const width = jEnd - j + 1;
    if (rows <= 0 || width <= 1) return;
    const best = new Float64Array((rows + 1) * width);
    /** By cell: how many lines of the snippet, and of the file, its best value pairs last; 0 skips one. */
    const snippetStep = new Uint8Array(best.length);
    const fileStep = new Uint8Array(best.length);
    for (let x = 1; x <= rows; x++) {
      for (let y = 1; y < width; y++) {
        const at = x * width + y;
        best[at] = Math.max(best[at - 1]!, best[at - width]!);
        const offer = (snippetLines: number, fileLines: number, least: number) => {
          const alike = this.similarity(i + x - snippetLines, snippetLines, j + y - fileLines, fileLines);
          if (alike < least) return;
          const bonus = 1 + REFLOW_BONUS * (fileLines - 1);
          const value = best[at - snippetLines * width - fileLines]! + alike * bonus;
          if (value <= best[at]!) return;
          best[at] = value;
          snippetStep[at] = snippetLines;
          fileStep[at] = fileLines;
        };
        const last = i + x - 1;
        const fileLast = j + y - 1;
        if (!this.isFree(last, fileLast)) continue;
        offer(1, 1, this.lineSimilarity);
        for (let k = 0; k < Math.min(MAX_REFLOW, y); k++) {
          if (!this.isFreeInFile(fileLast - k) || !isPart(file.bloom, fileLast - k, snippet.bloom, last))
            break;
          if (k > 0) offer(1, k + 1, REFLOW_SIMILARITY);
        }
        for (let k = 0; k < Math.min(MAX_REFLOW, x); k++) {
          if (this.used[last - k] || !isPart(snippet.bloom, last - k, file.bloom, fileLast)) break;
          if (k > 0) offer(k + 1, 1, REFLOW_SIMILARITY);
        }
      }
    }
    for (let x = rows, y = width - 1; x > 0 && y > 0;) {
      const at = x * width + y;
      const fileLines = fileStep[at]!;
      if (fileLines === 0) {
        if (best[at] === best[at - 1]) y--;
        else x--;
        continue;
      }
      x -= snippetStep[at]!;
      y -= fileLines;
      this.placeSimilar(i + x, snippetStep[at]!, j + y, fileLines);
    }
  }

  private placeSimilar(i: number, snippetLines: number, j: number, fileLines: number): void {
    const share = similarShare(this.similarity(i, snippetLines, j, fileLines));
    const rule = snippetLines + fileLines > 2 ? 'reflow' : 'similar';
    for (let k = j; k < j + fileLines; k++) {
      this.place(i, k, rule, this.file.weight[k]! * share, i + snippetLines - 1);
    }
  }

  /** Jaccard similarity of the bits of the token Blooms of some lines of the snippet and some of the file. */
  private similarity(i: number, snippetLines: number, j: number, fileLines: number): number {
    let low = 0;
    let high = 0;
    for (let k = i; k < i + snippetLines; k++) {
      low |= this.snippet.bloom[k * 2]!;
      high |= this.snippet.bloom[k * 2 + 1]!;
    }
    let fileLow = 0;
    let fileHigh = 0;
    for (let k = j; k < j + fileLines; k++) {
      fileLow |= this.file.bloom[k * 2]!;
      fileHigh |= this.file.bloom[k * 2 + 1]!;
    }
    const either = countBits(low | fileLow) + countBits(high | fileHigh);
    return either === 0 ? 0 : (countBits(low & fileLow) + countBits(high & fileHigh)) / either;
  }
}

/**
 * Share of a line's evidence that a merely similar line is worth. Jaccard is put on the scale of the
 * share of common tokens first; below .4 of it two lines of one language are alike by chance.
 */
function similarShare(jaccard: number): number {
  return Math.max(0, (2 * jaccard) / (1 + jaccard) - 0.4) * 0.4;
}

/** Whether a line's tokens are mostly among another's. */
function isPart(bloom: Uint32Array, line: number, whole: Uint32Array, wholeLine: number): boolean {
  const low = bloom[line * 2]!;
  const high = bloom[line * 2 + 1]!;
  const shared = countBits(low & whole[wholeLine * 2]!) + countBits(high & whole[wholeLine * 2 + 1]!);
  return shared > 0 && shared >= MIN_CONTAINED * (countBits(low) + countBits(high));
}

function countBits(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function isWrapped(statement: Statement): boolean {
  return statement.last > statement.first;
}

function anyLine(statement: Statement, holds: (line: number) => boolean): boolean {
  for (let line = statement.first; line <= statement.last; line++) if (holds(line)) return true;
  return false;
}
