import type { CandidateFile } from '@lineprint/contracts';
import { linePrintsFromBase64 } from '@lineprint/fingerprint';
import { shortHash } from './consumed-lines';
import { decodeTokenBits } from './line-weights';
import { isTellingBlock } from './telling-lines';

/** An attributable line of a file, as it is known again in a commit of another line of history. */
export interface AddedLine {
  /** Index of the file, and of the line among its attributable ones. */
  readonly file: number;
  readonly line: number;
  /** The line's number in the new file, from 0. */
  readonly number: number;
  /** `shortHash` of the line. */
  readonly hash: number;
  /** The same mixed with its file's path. */
  readonly place: number;
}

/** Where a line was added first. */
export interface OriginalLine {
  readonly fromCommit: string;
  /** Its number in the new file there, from 0; undefined where that was not kept. */
  readonly fromLine: number | undefined;
}

/** One that another line of history has added before. */
export interface CopiedLine extends AddedLine, OriginalLine {}

/** The attributable lines of a commit's files, in their order. */
export function addedLines(files: readonly CandidateFile[]): AddedLine[] {
  return files.flatMap(addedLinesOf);
}

function addedLinesOf({ pathKeys, linePrints }: CandidateFile, file: number): AddedLine[] {
  const key = pathKeys[0];
  if (key === undefined) return [];
  const path = Number(BigInt.asUintN(32, BigInt(`0x${key}`)));
  return linePrintsFromBase64(linePrints).map((print, line) => {
    const hash = shortHash(print);
    return { file, line, number: print.line, hash, place: (hash ^ path) >>> 0 };
  });
}

/**
 * Finds the lines of a commit that are copies of what another line of history has added to the same file: a rebase, a
 * cherry-pick or a squash brings them. A hunk is copied when all its lines are, or a block of neighbouring lines in it
 * that says enough. Each original is copied once.
 *
 * @param originalsOf where a line was added to its file and may be copied from
 */
export function findCopiedLines(
  files: readonly CandidateFile[],
  originalsOf: (place: number) => readonly OriginalLine[],
): CopiedLine[] {
  const left = new Map<number, OriginalLine[]>();
  const originals = (place: number) => {
    let lines = left.get(place);
    if (!lines) left.set(place, (lines = [...originalsOf(place)]));
    return lines;
  };
  return files.flatMap((file, index) => {
    const lines = addedLinesOf(file, index);
    if (!lines.some(({ place }) => originals(place).length > 0)) return [];
    const tokenBits = decodeTokenBits(file.tokenBits, lines.length);
    return file.hunks.flatMap(({ first, last }) => {
      const copied: CopiedLine[] = [];
      for (let from = first; from <= last; from++) {
        const run: CopiedLine[] = [];
        for (let line = from; line <= last; line++) {
          const original = originals(lines[line]!.place).shift();
          if (original === undefined) break;
          run.push({ ...lines[line]!, ...original });
        }
        const isCopied = run.length > last - first || isTellingBlock(run.map(({ line }) => tokenBits[line]!));
        if (isCopied) copied.push(...run);
        else for (const copy of run.reverse()) originals(copy.place).unshift(copy);
        from += run.length;
      }
      return copied;
    });
  });
}
