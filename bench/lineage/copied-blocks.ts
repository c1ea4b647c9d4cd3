import type { FileLineage, TreeLineage } from '@lineprint/attribution';
import type { CommitFile, InheritedRange } from '@lineprint/contracts';
import type { CommitContent } from '@lineprint/git';
import type { InheritanceRule } from './follow-history';

type LineId = number;

/** Neighbouring added lines of a file. */
interface Piece {
  /** Index of the file in its commit. */
  readonly file: number;
  /** Number of the first line in the file, from 0. */
  readonly start: number;
  readonly ids: readonly LineId[];
}

/** Lines of a piece that stand in a file of the parent as well. */
interface Block {
  readonly path: string;
  /** Number of the first line in that file, from 0, and in the piece. */
  readonly fromLine: number;
  readonly at: number;
  readonly count: number;
}

/** Lines of one copied block that still stand one below the other. */
export interface StandingBlock {
  /** Number of the first line in the file as it is now, from 0. */
  readonly start: number;
  readonly count: number;
  /** The commit that has copied it, and to which file. */
  readonly commit: string;
  readonly path: string;
  /** Number of the first line in that file then, from 0. */
  readonly line: number;
  /** Letters and digits that are left. */
  readonly score: number;
}

const LETTERS_AND_DIGITS = /[0-9A-Za-z]/g;

/**
 * The moves and copies that `git blame -M<score> -C<score> -C -C` follows: neighbouring added lines of a commit that stand
 * in any file of its parent with the same characters, at least `score` letters and digits of them. The file's own past
 * comes first, then all others; of several places the one that has most of the lines counts, of equal ones the last in
 * the order of paths.
 *
 * Git looks from the lines that are left at the commit it is asked about, this from the commit that copied them: so what
 * was edited later is followed here and not by git (`standing`). And git compares the added lines with a file by one
 * diff, which may cross a copy; here each copy is found.
 */
export class CopiedBlocks implements InheritanceRule {
  private readonly ids = new Map<string, LineId>();
  private readonly scores: number[] = [];
  /** By commit and path: the lines that the commit has added to the file, by their numbers. */
  private readonly added = new Map<string, Map<string, readonly LineId[]>>();
  private readonly copied = new Map<string, Map<string, readonly InheritedRange[]>>();
  private readonly texts = new WeakMap<FileLineage, Int32Array>();

  /** @param score letters and digits that a block has at least */
  constructor(readonly score: number) {}

  inherited({ sha, parents, files }: CommitContent, parent: TreeLineage): InheritedRange[][] {
    const lines = files.map((file) => this.addedLines(file));
    this.added.set(sha, new Map(files.map(({ path }, i) => [path, lines[i]!])));
    if (parents.length !== 1) return [];
    const ranges: InheritedRange[][] = files.map(() => []);
    const pieces = files.flatMap(({ hunks }, file) =>
      hunks.flatMap(({ newStart, newLines }) => {
        const start = newStart - 1;
        return this.longEnough({ file, start, ids: lines[file]!.slice(start, start + newLines) });
      }),
    );
    const take = (piece: Piece, { path, fromLine, at, count }: Block) =>
      ranges[piece.file]!.push({
        start: piece.start + at,
        count,
        how: 'moved',
        fromFile: path,
        fromLine,
      });
    const past = (piece: Piece) => files[piece.file]!.oldPath ?? files[piece.file]!.path;
    const left = this.takeBlocks(pieces, parent, (piece, path) => path === past(piece), take);
    this.takeBlocks(left, parent, (piece, path) => path !== past(piece), take);
    this.copied.set(sha, new Map(files.map(({ path }, i) => [path, ranges[i]!])));
    return ranges;
  }

  /**
   * The copied blocks of a file, or what is left of them.
   * @param added its lineage without moves: the commits that put the lines where they are
   */
  standing(added: FileLineage): StandingBlock[] {
    const blocks: StandingBlock[] = [];
    let open: InheritedRange | undefined;
    let number = 0;
    for (const { origin, line: first, count } of added) {
      const ranges = origin && this.copied.get(origin.commit)?.get(origin.path);
      for (let line = first; line < first + count; line++, number++) {
        const range = ranges?.find(({ start, count: lines }) => start <= line && line < start + lines);
        const last = blocks.at(-1);
        const score = this.scoreOf([this.added.get(origin?.commit ?? '')?.get(origin!.path)?.[line] ?? -1]);
        if (range && last && range === open && last.line + last.count === line) {
          blocks[blocks.length - 1] = { ...last, count: last.count + 1, score: last.score + score };
        } else if (range) {
          blocks.push({ start: number, count: 1, ...origin!, line, score });
        }
        open = range;
      }
    }
    return blocks;
  }

  /** @returns what no block was found for, where it is long enough to be one */
  private takeBlocks(
    pieces: readonly Piece[],
    parent: TreeLineage,
    isSource: (piece: Piece, path: string) => boolean,
    take: (piece: Piece, block: Block) => void,
  ): Piece[] {
    const blocks = this.commonBlocks(pieces, parent, isSource);
    return pieces.flatMap((piece) => {
      const left: Piece[] = [];
      const open = [piece];
      for (let part = open.pop(); part; part = open.pop()) {
        const from = part.start - piece.start;
        const best = this.bestIn(piece, from, from + part.ids.length, blocks.get(piece) ?? []);
        if (!best) {
          left.push(part);
          continue;
        }
        take(piece, best);
        const end = best.at + best.count - from;
        open.push(
          ...this.longEnough(partOf(part, 0, best.at - from)),
          ...this.longEnough(partOf(part, end, part.ids.length)),
        );
      }
      return left;
    });
  }

  /** The block that has most letters and digits between two lines of a piece. */
  private bestIn(piece: Piece, from: number, end: number, blocks: readonly Block[]): Block | undefined {
    let best: Block | undefined;
    let most = this.score;
    for (const block of blocks) {
      const at = Math.max(from, block.at);
      const count = Math.min(end, block.at + block.count) - at;
      const score = count > 0 ? this.scoreOf(piece.ids.slice(at, at + count)) : 0;
      if (score < most) continue;
      most = score;
      best = { ...block, at, count, fromLine: block.fromLine + at - block.at };
    }
    return best;
  }

  /** All runs of lines that a piece and a file have in common, as long as they can be. */
  private commonBlocks(
    pieces: readonly Piece[],
    parent: TreeLineage,
    isSource: (piece: Piece, path: string) => boolean,
  ): Map<Piece, Block[]> {
    const wanted = this.placesOf(pieces);
    const found = new Map<Piece, Block[]>(pieces.map((piece) => [piece, []]));
    for (const path of [...parent.keys()].sort()) {
      if (!pieces.some((piece) => isSource(piece, path))) continue;
      const text = this.textOf(parent.get(path)!);
      // By piece and distance between the two: the line up to which they have been compared.
      const comparedTo = new Map<Piece, Map<number, number>>();
      text.forEach((id, line) => {
        for (const { piece, at } of wanted.get(id) ?? []) {
          if (!isSource(piece, path)) continue;
          const compared = comparedTo.get(piece) ?? new Map<number, number>();
          comparedTo.set(piece, compared);
          if ((compared.get(line - at) ?? 0) > line) continue;
          const isEqual = (i: number) =>
            piece.ids[at + i] !== undefined && piece.ids[at + i] === text[line + i];
          let first = 0;
          while (isEqual(first - 1)) first--;
          let end = 1;
          while (isEqual(end)) end++;
          compared.set(line - at, line + end);
          const block = { path, fromLine: line + first, at: at + first, count: end - first };
          const score = this.scoreOf(piece.ids.slice(block.at, block.at + block.count));
          if (score >= this.score) found.get(piece)!.push(block);
        }
      });
    }
    return found;
  }

  /** Where lines that say something stand in the pieces. */
  private placesOf(pieces: readonly Piece[]): Map<LineId, { piece: Piece; at: number }[]> {
    const places = new Map<LineId, { piece: Piece; at: number }[]>();
    for (const piece of pieces) {
      piece.ids.forEach((id, at) => {
        if (this.scores[id] === 0) return;
        const list = places.get(id);
        if (list) list.push({ piece, at });
        else places.set(id, [{ piece, at }]);
      });
    }
    return places;
  }

  private longEnough(piece: Piece): Piece[] {
    return this.scoreOf(piece.ids) >= this.score ? [piece] : [];
  }

  private scoreOf(ids: readonly LineId[]): number {
    return ids.reduce((sum, id) => sum + (this.scores[id] ?? 0), 0);
  }

  /** By their numbers in the file; where the commit carries the whole file, all its lines. */
  private addedLines({ content, hunks }: CommitFile): LineId[] {
    if (content !== undefined) return content.split(/\r?\n/).map((line) => this.idOf(line));
    const lines: LineId[] = [];
    for (const { newStart, added = [] } of hunks) {
      added.forEach((line, i) => (lines[newStart - 1 + i] = this.idOf(line)));
    }
    return lines;
  }

  private idOf(line: string): LineId {
    let id = this.ids.get(line);
    if (id === undefined) {
      id = this.ids.size;
      this.ids.set(line, id);
      this.scores.push(line.match(LETTERS_AND_DIGITS)?.length ?? 0);
    }
    return id;
  }

  /** The lines of a file, from the commits that added them; -1 for one that is not known. */
  private textOf(lineage: FileLineage): Int32Array {
    let text = this.texts.get(lineage);
    if (!text) {
      const ids = lineage.flatMap(({ origin, line, count }) => {
        const lines = origin && this.added.get(origin.commit)?.get(origin.path);
        return Array.from({ length: count }, (_, i) => lines?.[line + i] ?? -1);
      });
      this.texts.set(lineage, (text = Int32Array.from(ids)));
    }
    return text;
  }
}

function partOf({ file, start, ids }: Piece, from: number, end: number): Piece {
  return { file, start: start + from, ids: ids.slice(from, end) };
}
