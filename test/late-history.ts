import { createHash } from 'node:crypto';
import { captureHunks } from '@lineprint/capture';
import type { CodeFingerprint, CommitPush } from '@lineprint/contracts';
import type { LineKey } from '@lineprint/fingerprint';

/** What a client sends, in the order of its clock. */
export type Message =
  | { readonly kind: 'snippet'; readonly at: number; readonly fingerprint: CodeFingerprint }
  | { readonly kind: 'commit'; readonly at: number; readonly commit: CommitPush };

const START = Date.UTC(2026, 4, 4, 12);
const MINUTE = 60_000;
export const REPOSITORY = 'github.com/harbour/berths';
const FILES = ['src/berths.ts', 'src/tides.ts', 'src/invoices.ts'];
const WORDS = 'tide berth crane ledger pilot quay tariff vessel draft anchor beacon rudder cargo winch'.split(
  ' ',
);

/** Numbers from 0 to below `end` that follow from the seed (mulberry32). */
export function generator(seed: number): (end: number) => number {
  let state = seed >>> 0;
  return (end) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
}

/**
 * A history in which an assistant's blocks are committed as they are, changed a little, copied from earlier commits,
 * taken out and put back, and in which people write as well. Each message has a time of its own.
 */
export class HistoryWriter {
  readonly messages: Message[] = [];
  private readonly files = new Map<string, string[]>();
  private at = START;
  private parent: string | undefined;
  private snippets = 0;

  constructor(private readonly key: LineKey) {}

  /** An accepted block of lines for the end of a file. */
  accept(path: string, block: readonly string[]): void {
    const lines = [...(this.files.get(path) ?? []), ...block];
    const first = lines.length - block.length;
    const at = this.tick();
    const fingerprints = captureHunks({
      path,
      content: `${lines.join('\n')}\n`,
      hunks: [{ first, last: lines.length - 1 }],
      source: 'agent',
      sessionId: 'session',
      toolCallIndex: this.snippets++,
      userId: 'ada@example.com',
      repository: REPOSITORY,
      timestamp: at,
      lineKey: this.key,
    });
    for (const fingerprint of fingerprints) this.messages.push({ kind: 'snippet', at, fingerprint });
  }

  /** Puts lines at the end of a file. */
  append(path: string, block: readonly string[]): void {
    const before = this.files.get(path) ?? [];
    this.commit(path, before, [...before, ...block], {
      oldStart: before.length,
      oldLines: 0,
      newStart: before.length + 1,
      newLines: block.length,
      removed: [],
    });
  }

  /** Takes the last lines of a file away. */
  cut(path: string, count: number): void {
    const before = this.files.get(path)!;
    const kept = before.length - count;
    this.commit(path, before, before.slice(0, kept), {
      oldStart: kept + 1,
      oldLines: count,
      newStart: kept,
      newLines: 0,
      removed: before.slice(kept),
    });
  }

  linesOf(path: string): readonly string[] {
    return this.files.get(path) ?? [];
  }

  private commit(
    path: string,
    before: readonly string[],
    after: readonly string[],
    hunk: CommitPush['files'][number]['hunks'][number],
  ): void {
    const at = this.tick();
    const sha = createHash('sha1')
      .update(`${this.parent}/${path}/${after.join('\n')}/${at}`)
      .digest('hex');
    this.messages.push({
      kind: 'commit',
      at,
      commit: {
        repository: REPOSITORY,
        sha,
        parents: this.parent ? [this.parent] : [],
        authorName: 'Ada',
        authorEmail: 'ada@example.com',
        committerName: 'Ada',
        committerEmail: 'ada@example.com',
        authoredAt: at,
        committedAt: at,
        files: [
          {
            path,
            status: before.length > 0 ? 'modified' : 'added',
            binary: false,
            addedLines: hunk.newLines,
            deletedLines: hunk.oldLines,
            content: after.length > 0 ? `${after.join('\n')}\n` : '',
            hunks: [hunk],
          },
        ],
      },
    });
    this.parent = sha;
    this.files.set(path, [...after]);
  }

  private tick(): number {
    this.at += 10 * MINUTE;
    return this.at;
  }
}

/** A random history of so many steps. The same seed gives the same one. */
export function randomHistory(seed: number, steps: number, key: LineKey): Message[] {
  const below = generator(seed);
  const pick = <T>(from: readonly T[]): T => from[below(from.length)]!;
  const writer = new HistoryWriter(key);
  const block = () => randomBlock(pick, below);
  const accepted: string[][] = [];
  for (let step = 0; step < steps; step++) {
    const path = pick(FILES);
    const what = below(10);
    const known = accepted.length > 0 ? pick(accepted) : undefined;
    if (what < 4 || !known) {
      const fresh = block();
      accepted.push(fresh);
      writer.accept(path, fresh);
    } else if (what < 6) {
      writer.append(path, known);
    } else if (what < 7) {
      writer.append(
        path,
        known.map((line) => (below(3) === 0 ? `${line} // ${pick(WORDS)}` : line)),
      );
    } else if (what < 8) {
      writer.append(path, block());
    } else if (writer.linesOf(path).length > 8) {
      writer.cut(path, 3 + below(5));
    }
  }
  return writer.messages;
}

function randomBlock(pick: (from: readonly string[]) => string, below: (end: number) => number): string[] {
  const name = () => pick(WORDS) + pick(WORDS).replace(/^./, (first) => first.toUpperCase());
  const body = Array.from(
    { length: 3 + below(4) },
    () => `  const ${name()} = ${name()}(${name()}.${name()}, ${below(900)});`,
  );
  return [
    `export function ${name()}${below(10_000)}(${name()}: string) {`,
    ...body,
    `  return ${name()};`,
    '}',
  ];
}

/**
 * The same messages with some of the snippets later, by up to `most` places. Commits keep their order, and none comes
 * later than it did.
 */
export function delayed(messages: readonly Message[], seed: number, most: number): Message[] {
  const below = generator(seed);
  return messages
    .map((message, place) => ({
      message,
      place: message.kind === 'snippet' && below(2) === 0 ? place + 1 + below(most) + 0.5 : place,
    }))
    .sort((a, b) => a.place - b.place)
    .map(({ message }) => message);
}
