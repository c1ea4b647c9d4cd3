import type { AttributedFile, CandidateFile } from '@lineprint/contracts';
import { type LinePrint, linePrintsFromBase64 } from '@lineprint/fingerprint';
import { AttributionError } from './attribution-error';
import { decodeExplanations } from './explanation';
import type { ChangedFile } from './inherited-lines';

/** A line of a snippet that a line of a commit was kept or changed from. */
export interface SnippetUse {
  readonly codeId: string;
  /** Number of the snippet's line, from 0. */
  readonly snippetLine: number;
  /** `shortHash` of the commit's line. */
  readonly hash: number;
}

/** By codeId: numbers of the snippet's lines, from 0, that are used up. */
export type ConsumedLines = ReadonlyMap<string, ReadonlySet<number>>;

const HASH_BYTES = 4;

/** The low 32 bits of H1: enough to know a line of one repository again. */
export function shortHash({ h1 }: Pick<LinePrint, 'h1'>): number {
  return Number(h1 & 0xffff_ffffn);
}

/** The lines that a commit's files add and that are not inherited, as `shortHash`es. */
export function addedLineHashes(files: readonly CandidateFile[]): Set<number> {
  return new Set(files.flatMap(({ linePrints }) => linePrintsFromBase64(linePrints).map(shortHash)));
}

/** `removedLines` of the `candidates` event. A line that only moves is not removed. */
export function encodeRemovedLines(files: readonly ChangedFile[]): string {
  const balance = new Map<number, number>();
  const add = (hash: number, change: number) => balance.set(hash, (balance.get(hash) ?? 0) + change);
  for (const { removed, added } of files.flatMap(({ hunks }) => hunks)) {
    for (const line of removed) add(shortHash(line), -1);
    for (const line of added) add(shortHash(line), 1);
  }
  const hashes = [...balance].flatMap(([hash, change]) => (change < 0 ? [hash] : [])).sort((a, b) => a - b);
  const bytes = Buffer.alloc(hashes.length * HASH_BYTES);
  hashes.forEach((hash, i) => bytes.writeUInt32LE(hash, i * HASH_BYTES));
  return bytes.toString('base64');
}

/** @throws AttributionError `candidates-malformed` where the bytes are no whole hashes */
export function decodeRemovedLines(base64: string): Uint32Array {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length % HASH_BYTES !== 0) {
    throw new AttributionError('candidates-malformed', `${bytes.length} bytes are no whole removed lines`);
  }
  return Uint32Array.from({ length: bytes.length / HASH_BYTES }, (_, i) =>
    bytes.readUInt32LE(i * HASH_BYTES),
  );
}

/** A number that stands for all above says nothing of one line. */
const MAX_SNIPPET_LINE = 0xfffe;

/**
 * Which lines of which snippets a commit's lines use up: those they were kept or changed from, as the verdict
 * explains them. What is too weak to count uses nothing.
 *
 * @param files the files that the verdict is on, in its order
 */
export function snippetUses(
  files: readonly CandidateFile[],
  verdict: readonly AttributedFile[],
): SnippetUse[] {
  return verdict.flatMap((attributed, index) => {
    if (attributed.explanations === '') return [];
    const explanations = decodeExplanations(attributed.explanations);
    const hashes = new Map(
      linePrintsFromBase64(files[index]!.linePrints).map((print) => [print.line, shortHash(print)] as const),
    );
    let explained = 0;
    return attributed.lines.flatMap(({ start, count, kind, result }) => {
      const { evidence, codeId } = attributed.results[result]!;
      if (evidence !== 'matched' || codeId === null) return [];
      const own = explanations.slice(explained, (explained += count));
      return own.flatMap(({ snippetLine }, i) =>
        kind === 'H' || snippetLine > MAX_SNIPPET_LINE
          ? []
          : [{ codeId, snippetLine, hash: hashes.get(start + i)! }],
      );
    });
  });
}
