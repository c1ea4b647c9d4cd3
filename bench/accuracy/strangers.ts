import type { Snippet } from '@lineprint/attribution';
import {
  decodeCurrentLinePrints,
  encodeLinePrints,
  LineCounts,
  type LinePrint,
} from '@lineprint/fingerprint';

/** A piece of code that has nothing to do with any record, as a snippet. */
export interface Stranger {
  readonly language: string;
  readonly prints: readonly LinePrint[];
  readonly pathKey: string;
  readonly before?: string;
  readonly after?: string;
  /** As the indexer makes them of the snippet. */
  readonly keys: readonly number[];
}

/** Snippets of an organisation that no record was made of, kept packed: a million of them take half a gigabyte. */
export class Strangers {
  /** How often their lines, and the shapes of these, occur. */
  readonly counts = new LineCounts();
  private readonly packed: {
    readonly prints: Uint8Array;
    readonly place: Omit<Stranger, 'prints' | 'keys'>;
  }[] = [];

  get length(): number {
    return this.packed.length;
  }

  add({ prints, language, pathKey, before, after }: Stranger): void {
    for (const { h1, h2 } of prints) {
      this.counts.add(h1, 1);
      this.counts.add(h2, 1);
    }
    const place = { language, pathKey, ...(before ? { before } : {}), ...(after ? { after } : {}) };
    this.packed.push({ prints: encodeLinePrints(prints), place });
  }

  /** The snippet as the store would give it back. */
  snippet(at: number, createdAt: number): Snippet {
    const { prints, place } = this.packed[at]!;
    const lines = decodeCurrentLinePrints(prints) ?? [];
    return {
      codeId: `stranger-${at}`,
      userId: 'stranger',
      sessionId: 'stranger',
      source: 'agent',
      model: null,
      language: place.language,
      createdAt,
      protocol: 2,
      lineCount: lines.length,
      declaredBy: null,
      prints: lines,
      pathKey: place.pathKey,
      before: place.before ?? null,
      after: place.after ?? null,
    };
  }
}
