/** Version of the prints on the wire: prints of two versions never match each other. */
export const LINE_PRINT_VERSION = 2;

/**
 * The keyed print of one non-blank line (docs/engine.md). Hashes are unsigned 64-bit.
 */
export interface LinePrint {
  /** Number of the line in its text, from 0. */
  readonly line: number;
  /** Exact tokens: ignores indentation, a trailing comma or semicolon, quote style. */
  readonly h1: bigint;
  /** Tokens with names, strings and numbers abstracted; names after a dot and keywords kept. */
  readonly h2: bigint;
  /** Exact tokens of the logical statement the line belongs to; equals h1 where that is one line. */
  readonly h3: bigint;
  /** Bloom filter of the keyed tokens. */
  readonly bloom: bigint;
  /** Number of tokens, at most 255. */
  readonly tokens: number;
}
