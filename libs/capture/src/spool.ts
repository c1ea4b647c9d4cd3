import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from './atomic-file';

/** One file of the spool: what one call of `append` wrote. It never changes again. */
export interface Segment {
  readonly name: string;
  readonly bytes: number;
  /** When it was written, in milliseconds since 1970. */
  readonly time: number;
}

export interface SpoolLimits {
  readonly maxBytes: number;
  readonly maxSegments: number;
  readonly maxAgeMs: number;
}

/** A developer's month of edits is some ten megabytes. */
export const SPOOL_LIMITS: SpoolLimits = {
  maxBytes: 64 * 1024 * 1024,
  maxSegments: 50_000,
  maxAgeMs: 30 * 86_400_000,
};

const SEGMENT = /^(\d{14})-[0-9A-Za-z]+\.jsonl$/;
/** Longer than any write takes: whoever began it is gone. */
const ABANDONED_MS = 3_600_000;

/**
 * What was captured and not answered yet, on disk. Each `append` makes one file, complete and on the disk before it
 * gets its name, so that processes need no lock and a killed one leaves no half record. One reader at a time removes
 * what was answered.
 */
export class Spool {
  constructor(
    readonly directory: string,
    private readonly limits: SpoolLimits = SPOOL_LIMITS,
  ) {}

  /** Keeps records, each JSON on one line, together in a segment of their own. */
  append(records: readonly string[], now: number): void {
    this.write(`${String(now).padStart(14, '0')}-${randomBytes(8).toString('hex')}.jsonl`, records);
  }

  /** The same in a segment of a known name, which then holds these records only. */
  write(name: string, records: readonly string[]): void {
    writeAtomically(join(this.directory, name), records.map((record) => `${record}\n`).join(''));
  }

  /** Oldest first. */
  segments(): Segment[] {
    const segments: Segment[] = [];
    for (const name of this.names().sort()) {
      const time = SEGMENT.exec(name)?.[1];
      const file = time && statSync(join(this.directory, name), { throwIfNoEntry: false });
      if (file) segments.push({ name, bytes: file.size, time: Number(time) });
    }
    return segments;
  }

  /** A segment's records. */
  read(name: string): string[] {
    return readFileSync(join(this.directory, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  remove(name: string): void {
    rmSync(join(this.directory, name), { force: true });
  }

  /**
   * Removes the oldest segments until the rest is within the limits, and what killed processes left unfinished.
   * @returns how many records were dropped
   */
  enforceLimits(now: number): number {
    this.removeAbandoned(now);
    const segments = this.segments();
    let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    let dropped = 0;
    segments.forEach((segment, index) => {
      const { maxBytes, maxSegments, maxAgeMs } = this.limits;
      const tooMany = bytes > maxBytes || segments.length - index > maxSegments;
      if (!tooMany && now - segment.time <= maxAgeMs) return;
      dropped += this.read(segment.name).length;
      this.remove(segment.name);
      bytes -= segment.bytes;
    });
    return dropped;
  }

  private removeAbandoned(now: number): void {
    for (const name of this.names()) {
      if (SEGMENT.test(name)) continue;
      const file = statSync(join(this.directory, name), { throwIfNoEntry: false });
      if (file && now - file.mtimeMs > ABANDONED_MS) this.remove(name);
    }
  }

  private names(): string[] {
    try {
      return readdirSync(this.directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }
}
