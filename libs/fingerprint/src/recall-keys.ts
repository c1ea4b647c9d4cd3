import { hex64 } from './line-key';
import type { LinePrint } from './line-print';
import { EMPTY_HASH, TEXT_HASHES, textBands } from './text-signature';

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
  /** Bands of the syntax-tree signature. */
  readonly astBands?: ArrayLike<number> | undefined;
}

/** A key of the recall index, `<lane>:<hex>` or `<lane>:<band>:<hex>`, and what a hit on it adds to a candidate. */
export interface RecallKey {
  readonly key: string;
  readonly weight: number;
}

/**
 * What a hit says, by lane, in arbitrary units. An exact line, an exact statement or the same place in the same
 * file say most; two abstracted lines in a row less; one of them, or a band of syntax, least. A band of text alone
 * must be enough for a candidate: version 1 snippets have no other key, and 16 bands find one of similarity .7 with
 * .61 if one must agree, with .24 if two must.
 */
export const RECALL_WEIGHTS = { h1: 4, h3: 4, r2: 3, h2: 2, pb: 4, pa: 4, text: 4, ast: 2 } as const;
export type RecallLane = keyof typeof RECALL_WEIGHTS;

/** A single abstracted line of fewer tokens is everywhere. */
const MIN_H2_TOKENS = 6;
/** A snippet keeps max(24, a quarter) of its line keys. */
const MIN_KEPT = 24;
const KEPT_SHARE = 4;

const MASK = 0xffff_ffff_ffff_ffffn;
const emptyTextBands = textBands(new Uint32Array(TEXT_HASHES).fill(EMPTY_HASH));

/** 64-bit key of two H2 in a row; the order counts. */
function runHash(first: bigint, second: bigint): bigint {
  let hash = (first * 0x9e37_79b9_7f4a_7c15n + second) & MASK;
  hash = ((hash ^ (hash >> 32n)) * 0xd6e8_feb8_6659_fd93n) & MASK;
  return hash ^ (hash >> 32n);
}

const hex32 = (hash: number): string => (hash >>> 0).toString(16).padStart(8, '0');

/**
 * Keys under which a snippet is indexed, or for which a commit's hunk asks.
 *
 * A snippet keeps the K = max(24, m/4) line keys with the smallest hashes (bottom-k). The commit asks for all
 * of its own, so nothing has to be agreed on. Bands and context are always kept. No key comes twice.
 */
export function recallKeys(input: RecallInput, role: 'snippet' | 'commit'): RecallKey[] {
  const lines = new Map<string, RecallKey & { readonly hash: string }>();
  const add = (lane: 'h1' | 'h3' | 'r2' | 'h2', value: bigint) => {
    const hash = hex64(value);
    lines.set(`${lane}:${hash}`, { key: `${lane}:${hash}`, weight: RECALL_WEIGHTS[lane], hash });
  };
  let previous: LinePrint | undefined;
  for (const print of input.prints) {
    add('h1', print.h1);
    if (print.h3 !== print.h1) add('h3', print.h3);
    if (previous) add('r2', runHash(previous.h2, print.h2));
    if (print.tokens >= MIN_H2_TOKENS) add('h2', print.h2);
    previous = print;
  }
  let kept = [...lines.values()];
  if (role === 'snippet') {
    const limit = Math.max(MIN_KEPT, Math.ceil(kept.length / KEPT_SHARE));
    // By hash, then by lane, so that equal hashes of two lanes have one order.
    const order = (a: (typeof kept)[number], b: (typeof kept)[number]) =>
      a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : a.key < b.key ? -1 : 1;
    if (kept.length > limit) kept = kept.sort(order).slice(0, limit);
  }
  const keys: RecallKey[] = kept.map(({ key, weight }) => ({ key, weight }));
  const push = (lane: RecallLane, hash: string) =>
    keys.push({ key: `${lane}:${hash}`, weight: RECALL_WEIGHTS[lane] });
  if (input.pathKey !== undefined) {
    const path = BigInt(`0x${input.pathKey}`);
    if (input.before !== undefined) push('pb', hex64(runHash(path, BigInt(`0x${input.before}`))));
    if (input.after !== undefined) push('pa', hex64(runHash(path, BigInt(`0x${input.after}`))));
  }
  const { textBands: text = [], astBands: ast = [] } = input;
  for (let band = 0; band < text.length; band++) {
    // The band of a text without shingles equals every other such text's.
    if (text[band] !== emptyTextBands[band]) push('text', `${band}:${hex32(text[band]!)}`);
  }
  for (let band = 0; band < ast.length; band++) push('ast', `${band}:${hex32(ast[band]!)}`);
  return keys;
}
