import type { Source } from '@lineprint/contracts';
import type { LinePrint } from '@lineprint/fingerprint';

/** An accepted piece of AI code, as the caller read it from the store and decoded it. */
export interface Snippet {
  readonly codeId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly source: Source;
  readonly model: string | null;
  readonly language: string;
  /** When the code was accepted, milliseconds since 1970. */
  readonly createdAt: number;
  readonly protocol: number;
  readonly lineCount: number;
  /** Sha of the commit that the snippet was made from; null where a client captured it. */
  readonly declaredBy: string | null;
  /** Null for version 1 clients, which send only signatures. */
  readonly prints: readonly LinePrint[] | null;
  /** Keyed hash of the file's path at acceptance, 16 hex digits. */
  readonly pathKey: string | null;
  /** H1 of the nearest non-blank line before and after the snippet at acceptance, 16 hex digits. */
  readonly before: string | null;
  readonly after: string | null;
}
