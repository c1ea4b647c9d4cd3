import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  AstChunk,
  AstFile,
  AstSignature,
  AstStatus,
  ParseRequest,
  ParserMessage,
  SourceFile,
} from './ast-file';
import { boundChunks } from './bound-chunks';
import { grammarOf } from './grammars';
import { planPieces, type PlannedPiece } from './parse-plan';
import { cutPieces, PIECE_UNITS } from './pieces';

export interface ParserPoolOptions {
  /** Parser processes; default 1. Each starts with its first text and takes 60 to `maxMemoryMb` MB. */
  readonly processes?: number;
  /**
   * Time for one piece of text, milliseconds; default 60,000, twelve times what the worst known takes. A last
   * resort: what becomes of a text must not depend on how busy the machine is.
   */
  readonly timeoutMs?: number;
  /** Nodes nested deeper are not looked at; default 2000. */
  readonly maxDepth?: number;
  /** A process that holds more after a text is replaced, one that holds twice as much is killed; default 768 MB. */
  readonly maxMemoryMb?: number;
}

export interface ParserPool {
  /**
   * Chunks of the added lines of each file of one commit, in the order of `files`; MAX_COMMIT_CHUNKS in all.
   * Throws ParserPoolError.
   */
  astChunks(files: readonly SourceFile[]): Promise<AstFile[]>;
  /**
   * Signature of a snippet's code as one chunk, of a long one of its first piece, as a commit of the same text
   * has it; undefined if its language is not parsed, it is too short, or it could not be parsed. Throws
   * ParserPoolError.
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
  /** It was being parsed when a process had to be replaced. */
  failedBefore: boolean;
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
const START_TIMEOUT_MS = 60_000;
/** How often a busy process is looked at. */
const WATCH_EVERY_MS = 200;

/** Memory that a process holds, bytes; 0 where it cannot be asked: then it is known only after each answer. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'latin1');
    return Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * One parser process and the piece that it works on. Gets its next piece when it has answered the last, so that
 * a process that dies or hangs takes one piece with it, and it is known which. That piece is tried once more in
 * a new process: the first may have been killed for a reason that has nothing to do with it.
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
    this.kill();
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
      if (started) this.replace('crashed');
      else {
        this.kill();
        this.settle(startError(entry, reason));
      }
    };
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code, signal) => fail(signal ?? `exit ${code}`));
    child.on('message', (message: ParserMessage) => {
      if (this.child !== child) return;
      if (message.kind === 'ready') {
        started = true;
        this.send();
      } else {
        if (message.rssBytes > this.settings.maxMemoryMb * 1_000_000) this.kill();
        this.settle(message.file);
      }
    });
    this.watch((elapsedMs) => {
      if (elapsedMs > START_TIMEOUT_MS) fail(`no answer in ${START_TIMEOUT_MS} ms`);
    });
  }

  private send(): void {
    const child = this.child;
    const job = this.job;
    if (child === undefined || job === undefined) return;
    const { timeoutMs, maxMemoryMb } = this.settings;
    this.watch((elapsedMs) => {
      if (elapsedMs > timeoutMs) this.replace('timeout');
      else if (memoryOf(child.pid!) > 2 * maxMemoryMb * 1_000_000) this.replace('crashed');
    });
    // A failed send is a process that has died: its exit is reported as well, and handled there.
    child.send(job.request, () => undefined);
  }

  /** Calls `look` with the time that has passed: only that in which this process was able to take an answer. */
  private watch(look: (elapsedMs: number) => void): void {
    clearInterval(this.timer);
    let elapsedMs = 0;
    this.timer = setInterval(() => look((elapsedMs += WATCH_EVERY_MS)), WATCH_EVERY_MS);
  }

  /** The process is of no more use, and the piece may be why: it gets one more try. */
  private replace(status: AstStatus): void {
    this.kill();
    const job = this.job;
    if (job === undefined) return;
    if (job.failedBefore) {
      this.settle(without(status));
    } else {
      job.failedBefore = true;
      this.start();
    }
  }

  /** Ends the process, and lets go of it so that what it still reports is not taken for its successor's. */
  private kill(): void {
    clearInterval(this.timer);
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private settle(result: AstFile | Error): void {
    clearInterval(this.timer);
    const job = this.job;
    this.job = undefined;
    if (result instanceof Error) job?.reject(result);
    else job?.resolve(result);
    this.wake();
  }
}

/**
 * Opens a pool of processes that parse with tree-sitter. A process that dies, hangs or outgrows its memory is
 * replaced; the piece that it worked on is tried once more, and then answered `crashed` or `timeout`.
 */
export function openParserPool(options: ParserPoolOptions = {}): ParserPool {
  const settings = {
    processes: options.processes ?? 1,
    timeoutMs: options.timeoutMs ?? 60_000,
    maxDepth: options.maxDepth ?? 2000,
    maxMemoryMb: options.maxMemoryMb ?? 768,
  };
  const { maxDepth } = settings;
  const queue: Job[] = [];
  const workers = Array.from(
    { length: settings.processes },
    () => new ParserWorker(settings, () => queue.shift()),
  );
  let closed = false;

  const parse = async (text: Omit<ParseRequest, 'maxDepth'>): Promise<AstFile> => {
    if (closed) throw closedError();
    return new Promise((resolve, reject) => {
      queue.push({ request: { ...text, maxDepth }, failedBefore: false, resolve, reject });
      for (const worker of workers) worker.wake();
    });
  };
  const parsePiece = async (language: string, { first, ranges, text }: PlannedPiece): Promise<AstFile> => {
    if (text === undefined) return without('too-large');
    const { status, chunks } = await parse({ language, content: text, ranges });
    return {
      status,
      chunks: chunks.map((chunk) => ({ ...chunk, first: chunk.first + first, last: chunk.last + first })),
    };
  };

  return {
    astChunks: async (files) => {
      const parsed = planPieces(files).map(async (pieces, i) => {
        if (pieces === undefined) return without('unsupported');
        return joinPieces(await Promise.all(pieces.map((piece) => parsePiece(files[i]!.language, piece))));
      });
      return boundChunks(await Promise.all(parsed));
    },
    snippetSignature: async (language, code) => {
      const piece = cutPieces(code)[0]!;
      if (grammarOf(language) === undefined || piece.text.length > PIECE_UNITS) return undefined;
      const { chunks } = await parse({ language, content: piece.text });
      return chunks[0] && { signature: chunks[0].signature, bands: chunks[0].bands };
    },
    close: async () => {
      closed = true;
      for (const job of queue.splice(0)) job.reject(closedError());
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

const KINDS: readonly AstChunk['kind'][] = ['hunk', 'function', 'window'];

/** The chunks of a file's pieces, those of a kind together: what is bounded begins with the most telling. */
function joinPieces(pieces: readonly AstFile[]): AstFile {
  const chunks = pieces.flatMap((piece) => piece.chunks);
  return {
    status: pieces.find(({ status }) => status !== 'parsed')?.status ?? 'parsed',
    chunks: KINDS.flatMap((kind) => chunks.filter((chunk) => chunk.kind === kind)),
  };
}
