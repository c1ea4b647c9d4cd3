import { LineprintError } from '@lineprint/platform';
import { startGit, type GitLocation } from './git-process';
import { LineSplitter } from './line-splitter';

/** Reads git's output about one commit after the other. */
export interface CommitParser<T> {
  /** Takes the next line. `cut`: it was too long to be held whole. */
  line(bytes: Buffer, cut: boolean): void;
  /** The commit is complete: gives what was read and starts anew. Throws if the output made no sense. */
  take(): T;
}

export type Streamed<T> = { sha: string; value: T } | { sha: string; reason: string };

/** Commits sent ahead of the one being read; their ids fit a pipe, so that writing never blocks. */
const WINDOW = 64;
/** Longer lines come cut; nothing is kept of a file with such a line (see MAX_TEXT_BYTES). */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
const EQUALS = 61;
/**
 * A shallow clone's oldest commits look as if they had no parents, and as if they had added every line of
 * the tree. Without the list of those commits git looks for the parents, and says that they are missing.
 */
export const ALL_PARENTS = { GIT_SHALLOW_FILE: '' };

/**
 * Sends commits through one long-running `git diff-tree --stdin` and gives the parser's result for each,
 * in order. Git dies on an object that the clone lacks: that commit comes with a reason, git is started
 * again after it. Up to 64 ids are taken ahead of the commit that is given.
 *
 * @param args arguments after `diff-tree --stdin`
 * @param newParser makes a parser for each git that is started
 * @param prepare is done with a commit before git gets it, once and in order
 */
export async function* streamCommits<T>(
  location: GitLocation,
  args: readonly string[],
  shas: Iterable<string> | AsyncIterable<string>,
  newParser: () => CommitParser<T>,
  prepare: (sha: string) => Promise<void> = () => Promise.resolve(),
): AsyncGenerator<Streamed<T>> {
  const source = ids(shas);
  const sent: string[] = [];
  let exhausted = false;
  while (!exhausted || sent.length > 0) {
    const child = startGit(location, ['diff-tree', '--stdin', ...args], ALL_PARENTS);
    const { stdin, stdout } = child.process;
    const send = (sha: string) => stdin.write(`${sha}\n${endMarker(sha)}\n`);
    const parser = newParser();
    const splitter = new LineSplitter(MAX_LINE_BYTES);
    const output = stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    try {
      sent.forEach(send);
      for (;;) {
        while (!exhausted && sent.length < WINDOW) {
          const next = await source.next();
          if (next.done) {
            exhausted = true;
          } else {
            await prepare(next.value);
            sent.push(next.value);
            send(next.value);
          }
        }
        if (sent.length === 0) break;
        const chunk = await output.next();
        if (chunk.done) {
          const end = await child.ended;
          yield { sha: sent.shift()!, reason: reasonOf(end.message) };
          break;
        }
        for (const { bytes, cut } of splitter.push(chunk.value)) {
          if (bytes[0] === EQUALS && bytes.toString('latin1') === endMarker(sent[0] ?? '')) {
            yield result(sent.shift()!, parser);
          } else {
            parser.line(bytes, cut);
          }
        }
      }
    } finally {
      child.process.kill();
    }
    await child.ended;
  }
}

/**
 * `diff-tree --stdin` echoes a line that is not an object id, and flushes: that ends each commit's
 * output. No commit can contain the line with its own id.
 */
export function endMarker(sha: string): string {
  return `=end ${sha}`;
}

function result<T>(sha: string, parser: CommitParser<T>): Streamed<T> {
  try {
    return { sha, value: parser.take() };
  } catch (error) {
    return { sha, reason: error instanceof Error ? error.message : String(error) };
  }
}

function reasonOf(message: string): string {
  const missing = /\b[0-9a-f]{40,64}\b/.exec(message);
  return missing ? `object ${missing[0]} is missing or damaged (git: ${message})` : `git: ${message}`;
}

async function* ids(shas: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const sha of shas) {
    if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(sha)) {
      throw new LineprintError('invalid-sha', `"${sha}" is not a full lower-case commit id`);
    }
    yield sha;
  }
}
