import type { SnippetUse } from '@lineprint/attribution';

/** A judged commit: what it used of snippets, which lines it brought to its repository, and which it removed. */
export interface JudgedCommit {
  /** Its place in the repository's log, from 1. */
  readonly position: number;
  readonly sha: string;
  /** How often it has come again. */
  readonly revision: number;
  readonly parents: readonly string[];
  /** Milliseconds since 1970. */
  readonly committedAt: number;
  /** Hashes of lines as in `SnippetUse`. */
  readonly removed: Uint32Array;
  /** Places of its lines, as in `AddedLine`: those that it adds first, and those that it copies. */
  readonly added: Uint32Array;
  /** Of `added`: the line's number in the new file, from 0. Empty where it was not kept. */
  readonly addedNumbers: Uint32Array;
  readonly copied: Uint32Array;
  readonly uses: readonly SnippetUse[];
}
