import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AstFile, AstSignature, AstStatus, ParseRequest, ParserMessage, SourceFile } from './ast-file';
import { grammarOf } from './grammars';

export interface ParserPoolOptions {
  /** Parser processes; default 1. Each starts with its first file and takes 60 to `maxMemoryMb` MB. */
  readonly processes?: number;
  /** Longest parse of one file, milliseconds; default 2000. A process that overstays twice that is killed. */
  readonly timeoutMs?: number;
  /** Largest file, bytes of UTF-8; default 1 MiB. */
  readonly maxBytes?: number;
  /** Nodes nested deeper are not looked at; default 2000. */
  readonly maxDepth?: number;
  /** A process that holds more after a file is replaced; default 768 MB. */
  readonly maxMemoryMb?: number;
}

export interface ParserPool {
  /** Chunks of the added lines of each file, in the order of `files`. Throws ParserPoolError. */
  astChunks(files: readonly SourceFile[]): Promise<AstFile[]>;
  /**
   * Signature of a snippet's code as one chunk; undefined if its language is not parsed, it is too large or
   * too short, or it could not be parsed. Throws ParserPoolError.
   */
  snippetSignature(language: string, code: string): Promise<AstSignature | undefined>;
  /** Ends the processes. Files that wait throw ParserPoolError. */
  close(): Promise<void>;
}

/**
 * A file has no answer, and it is not the file's fault. `parser-start-failed`: the library is not built, or a
 * native module does not load. `parser-closed`: the pool was closed first.
 */
export class ParserPoolError extends Error {
  readonly transient = true;

  constructor(
    readonly code: 'parser-start-failed' | 'parser-closed',
    message: string,
  ) {
    super(message);
    this.name = 'ParserPoolError';
  }
}

interface Job {
  readonly request: ParseRequest;
  readonly resolve: (file: AstFile) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The compiled entry. Tests run from src/, where there is none beside this file: they take that of dist/, so
 * `npm run build` precedes tests.
 */
function entryFile(): string {
  const beside = join(__dirname, 'parser-process.js');
  return existsSync(beside) ? beside : join(__dirname, '..', 'dist', 'parser-process.js');
}

function startError(entry: string, reason: string): ParserPoolError {
  const message = `The parser process ${entry} did not start (${reason}); is it built (npm run build)?`;
  return new ParserPoolError('parser-start-failed', message);
}

function closedError(): ParserPoolError {
  return new ParserPoolError('parser-closed', 'The parser pool is closed; parse again after the restart');
}

const without = (status: AstStatus): AstFile => ({ status, chunks: [] });

/** Time a process may take to start: it is no file's fault. */
const START_TIMEOUT_MS = 30_000;

/**
 * One parser process and the file that it works on. Gets its next file when it has answered the last, so that
 * a process that dies or hangs takes one file with it, and it is known which.
 */
class ParserWorker {
  private child: ChildProcess | undefined;
  private job: Job | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Required<ParserPoolOptions>,
    private readonly next: () => Job | undefined,
  ) {}

  /** Takes the next file, if it is free and there is one. */
  wake(): void {
    if (this.job !== undefined) return;
    this.job = this.next();
    if (this.job === undefined) return;
    if (this.child === undefined) this.start();
    else this.send();
  }

  async close(): Promise<void> {
    const child = this.child;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    this.release();
    child.kill('SIGKILL');
    this.settle(closedError());
    await ended;
  }

  private start(): void {
    const entry = entryFile();
    const child = fork(entry, {
      serialization: 'advanced',
      // The process reads hostile files: it gets none of the service's secrets, flags and standard output.
      env: {},
      execArgv: [`--max-old-space-size=${this.settings.maxMemoryMb}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child = child;
    let started = false;
    const fail = (reason: string): void => {
      if (this.child !== child) return;
      this.release();
      child.kill('SIGKILL');
      if (started) this.settle(without('crashed'));
      else this.settle(startError(entry, reason));
    };
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code, signal) => fail(signal ?? `exit ${code}`));
    child.on('message', (message: ParserMessage) => {
      if (this.child !== child) return;
      if (message.kind === 'ready') {
        started = true;
        this.send();
      } else {
        if (message.rssBytes > this.settings.maxMemoryMb * 1_000_000) {
          this.release();
          child.kill('SIGKILL');
        }
        this.settle(message.file);
      }
    });
    this.limit(START_TIMEOUT_MS, () => fail(`no answer in ${START_TIMEOUT_MS} ms`));
  }

  private send(): void {
    const child = this.child;
    const job = this.job;
    if (child === undefined || job === undefined) return;
    // The process stops a long parse itself; this is for native code that does not come back at all.
    this.limit(2 * this.settings.timeoutMs, () => {
      this.release();
      child.kill('SIGKILL');
      this.settle(without('timeout'));
    });
    // A failed send is a process that has died: its exit is reported as well, and handled there.
    child.send(job.request, () => undefined);
  }

  private limit(ms: number, expired: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(expired, ms);
  }

  /** Lets go of the process, so that what it still reports is not taken for its successor's. */
  private release(): void {
    clearTimeout(this.timer);
    this.child = undefined;
  }

  private settle(result: AstFile | Error): void {
    clearTimeout(this.timer);
    const job = this.job;
    this.job = undefined;
    if (result instanceof Error) job?.reject(result);
    else job?.resolve(result);
    this.wake();
  }
}

/**
 * Opens a pool of processes that parse files with tree-sitter. A process that dies, hangs or outgrows its
 * memory is replaced; the file it worked on is answered `crashed` or `timeout` and not tried again.
 */
export function openParserPool(options: ParserPoolOptions = {}): ParserPool {
  const settings = {
    processes: options.processes ?? 1,
    timeoutMs: options.timeoutMs ?? 2000,
    maxBytes: options.maxBytes ?? 1024 * 1024,
    maxDepth: options.maxDepth ?? 2000,
    maxMemoryMb: options.maxMemoryMb ?? 768,
  };
  const queue: Job[] = [];
  const workers = Array.from(
    { length: settings.processes },
    () => new ParserWorker(settings, () => queue.shift()),
  );
  let closed = false;

  const parse = async (text: Pick<ParseRequest, 'language' | 'content' | 'ranges'>): Promise<AstFile> => {
    if (grammarOf(text.language) === undefined) return without('unsupported');
    if (Buffer.byteLength(text.content) > settings.maxBytes) return without('too-large');
    if (closed) throw closedError();
    const { timeoutMs, maxDepth } = settings;
    return new Promise((resolve, reject) => {
      queue.push({ request: { ...text, timeoutMs, maxDepth }, resolve, reject });
      for (const worker of workers) worker.wake();
    });
  };

  return {
    astChunks: (files) =>
      Promise.all(
        files.map(({ language, content, ranges }) =>
          ranges.length === 0 ? without('parsed') : parse({ language, content, ranges }),
        ),
      ),
    snippetSignature: async (language, code) => {
      const { chunks } = await parse({ language, content: code });
      return chunks[0] && { signature: chunks[0].signature, bands: chunks[0].bands };
    },
    close: async () => {
      closed = true;
      for (const job of queue.splice(0)) job.reject(closedError());
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}
