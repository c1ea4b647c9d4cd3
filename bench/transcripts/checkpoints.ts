import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The branch on which Entire keeps the transcripts behind a repository's commits. */
export const CHECKPOINT_BRANCH = 'entire/checkpoints/v1';

export interface Checkpoints {
  /** Files that were written, one for each transcript. */
  readonly files: readonly string[];
  /** Transcripts that the branch names and the repository does not have: a partial clone leaves out large files. */
  readonly absent: number;
  /** Checkpoints of which every transcript is here. */
  readonly complete: ReadonlySet<string>;
  /** Those that the branch has at all. */
  readonly known: ReadonlySet<string>;
}

/** What git is not to fetch: a bench measures what is there. */
const ENVIRONMENT = { ...process.env, GIT_NO_LAZY_FETCH: '1', GIT_OPTIONAL_LOCKS: '0' };
/** `ab/cdef…/0/full.jsonl`: the id of the checkpoint, its sessions by number. */
const TRANSCRIPT = /^(\w{2})\/(\w+)\/(?:(\d+)\/)?full\.jsonl$/;
const LARGEST_LISTING = 256 * 1024 * 1024;

interface Listed {
  readonly checkpoint: string;
  readonly name: string;
  readonly blob: string;
}

/**
 * Writes the transcripts of a repository's checkpoint branch into a folder.
 *
 * @param gitDirectory bare, or a working tree's
 * @throws Error when there is no such branch
 */
export async function extractTranscripts(gitDirectory: string, folder: string): Promise<Checkpoints> {
  const listed = listTranscripts(gitDirectory);
  const files: string[] = [];
  const incomplete = new Set<string>();
  const git = spawn('git', ['--git-dir', gitDirectory, 'cat-file', '--batch', '--buffer'], {
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  git.stdin.end(listed.map(({ blob }) => `${blob}\n`).join(''));
  const output = new ByteReader(git.stdout);
  for (const { checkpoint, name, blob } of listed) {
    const [, , size] = (await output.line()).split(' ');
    if (size === undefined) {
      incomplete.add(checkpoint);
      continue;
    }
    const bytes = await output.bytes(Number(size));
    await output.line();
    const file = join(folder, `${name}-${blob.slice(0, 8)}.jsonl`);
    writeFileSync(file, bytes);
    files.push(file);
  }
  await once(git, 'close');
  const known = new Set(listed.map(({ checkpoint }) => checkpoint));
  return {
    files,
    absent: listed.length - files.length,
    known,
    complete: new Set([...known].filter((checkpoint) => !incomplete.has(checkpoint))),
  };
}

function listTranscripts(gitDirectory: string): Listed[] {
  const tree = git(gitDirectory, ['ls-tree', '-r', CHECKPOINT_BRANCH]);
  return tree.split('\n').flatMap((line) => {
    const [description = '', path = ''] = line.split('\t');
    const [, shard, rest, session = '0'] = TRANSCRIPT.exec(path) ?? [];
    const blob = description.split(' ')[2];
    if (shard === undefined || rest === undefined || blob === undefined) return [];
    const checkpoint = `${shard}${rest}`;
    return [{ checkpoint, name: `${checkpoint}-${session}`, blob }];
  });
}

/** Ids of the checkpoints that commits name, by commit. */
export function checkpointsOfCommits(gitDirectory: string, ref: string): Map<string, string[]> {
  const format = '%H %(trailers:key=Entire-Checkpoint,valueonly,separator=%x20)';
  const log = git(gitDirectory, ['log', `--format=${format}`, ref]);
  return new Map(
    log.split('\n').flatMap((line): [string, string[]][] => {
      const [sha, ...checkpoints] = line.split(' ').filter(Boolean);
      return sha === undefined || checkpoints.length === 0 ? [] : [[sha, checkpoints]];
    }),
  );
}

/** Folders of the tree of a commit, `a/b` each. */
export function foldersOf(gitDirectory: string, ref: string): Set<string> {
  return new Set(git(gitDirectory, ['ls-tree', '-r', '-d', '--name-only', ref]).split('\n').filter(Boolean));
}

function git(gitDirectory: string, args: readonly string[]): string {
  return execFileSync('git', ['--git-dir', gitDirectory, ...args], {
    env: ENVIRONMENT,
    encoding: 'utf8',
    maxBuffer: LARGEST_LISTING,
  });
}

/** A stream read by lines and by numbers of bytes in turn. */
class ByteReader {
  private readonly chunks: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>) {
    this.chunks = stream[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    let end = this.rest.indexOf(10);
    while (end < 0) {
      await this.more();
      end = this.rest.indexOf(10);
    }
    const line = this.rest.toString('utf8', 0, end);
    this.rest = this.rest.subarray(end + 1);
    return line;
  }

  async bytes(count: number): Promise<Buffer> {
    const parts = [this.rest];
    let length = this.rest.length;
    while (length < count) {
      const chunk = await this.next();
      parts.push(chunk);
      length += chunk.length;
    }
    const all = Buffer.concat(parts);
    this.rest = all.subarray(count);
    return all.subarray(0, count);
  }

  private async more(): Promise<void> {
    this.rest = Buffer.concat([this.rest, await this.next()]);
  }

  private async next(): Promise<Buffer> {
    const { value, done } = await this.chunks.next();
    if (done) throw new Error('git ended too early: is the repository complete?');
    return value;
  }
}
