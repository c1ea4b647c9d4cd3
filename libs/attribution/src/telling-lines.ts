/** A line with at least this much is more than brackets and keywords (`} else {` has 1.5, `return x` 7). */
export const TELLING_BITS = 6;
/** A block has this many neighbouring lines of which two are telling, or this many bits in fewer lines. */
const BLOCK_LINES = 3;
const BLOCK_TELLING_LINES = 2;
export const BLOCK_BITS = 50;

/**
 * Whether neighbouring lines that stand elsewhere as well say that they come from there.
 * @param bits of each one's tokens
 */
export function isTellingBlock(bits: readonly number[]): boolean {
  if (bits.reduce((sum, own) => sum + own, 0) >= BLOCK_BITS) return true;
  return (
    bits.length >= BLOCK_LINES && bits.filter((own) => own >= TELLING_BITS).length >= BLOCK_TELLING_LINES
  );
}
