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
  /** `hunk`: added lines. `function`: a function that has some of them. `window`: lines of a long hunk. */
  readonly kind: 'hunk' | 'function' | 'window';
}

/**
 * What became of a file. All but `parsed` leave it to the text lanes: `unsupported` has no grammar,
 * `too-large` passes `maxBytes`, `timeout` took longer than allowed, `failed` could not be parsed, and
 * `crashed` ended the parser process.
 */
export type AstStatus = 'parsed' | 'unsupported' | 'too-large' | 'timeout' | 'failed' | 'crashed';

export interface AstFile {
  readonly status: AstStatus;
  /** Chunks with enough nodes for a signature; empty unless `parsed`. */
  readonly chunks: readonly AstChunk[];
}

/** What the pool asks its process: one file at a time. */
export interface ParseRequest {
  readonly language: string;
  readonly content: string;
  /** Absent: the whole text as one chunk, a snippet. */
  readonly ranges?: readonly LineRange[];
  readonly timeoutMs: number;
  readonly maxDepth: number;
}

/** What the process sends: `ready` once, then an answer for each request. */
export type ParserMessage =
  { readonly kind: 'ready' } | { readonly kind: 'answer'; readonly file: AstFile; readonly rssBytes: number };
