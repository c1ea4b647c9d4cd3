/** Lines of a file, from 0, both included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A file whose added lines are to be chunked. */
export interface SourceFile {
  /** Language id of libs/fingerprint `languageOf`. */
  readonly language: string;
  /** The whole text of the file. */
  readonly content: string;
  /** The added lines, in order. */
  readonly ranges: readonly LineRange[];
}

/** MinHash of a piece of syntax tree (docs/engine.md, lane `ast`). */
export interface AstSignature {
  /** 128 words: one-permutation MinHash of the shingles of node types. */
  readonly signature: Uint32Array;
  /** 32 keys of 4 words of the signature each. */
  readonly bands: Uint32Array;
}

export interface AstChunk extends LineRange, AstSignature {
  /** `hunk`: added lines. `function`: a function that has some of them. `window`: lines of a longer hunk. */
  readonly kind: 'hunk' | 'function' | 'window';
}

/**
 * What became of a file. All but `parsed` leave (part of) it to the text lanes. The same in every run:
 * `unsupported` has no grammar; `too-large` has a line longer than PIECE_UNITS, or is beyond MAX_COMMIT_UNITS;
 * `too-complex` takes more parsing than any code; `failed` could not be parsed. Of twice the same misfortune:
 * `timeout`, the parser process did not answer in time; `crashed`, it ended or outgrew its memory.
 */
export type AstStatus =
  'parsed' | 'unsupported' | 'too-large' | 'too-complex' | 'failed' | 'timeout' | 'crashed';

export interface AstFile {
  /** `parsed`, or what became of the first piece that was not. */
  readonly status: AstStatus;
  /** Chunks with enough nodes for a signature, of the pieces that were parsed. */
  readonly chunks: readonly AstChunk[];
}

/** What the pool asks its process: one piece at a time. */
export interface ParseRequest {
  readonly language: string;
  readonly content: string;
  /** Absent: the whole text as one chunk, a snippet. */
  readonly ranges?: readonly LineRange[];
  readonly maxDepth: number;
}

/** What the process sends: `ready` once, then an answer for each request. */
export type ParserMessage =
  { readonly kind: 'ready' } | { readonly kind: 'answer'; readonly file: AstFile; readonly rssBytes: number };
