import { AttributionError } from './attribution-error';

/** Evidence of each line of a file, in bits: that it came from where an equal line, or one of its shape, is. */
export interface LineWeights {
  readonly exact: Float64Array;
  readonly abstract: Float64Array;
}

/** What lines say of themselves, and how often they occur elsewhere, as `candidates` events carry it. */
export interface LineEvidence {
  /** `uint16` a line, in 1/64 bit. */
  readonly tokenBits: string;
  /** `uint16` a line and way of counting. */
  readonly occurrences: string;
}

// docs/engine.md, section 2. What the numbers are worth: docs/decisions/0015.

/** Tokens of a line are not independent. */
const TOKEN_SHARE = 0.8;
/** An abstracted line (names, strings, numbers left out) says this much of what the exact one says. */
const ABSTRACT_SHARE = 0.6;
/** What each further place in which a line, or its shape, stands costs. */
const STEEPNESS = { exact: 0.6, abstract: 0.25 };
/** Lines that an unknown repository is taken to have. */
const USUAL_LINES = 4096;
const MIN_BITS = 0.1;

const BIT_UNIT = 1 / 64;
const MAX_WORD = 0xffff;

/**
 * Weights of attributable lines, whose occurrences are counted by H1 and by H2.
 *
 * @param repositoryLines lines that were counted; 0 where none are known
 * @throws AttributionError `candidates-malformed` where the event contradicts itself
 */
export function lineWeights(evidence: LineEvidence, lines: number, repositoryLines: number): LineWeights {
  const tokenBits = decodeWords(evidence.tokenBits, lines);
  const occurrences = decodeWords(evidence.occurrences, lines * 2);
  return {
    exact: Float64Array.from(tokenBits, (bits, line) =>
      weigh(bits, occurrences[line * 2]!, STEEPNESS.exact, repositoryLines),
    ),
    abstract: Float64Array.from(
      tokenBits,
      (bits, line) =>
        weigh(bits, occurrences[line * 2 + 1]!, STEEPNESS.abstract, repositoryLines) * ABSTRACT_SHARE,
    ),
  };
}

/**
 * Checks the evidence of attributable lines without weighing it.
 *
 * @throws AttributionError `candidates-malformed` where the event contradicts itself
 */
export function assertEvidence({ tokenBits, occurrences }: LineEvidence, lines: number): void {
  assertWords(tokenBits, lines);
  assertWords(occurrences, lines * 2);
}

/** Weights of lines whose occurrences are counted by H1 alone. Otherwise as `lineWeights`. */
export function contextWeights(evidence: LineEvidence, lines: number, repositoryLines: number): Float64Array {
  const tokenBits = decodeWords(evidence.tokenBits, lines);
  const occurrences = decodeWords(evidence.occurrences, lines);
  return Float64Array.from(tokenBits, (bits, line) =>
    weigh(bits, occurrences[line]!, STEEPNESS.exact, repositoryLines),
  );
}

/** min(log2(lines / (occurrences + 1)), 0.8 · bits of its tokens) / (1 + steepness · occurrences), at least 0.1. */
function weigh(tokenBits: number, occurrences: number, steepness: number, repositoryLines: number): number {
  const rarity = Math.log2(Math.max(repositoryLines, USUAL_LINES) / (occurrences + 1));
  const own = Math.min(rarity, TOKEN_SHARE * tokenBits * BIT_UNIT);
  return Math.max(MIN_BITS, own / (1 + steepness * occurrences));
}

/** @param bits of each line's tokens, see `AnalysedText.tokenBits` */
export function encodeTokenBits(bits: ArrayLike<number>): string {
  return encodeWords(Array.from(bits, (value) => Math.round(value / BIT_UNIT)));
}

/**
 * Bits of each line's tokens.
 * @throws AttributionError `candidates-malformed` where there are not as many as lines
 */
export function decodeTokenBits(base64: string, lines: number): Float64Array {
  return Float64Array.from(decodeWords(base64, lines), (word) => word * BIT_UNIT);
}

/** @param occurrences of each line elsewhere, ways of counting side by side */
export function encodeOccurrences(occurrences: ArrayLike<number>): string {
  return encodeWords(Array.from(occurrences));
}

function encodeWords(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => bytes.writeUInt16LE(Math.min(MAX_WORD, value), i * 2));
  return bytes.toString('base64');
}

function decodeWords(base64: string, count: number): Uint16Array {
  assertWords(base64, count);
  const bytes = Buffer.from(base64, 'base64');
  return Uint16Array.from({ length: count }, (_, i) => bytes.readUInt16LE(i * 2));
}

function assertWords(base64: string, count: number): void {
  const bytes = Buffer.byteLength(base64, 'base64');
  if (bytes === count * 2) return;
  throw new AttributionError(
    'candidates-malformed',
    `${count} words of evidence are due, ${bytes} bytes are there`,
  );
}
