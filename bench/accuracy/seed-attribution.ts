import { performance } from 'node:perf_hooks';
import { languageOf } from '@lineprint/fingerprint';
import { type LabelledCommit, labelledFiles, type LabelledSnippet } from './data';
import { opcodes } from './opcodes';
import type { Answer, LineAnswer } from './score';

/** One of the two ways in which the first design document signs a text. */
export interface SeedLane {
  sign(text: string, language: string): Promise<{ signature: Uint32Array; buckets: ArrayLike<number> }>;
}

/** The document's one ladder (6.6): above each value a match is HIGH, LOW, SUSPECT; LOW and better count. */
const LADDER = { high: 0.85, low: 0.55, suspect: 0.3 };

interface Entry {
  readonly id: string;
  readonly lines: readonly string[];
  readonly time: number;
  readonly signature: Uint32Array;
}

/**
 * The baseline: attribution as the project's first design document gives it (its sections 6.4 to 6.6): signature
 * of each hunk, look-up by bands, full similarity, one ladder of thresholds, line diff.
 */
export class SeedEngine {
  private readonly byBand = new Map<string, Entry[]>();

  constructor(private readonly lane: SeedLane) {}

  async index(snippets: readonly LabelledSnippet[]): Promise<void> {
    for (const { id, snippet, path, language, time } of snippets) {
      const { signature, buckets } = await this.lane.sign(
        snippet,
        languageOf(path ?? `file.${language ?? ''}`),
      );
      const entry = { id, lines: snippet.split('\n'), time: time ?? 0, signature };
      Array.from(buckets, (bucket, band) => {
        const key = `${band}:${bucket}`;
        const held = this.byBand.get(key);
        if (held) held.push(entry);
        else this.byBand.set(key, [entry]);
      });
    }
  }

  /** @returns labels by line, and the document's own ratio, which credits deleted AI lines and may exceed 1 */
  async attribute(record: LabelledCommit): Promise<Answer> {
    const started = performance.now();
    const recalled = new Set<string>();
    let candidates = 0;
    let weighted = 0;
    let total = 0;
    const files: Map<number, LineAnswer>[] = [];
    for (const { path, hunks } of labelledFiles(record)) {
      const answers = new Map<number, LineAnswer>();
      files.push(answers);
      for (const { start, lines } of hunks) {
        total += lines.length;
        const { signature, buckets } = await this.lane.sign(lines.join('\n'), languageOf(path));
        const found = this.candidates(buckets, record.time ?? Infinity);
        candidates += found.length;
        for (const { id } of found) recalled.add(id);
        weighted += attributeHunk(start, lines, mostSimilar(signature, found), answers);
      }
    }
    return {
      files,
      ratio: total === 0 ? 0 : weighted / total,
      attributableLines: total,
      candidates,
      recalled,
      milliseconds: performance.now() - started,
    };
  }

  /** The snippets that share a band and existed at that time. */
  private candidates(buckets: ArrayLike<number>, time: number): Entry[] {
    const found = new Set<Entry>();
    Array.from(buckets, (bucket, band) => {
      for (const entry of this.byBand.get(`${band}:${bucket}`) ?? [])
        if (entry.time <= time) found.add(entry);
    });
    return [...found];
  }
}

function mostSimilar(
  signature: Uint32Array,
  entries: readonly Entry[],
): { entry: Entry; similarity: number } | undefined {
  let best: { entry: Entry; similarity: number } | undefined;
  for (const entry of entries) {
    let equal = 0;
    for (let i = 0; i < signature.length; i++) if (signature[i] === entry.signature[i]) equal++;
    const similarity = equal / signature.length;
    if (!best || similarity > best.similarity) best = { entry, similarity };
  }
  return best;
}

/** Labels a hunk's lines; returns its `preserved × 1.0 + modified × 0.5`. */
function attributeHunk(
  start: number,
  lines: readonly string[],
  match: { entry: Entry; similarity: number } | undefined,
  answers: Map<number, LineAnswer>,
): number {
  if (!match || match.similarity <= LADDER.suspect) return 0;
  const { entry, similarity } = match;
  const confidence = similarity > LADDER.high ? 'HIGH' : similarity > LADDER.low ? 'LOW' : 'SUSPECT';
  const give = (from: number, to: number, kind: 'P' | 'M') => {
    for (let j = from; j < to; j++) {
      answers.set(start + j, { kind: confidence === 'SUSPECT' ? 'H' : kind, confidence, codeId: entry.id });
    }
  };
  let weighted = 0;
  for (const { tag, i1, i2, j1, j2 } of opcodes(entry.lines, lines)) {
    if (tag === 'equal') {
      weighted += i2 - i1;
      give(j1, j2, 'P');
    } else {
      weighted += 0.5 * (i2 - i1);
      // Of a replaced block as many new lines are changed AI lines as it had before; the rest is human.
      give(j1, Math.min(j2, j1 + i2 - i1), 'M');
    }
  }
  return confidence === 'SUSPECT' ? 0 : weighted;
}
