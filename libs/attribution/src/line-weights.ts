import type { CandidateFile } from '@lineprint/contracts';
import { AttributionError } from './attribution-error';

/** Evidence of each line of a file, in bits: that it came from where an equal line, or one of its shape, is. */
export interface LineWeights {
  readonly exact: Float64Array;
  readonly abstract: Float64Array;
}

// docs/engine.md, section 2.

/** Tokens of a line are not independent. */
const TOKEN_SHARE = 0.45;
/** An abstracted line (names, strings, numbers left out) says this much of what the exact one says. */
const ABSTRACT_SHARE = 0.6;
/** What each further place in which a line, or its shape, stands costs. */
const STEEPNESS = { exact: 0.5, abstract: 0.25 };
/** Lines that an unknown repository is taken to have. */
const USUAL_LINES = 4096;
const MIN_BITS = 0.1;

/** `uint16` token bits are in 1/64 bit. */
const BIT_UNIT = 1 / 64;
const MAX_WORD = 0xffff;

/**
 * w(line) = min(log2(lines / (occurrences + 1)), 0.45 · bits of its tokens) / (1 + steepness · occurrences).
 *
 * @param repositoryLines lines that were counted; 0 where none are known
 * @throws AttributionError `candidates-malformed` where the event contradicts itself
 */
export function lineWeights(file: CandidateFile, lines: number, repositoryLines: number): LineWeights {
  const tokenBits = decodeWords(file.tokenBits, lines, file.path);
  const occurrences = decodeWords(file.occurrences, lines * 2, file.path);
  const total = Math.max(repositoryLines, USUAL_LINES);
  const weigh = (line: number, relation: keyof LineWeights) => {
    const elsewhere = occurrences[line * 2 + (relation === 'exact' ? 0 : 1)]!;
    const rarity = Math.log2(total / (elsewhere + 1));
    const own = Math.min(rarity, TOKEN_SHARE * tokenBits[line]! * BIT_UNIT);
    return Math.max(MIN_BITS, own / (1 + STEEPNESS[relation] * elsewhere));
  };
  return {
    exact: Float64Array.from({ length: lines }, (_, line) => weigh(line, 'exact')),
    abstract: Float64Array.from({ length: lines }, (_, line) => weigh(line, 'abstract') * ABSTRACT_SHARE),
  };
}

/** @param bits of each line's tokens, see `AnalysedText.tokenBits` */
export function encodeTokenBits(bits: ArrayLike<number>): string {
  return encodeWords(Array.from(bits, (value) => Math.round(value / BIT_UNIT)));
}

/** @param occurrences of each line elsewhere: by H1, by H2, by H1 of the next, … */
export function encodeOccurrences(occurrences: ArrayLike<number>): string {
  return encodeWords(Array.from(occurrences));
}

function encodeWords(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => bytes.writeUInt16LE(Math.min(MAX_WORD, value), i * 2));
  return bytes.toString('base64');
}

function decodeWords(base64: string, count: number, path: string): Uint16Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== count * 2) {
    throw new AttributionError(
      'candidates-malformed',
      `${count} words of evidence are due for ${path}, ${bytes.length} bytes are there`,
    );
  }
  return Uint16Array.from({ length: count }, (_, i) => bytes.readUInt16LE(i * 2));
}
