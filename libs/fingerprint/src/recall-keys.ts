import type { LinePrint } from './line-print';
import { bandKeys } from './min-hash';
import { EMPTY_HASH, TEXT_BANDS, TEXT_HASHES, textBands } from './text-signature';

/** Of the keys below: an index of one version is never asked with keys of another. */
export const RECALL_KEY_VERSION = 2;

export interface RecallInput {
  /** Prints of one snippet or one hunk, in order. */
  readonly prints: readonly LinePrint[];
  /** Keyed path; without it there are no context keys. */
  readonly pathKey?: string | undefined;
  /** H1 of the nearest non-blank line before and after, 16 hex digits. */
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Bands of the text signature (the seed's scheme). */
  readonly textBands?: ArrayLike<number> | undefined;
  /** Narrower bands of the same signature (`fineTextBands`), for snippets that have nothing else. */
  readonly fineTextBands?: ArrayLike<number> | undefined;
  /** Bands of the syntax-tree signature. */
  readonly astBands?: ArrayLike<number> | undefined;
}

/**
 * What a hit on a key says, by its kind, in arbitrary units. An exact line or statement or the same place in the
 * same file say most; two abstracted lines in a row less; one of them, or a band of syntax, least. A band of text
 * alone must be enough for a candidate: version 1 snippets have no other key.
 */
export const RECALL_WEIGHTS = { h1: 4, h3: 4, r2: 3, h2: 2, pb: 4, pa: 4, text: 4, ast: 2 } as const;
export type RecallKind = keyof typeof RECALL_WEIGHTS;

/** A key of the recall index, its kind, and what a hit on it adds to a candidate. */
export interface RecallKey {
  /** Lane × 2^40 + 40 bits of hash: an exact integer. */
  readonly key: number;
  readonly kind: RecallKind;
  readonly weight: number;
}

/** Keys of two lanes never meet. Of the line lane a snippet is indexed under a sample, of the others under all. */
export const RECALL_LANES = { line: 0, context: 1, text: 2, ast: 3 } as const;
export type RecallLane = (typeof RECALL_LANES)[keyof typeof RECALL_LANES];

/** Of a key, beside its lane. */
export const RECALL_HASH_BITS = 40;
const LANE_UNIT = 2 ** RECALL_HASH_BITS;
/** A band's number stands before its 32-bit hash. */
const BAND_UNIT = 2 ** 32;

export function recallLane(key: number): RecallLane {
  return Math.floor(key / LANE_UNIT) as RecallLane;
}

/** The 40 bits beside the lane. */
export function recallHash(key: number): number {
  return key - recallLane(key) * LANE_UNIT;
}

/** A single abstracted line of fewer tokens is everywhere. */
const MIN_H2_TOKENS = 6;
/** A snippet keeps max(24, a quarter) of its line keys. */
const MIN_KEPT = 24;
const KEPT_SHARE = 4;

/**
 * 42 bands of 3 of the 128 hashes. A hunk of two suggestions has a similarity of .4 with each: these bands find it with
 * .94, 32 of 4 with .56, the seed's 16 of 8 with .01.
 */
const FINE_BANDS = { count: 42, rows: 3 };

/** Bands under which a snippet is found whose text was changed by half; none for a text without shingles. */
export function fineTextBands(signature: ArrayLike<number>): Uint32Array {
  return bandKeys(signature, FINE_BANDS.count, FINE_BANDS.rows);
}

const MASK = 0xffff_ffff_ffff_ffffn;
const emptyTextBands = textBands(new Uint32Array(TEXT_HASHES).fill(EMPTY_HASH));

/** 64-bit hash of two in a row; the order counts. */
function pairHash(first: bigint, second: bigint): bigint {
  let hash = (first * 0x9e37_79b9_7f4a_7c15n + second) & MASK;
  hash = ((hash ^ (hash >> 32n)) * 0xd6e8_feb8_6659_fd93n) & MASK;
  return hash ^ (hash >> 32n);
}

const keyBits = (hash: bigint): number => Number(BigInt.asUintN(RECALL_HASH_BITS, hash));

/** Every key of a hunk, none twice: what a commit asks for. */
export function recallKeys(input: RecallInput): RecallKey[] {
  return [...lineKeys(input.prints), ...placeKeys(input), ...bandKeysOf(input)];
}

/**
 * The keys under which a snippet is indexed: of its m line keys the max(24, m/4) with the smallest hashes
 * (bottom-k), of the others all. The commit asks for all of its own, so that nothing has to be agreed on.
 */
export function snippetRecallKeys(input: RecallInput): number[] {
  const lines = lineKeys(input.prints)
    .map(({ key }) => key)
    .sort((a, b) => a - b);
  const kept = lines.slice(0, Math.max(MIN_KEPT, Math.ceil(lines.length / KEPT_SHARE)));
  const others = [...placeKeys(input), ...bandKeysOf(input)].map(({ key }) => key);
  return [...kept, ...others];
}

function lineKeys(prints: readonly LinePrint[]): RecallKey[] {
  const keys = new Map<number, RecallKey>();
  const add = (kind: RecallKind, hash: bigint) => {
    const key = keyBits(hash);
    if (!keys.has(key)) keys.set(key, { key, kind, weight: RECALL_WEIGHTS[kind] });
  };
  let previous: LinePrint | undefined;
  for (const print of prints) {
    add('h1', print.h1);
    // In one space with H1: a statement on one line here may stand on several there.
    add('h3', print.h3);
    if (previous) add('r2', pairHash(previous.h2, print.h2));
    if (print.tokens >= MIN_H2_TOKENS) add('h2', print.h2);
    previous = print;
  }
  return [...keys.values()];
}

function placeKeys({ pathKey, before, after }: RecallInput): RecallKey[] {
  if (pathKey === undefined) return [];
  const path = BigInt(`0x${pathKey}`);
  const place = (kind: 'pb' | 'pa', hash: bigint): RecallKey => ({
    key: RECALL_LANES.context * LANE_UNIT + keyBits(hash),
    kind,
    weight: RECALL_WEIGHTS[kind],
  });
  return [
    ...(before === undefined ? [] : [place('pb', pairHash(path, BigInt(`0x${before}`)))]),
    ...(after === undefined ? [] : [place('pa', pairHash(BigInt(`0x${after}`), path))]),
  ];
}

function bandKeysOf({
  textBands: text = [],
  fineTextBands: fine = [],
  astBands: ast = [],
}: RecallInput): RecallKey[] {
  const keys: RecallKey[] = [];
  const add = (kind: 'text' | 'ast', band: number, hash: number) =>
    keys.push({
      key: RECALL_LANES[kind] * LANE_UNIT + band * BAND_UNIT + (hash >>> 0),
      kind,
      weight: RECALL_WEIGHTS[kind],
    });
  for (let band = 0; band < text.length; band++) {
    // The band of a text without shingles equals every other such text's.
    if (text[band] !== emptyTextBands[band]) add('text', band, text[band]!);
  }
  // Behind the seed's bands, in their lane.
  for (let band = 0; band < fine.length; band++) add('text', TEXT_BANDS + band, fine[band]!);
  for (let band = 0; band < ast.length; band++) add('ast', band, ast[band]!);
  return keys;
}
