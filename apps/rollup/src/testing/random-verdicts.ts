import { encodeExplanations } from '@lineprint/attribution';
import {
  type AttributedFile,
  type AttributionEvent,
  type AttributionResult,
  confidences,
  type LineRange,
  sources,
} from '@lineprint/contracts';

export type Random = () => number;

/** Numbers from 0 to below 1 that follow from the seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function below(random: Random, end: number): number {
  return Math.floor(random() * end);
}

export function pick<T>(random: Random, from: readonly T[]): T {
  return from[below(random, from.length)]!;
}

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 2, 7);

/** A verdict on one commit; its files reconcile. */
export function randomVerdict(random: Random): AttributionEvent {
  const authoredAt = START + below(random, 3 * DAY_MS);
  const author = pick(random, ['Ada', 'Bob']);
  return {
    policy: pick(random, ['default', 'default', 'strict']),
    commit: {
      tenant: pick(random, ['acme', 'acme', 'rival']),
      projectId: pick(random, ['shop', 'engine']),
      repository: pick(random, ['shop', 'shop-web']),
      // Few enough that commits come again, with other content and under other policies.
      sha: below(random, 40).toString(16).padStart(40, '0'),
      parents: [],
      authorName: author,
      authorEmail: `${author}@example.org`,
      userId: `${author.toLowerCase()}@example.org`,
      authoredAt,
      committedAt: authoredAt + below(random, DAY_MS),
      late: random() < 0.1,
      // Snippets that came late bring some of them again, not always in order.
      ...(random() < 0.2 ? { revision: 1 + below(random, 3) } : {}),
    },
    files: ['a.ts', 'b.go', 'c.lock', 'd.py'].flatMap((path) =>
      random() < 0.6 ? [randomFile(random, path)] : [],
    ),
  };
}

const NOTHING_INHERITED = { inheritedLines: 0, inherited: [] };

function randomFile(random: Random, path: string): AttributedFile {
  const file = {
    path,
    language: 'text',
    deletedLines: below(random, 5),
    explanations: '',
    status: 'modified' as const,
  };
  if (path === 'c.lock') {
    return {
      ...file,
      addedLines: 900,
      blankLines: 0,
      ...NOTHING_INHERITED,
      excluded: 'lock',
      results: [],
      lines: [],
    };
  }
  if (random() < 0.1) {
    return {
      ...file,
      status: 'deleted',
      addedLines: 0,
      blankLines: 0,
      ...NOTHING_INHERITED,
      results: [],
      lines: [],
    };
  }
  const results = Array.from({ length: below(random, 5) }, () => randomResult(random));
  const lines: LineRange[] = [];
  let start = 0;
  results.forEach(({ preserved, modified, human }, result) => {
    const counts = { P: preserved, M: modified, H: human };
    for (const kind of ['P', 'M', 'H'] as const) {
      if (counts[kind] > 0) lines.push({ start, count: counts[kind], kind, result });
      start += counts[kind];
    }
  });
  const blankLines = below(random, 4);
  const inheritedLines = below(random, 3);
  return {
    ...file,
    addedLines: start + blankLines + inheritedLines,
    blankLines,
    inheritedLines,
    explanations: explanationsOf(results),
    inherited:
      inheritedLines === 0
        ? []
        : [{ start, count: inheritedLines, how: 'moved', fromFile: 'z.ts', fromLine: 4 }],
    results,
    lines,
  };
}

/** One explanation for each matched line: by the first rule, from line 0. */
function explanationsOf(results: readonly AttributionResult[]): string {
  const matched = results.filter(({ evidence }) => evidence === 'matched');
  const lines = matched.reduce(
    (sum, { preserved, modified, human }) => sum + preserved + modified + human,
    0,
  );
  return encodeExplanations(Array.from({ length: lines }, () => ({ rule: 'line', snippetLine: 0, bits: 1 })));
}

function randomResult(random: Random): AttributionResult {
  if (random() < 0.4) {
    const human = below(random, 20);
    return {
      codeId: null,
      source: null,
      evidence: 'none',
      confidence: 'UNIQUE',
      similarity: null,
      bits: 0,
      preserved: 0,
      modified: 0,
      human,
      suspect: below(random, human + 1),
    };
  }
  return {
    codeId: `code-${below(random, 100)}`,
    source: pick(random, sources),
    ...(random() < 0.5 ? { model: pick(random, ['m-1', 'm-2']) } : {}),
    evidence: pick(random, ['matched', 'declared', 'estimated'] as const),
    confidence: pick(random, confidences),
    similarity: random() < 0.5 ? null : random(),
    bits: random() * 200,
    preserved: below(random, 20),
    modified: below(random, 9),
    human: 0,
    suspect: 0,
  };
}
