/** Fingerprints and commits as clients and hosts send them, without end, the same for the same seed. */
import { createHash } from 'node:crypto';
import { captureHunks } from '@lineprint/capture';
import random from '../dist/accuracy/self-made/random.js';
import sources from '../dist/accuracy/self-made/sources.js';
import units from '../dist/accuracy/self-made/units.js';

const REPOSITORIES = 24;
const FILES_A_REPOSITORY = 8;
/** A file that has grown so long is left, and another one is begun. */
const LONGEST_FILE = 400;
const UNITS_A_COMMIT = 3;
/** Of what a commit adds, so much was accepted from an assistant. */
const AI_SHARE = 0.4;
const START = Date.UTC(2026, 5, 1);
const MINUTE_MS = 60_000;

export class Load {
  /** Of each repository: its newest commit and its files' lines. */
  #repositories = Array.from({ length: REPOSITORIES }, () => ({ head: undefined, files: new Map() }));
  #commits = 0;
  #captures = 0;

  /** @param {{seed: number, lineKey: import('@lineprint/fingerprint').LineKey}} options */
  constructor({ seed, lineKey }) {
    this.seed = seed;
    this.lineKey = lineKey;
    this.random = new random.SeededRandom(seed);
    this.units = sources
      .sourceFiles()
      .filter(({ language }) => ['js', 'ts'].includes(language))
      .flatMap(units.unitsOf)
      .filter(({ lines }) => lines.length >= 8);
  }

  /** The next commit, and the fingerprints of what was accepted before it. Repositories take turns. */
  commit() {
    const time = this.now;
    const n = this.#commits++;
    const repository = this.#repositories[n % REPOSITORIES];
    const name = `repository-${n % REPOSITORIES}`;
    const slot = this.random.between(0, FILES_A_REPOSITORY - 1);
    const path = `src/part-${slot}.ts`;
    const known = repository.files.get(path) ?? [];
    const before = known.length > LONGEST_FILE ? [] : known;
    const added = [];
    const accepted = [];
    for (let i = 0; i < UNITS_A_COMMIT; i++) {
      const first = before.length + added.length;
      added.push(...this.#unit(), '');
      if (this.random.share() < AI_SHARE) accepted.push({ first, last: before.length + added.length - 2 });
    }
    const lines = [...before, ...added];
    repository.files.set(path, lines);
    const commit = {
      repository: name,
      sha: sha(`${this.seed}/${n}`),
      parents: repository.head === undefined ? [] : [repository.head],
      authorName: 'Ada',
      authorEmail: 'ada@example.com',
      committerName: 'Ada',
      committerEmail: 'ada@example.com',
      authoredAt: time,
      committedAt: time,
      files: [
        {
          path,
          status: known.length === 0 ? 'added' : 'modified',
          binary: false,
          addedLines: added.length,
          deletedLines: known.length - before.length,
          content: `${lines.join('\n')}\n`,
          hunks: [
            {
              oldStart: before.length === 0 && known.length > 0 ? 1 : before.length,
              oldLines: known.length - before.length,
              newStart: before.length + 1,
              newLines: added.length,
              removed: known.slice(before.length),
            },
          ],
        },
      ],
    };
    repository.head = commit.sha;
    const fingerprints = this.#capture(lines, accepted, { name, path, timestamp: time - MINUTE_MS });
    return { commit, fingerprints };
  }

  /** When the next commit is made, milliseconds since 1970. */
  get now() {
    return START + this.#commits * MINUTE_MS;
  }

  /**
   * `count` fingerprints, or a few more, of what was accepted and never committed.
   *
   * @param {number} count
   * @param {number} timestamp before a commit that was sent already, they would have it analysed again
   */
  fingerprints(count, timestamp) {
    const fingerprints = [];
    while (fingerprints.length < count) {
      const lines = this.#unit();
      const name = `repository-${this.random.between(0, REPOSITORIES - 1)}`;
      const span = { first: 0, last: lines.length - 1 };
      fingerprints.push(...this.#capture(lines, [span], { name, path: 'src/draft.ts', timestamp }));
    }
    return fingerprints;
  }

  /** A function of an installed package; names in camel case are its own each time, keywords are left alone. */
  #unit() {
    const { lines } = this.random.pick(this.units);
    const mark = this.random.between(0, 9999).toString(36);
    return lines.map((line) => line.replace(/\b[a-z]+[A-Z]\w*/g, (name) => name + mark));
  }

  #capture(lines, hunks, { name, path, timestamp }) {
    return captureHunks({
      content: `${lines.join('\n')}\n`,
      hunks,
      path,
      source: 'agent',
      sessionId: `bench-${this.seed}-${this.#captures++}`,
      toolCallIndex: 0,
      userId: 'ada@example.com',
      repository: name,
      timestamp,
      lineKey: this.lineKey,
      client: { name: 'lineprint-bench', version: '1' },
    });
  }
}

function sha(text) {
  return createHash('sha1').update(text).digest('hex');
}
