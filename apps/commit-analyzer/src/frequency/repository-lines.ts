import { decodeHashCounts, encodeHashCounts, LineCounts, type LinePrint } from '@lineprint/fingerprint';
import type { LineFrequency } from './occurrences';

/** What a commit changes in its repository; a snapshot of a repository is its change from nothing. */
export interface LineChange {
  /** Non-blank lines more, or fewer. */
  readonly total: number;
  /** How much more often a line (by H1) or a line's shape (by H2) occurs. */
  readonly lines: Iterable<readonly [bigint, number]>;
  /** When the author touched a file, in milliseconds since 1970, by keyed path. */
  readonly paths: Iterable<readonly [bigint, number]>;
  /** Of a baseline: when its commit was made, milliseconds since 1970; 0 of a commit. */
  readonly baselineAt: number;
}

/** What stands in a baseline already. */
export const NO_CHANGE: LineChange = { total: 0, lines: [], paths: [], baselineAt: 0 };

type CountedLine = Pick<LinePrint, 'h1' | 'h2'>;

/** A file of a commit as it is counted: its non-blank lines, those that are inherited as well. */
export interface CountedFile {
  readonly hunks: readonly {
    readonly added: readonly CountedLine[];
    readonly removed: readonly CountedLine[];
  }[];
  /** 16 hex digits each: its new path and its old one. */
  readonly pathKeys: readonly string[];
}

/** What the counted files of one commit change, in sum: a line that only moves changes nothing. */
export function lineChange(files: readonly CountedFile[], authoredAt: number): LineChange {
  const lines = new Map<bigint, number>();
  const paths = new Map<bigint, number>();
  let total = 0;
  const add = (hash: bigint, change: number) => {
    const sum = (lines.get(hash) ?? 0) + change;
    if (sum === 0) lines.delete(hash);
    else lines.set(hash, sum);
  };
  for (const { hunks, pathKeys } of files) {
    for (const key of pathKeys) paths.set(BigInt(`0x${key}`), authoredAt);
    for (const { added, removed } of hunks) {
      total += added.length - removed.length;
      for (const { h1, h2 } of added) {
        add(h1, 1);
        add(h2, 1);
      }
      for (const { h1, h2 } of removed) {
        add(h1, -1);
        add(h2, -1);
      }
    }
  }
  return { total, lines, paths, baselineAt: 0 };
}

/** How often each line occurs in a repository at one point of its history, and when each file was last touched. */
export class RepositoryLines implements LineFrequency {
  /** How many changes it is the sum of. */
  position = 0;
  /** Non-blank lines. */
  total = 0;
  /** When the commit of its baseline was made, milliseconds since 1970; 0 without one. */
  baselineAt = 0;
  private readonly counts = new LineCounts();
  private readonly touched = new Map<bigint, number>();

  /** Memory that it takes, about. */
  get bytes(): number {
    return this.counts.bytes + this.touched.size * BYTES_A_PATH;
  }

  exact(h1: bigint): number {
    return this.counts.get(h1);
  }

  abstract(h2: bigint): number {
    return this.counts.get(h2);
  }

  /**
   * When the file was last touched, milliseconds since 1970; undefined if it is new. Of a commit that is older
   * than that (branches come one after another) nobody knows which one preceded it: undefined, too.
   */
  lastTouched(pathKeys: readonly string[], authoredAt: number): number | undefined {
    const times = pathKeys.flatMap((key) => this.touched.get(BigInt(`0x${key}`)) ?? []);
    const last = times.length > 0 ? Math.max(...times) : undefined;
    return last !== undefined && last <= authoredAt ? last : undefined;
  }

  apply(change: LineChange, position: number): void {
    this.position = position;
    this.total = Math.max(0, this.total + change.total);
    this.baselineAt = Math.max(this.baselineAt, change.baselineAt);
    for (const [hash, more] of change.lines) this.counts.add(hash, more);
    for (const [path, time] of change.paths) this.touched.set(path, time);
  }

  snapshot(): LineChange {
    const { total, baselineAt, touched, counts } = this;
    return { total, lines: counts.entries(), paths: touched, baselineAt };
  }
}

/** A Map's entry with a bigint. */
const BYTES_A_PATH = 100;

/** Bytes before the paths: the total, the time of the baseline, and how many bytes of paths follow. */
const HEADER_BYTES = 20;

/** Packs a change: about 9 bytes a line and 9 for its shape. */
export function encodeLineChange({ total, lines, paths, baselineAt }: LineChange): Uint8Array {
  const packedPaths = encodeHashCounts(paths);
  const packedLines = encodeHashCounts(lines);
  const bytes = new Uint8Array(HEADER_BYTES + packedPaths.length + packedLines.length);
  const view = new DataView(bytes.buffer);
  view.setFloat64(0, total, true);
  view.setFloat64(8, baselineAt, true);
  view.setUint32(16, packedPaths.length, true);
  bytes.set(packedPaths, HEADER_BYTES);
  bytes.set(packedLines, HEADER_BYTES + packedPaths.length);
  return bytes;
}

/** Unpacks a change. No bytes at all are one that has expired: it changes nothing. */
export function decodeLineChange(bytes: Uint8Array): LineChange {
  if (bytes.length === 0) return NO_CHANGE;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const pathsEnd = HEADER_BYTES + view.getUint32(16, true);
  return {
    total: view.getFloat64(0, true),
    baselineAt: view.getFloat64(8, true),
    paths: decodeHashCounts(bytes.subarray(HEADER_BYTES, pathsEnd)),
    lines: decodeHashCounts(bytes.subarray(pathsEnd)),
  };
}
