import { startGit, type GitChild, type GitLocation } from './git-process';

/** What became of a request for a blob. */
export type Blob =
  | { kind: 'content'; bytes: Buffer }
  /** `head`: its first HEAD_BYTES. */
  | { kind: 'too-large'; head: Buffer }
  | { kind: 'missing' };

/** Kept of a blob that is too large: a program that wrote a file says so in its first lines. */
export const HEAD_BYTES = 10_000;

interface Request {
  sha: string;
  maxBytes: number;
  resolve: (blob: Blob) => void;
  reject: (error: unknown) => void;
}

const NEWLINE = 10;

/** Reads blobs through one `git cat-file --batch`, started when first needed. Close it after use. */
export class BlobReader {
  private child: GitChild | undefined;
  private waiting: Request[] = [];
  private header: Buffer = Buffer.alloc(0);
  /** Body bytes (and the line end after them) still to come; -1 while a header is read. */
  private remaining = -1;
  private body: Buffer[] = [];
  private wanted = false;
  private held = 0;
  private closed = false;

  constructor(private readonly location: GitLocation) {}

  /**
   * @param sha an object id, or a path in a commit (`<sha>:<path>`) without line ends
   * @param maxBytes of a larger blob only the head is held
   */
  read(sha: string, maxBytes: number): Promise<Blob> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ sha, maxBytes, resolve, reject });
      this.child ??= this.start();
      this.child.process.stdin.write(`${sha}\n`);
    });
  }

  close(): void {
    this.closed = true;
    this.child?.process.kill();
  }

  private start(): GitChild {
    this.header = Buffer.alloc(0);
    this.remaining = -1;
    this.body = [];
    this.held = 0;
    const child = startGit(this.location, ['cat-file', '--batch']);
    child.process.stdout.on('data', (chunk: Buffer) => this.take(chunk));
    child.ended.then(
      () => this.restart(),
      (error: unknown) => this.waiting.splice(0).forEach((request) => request.reject(error)),
    );
    return child;
  }

  /** Git dies on a damaged object: that one counts as missing, the rest is asked for again. */
  private restart(): void {
    this.child = undefined;
    this.waiting.shift()?.resolve({ kind: 'missing' });
    if (this.closed || this.waiting.length === 0) return;
    this.child = this.start();
    for (const { sha } of this.waiting) this.child.process.stdin.write(`${sha}\n`);
  }

  private take(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.remaining < 0 ? this.takeHeader(rest) : this.takeBody(rest);
  }

  /** `<sha> blob <size>`, or `<sha> missing`. */
  private takeHeader(chunk: Buffer): Buffer {
    const end = chunk.indexOf(NEWLINE);
    this.header = Buffer.concat([this.header, end < 0 ? chunk : chunk.subarray(0, end)]);
    if (end < 0) return chunk.subarray(chunk.length);
    // What is missing comes as it was asked for, which may hold spaces.
    const size = /^[0-9a-f]+ \w+ (\d+)$/.exec(this.header.toString('latin1'))?.[1];
    this.header = Buffer.alloc(0);
    if (size === undefined) {
      this.waiting.shift()?.resolve({ kind: 'missing' });
    } else {
      this.remaining = Number(size) + 1;
      this.wanted = Number(size) <= (this.waiting[0]?.maxBytes ?? 0);
    }
    return chunk.subarray(end + 1);
  }

  private takeBody(chunk: Buffer): Buffer {
    const piece = chunk.subarray(0, this.remaining);
    this.remaining -= piece.length;
    const kept = this.wanted ? piece : piece.subarray(0, Math.max(0, HEAD_BYTES - this.held));
    if (kept.length > 0) this.body.push(kept);
    this.held += kept.length;
    if (this.remaining === 0) {
      const bytes = Buffer.concat(this.body);
      this.body = [];
      this.held = 0;
      this.remaining = -1;
      this.waiting
        .shift()
        ?.resolve(
          this.wanted
            ? { kind: 'content', bytes: bytes.subarray(0, -1) }
            : { kind: 'too-large', head: bytes },
        );
    }
    return chunk.subarray(piece.length);
  }
}
