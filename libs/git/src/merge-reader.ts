import { DiffParser, type FileDiff, PARENT_DIFF_ARGUMENTS } from './commit-parser';
import { ALL_PARENTS, endMarker, MAX_LINE_BYTES } from './commit-stream';
import { type GitChild, type GitLocation, startGit } from './git-process';
import { LineSplitter } from './line-splitter';
import { diffWithoutMissing } from './missing-content';

/** What a merge is against one of its parents. */
export type ParentDiff = readonly Pick<
  FileDiff,
  'path' | 'oldPath' | 'status' | 'excluded' | 'addedLines' | 'hunks'
>[];

interface Request {
  readonly sha: string;
  readonly lines: readonly string[];
  readonly exclude: (path: string) => string | undefined;
  readonly diffs: (ParentDiff | undefined)[];
  readonly resolve: (diffs: readonly ParentDiff[] | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const EQUALS = 61;

/**
 * Compares merges with each of their parents, through one `git diff-tree`, started when first needed. Close it after
 * use.
 */
export class MergeReader {
  private child: GitChild | undefined;
  private splitter = new LineSplitter(MAX_LINE_BYTES);
  private parser: DiffParser | undefined;
  private readonly waiting: Request[] = [];
  private closed = false;

  constructor(private readonly location: GitLocation) {}

  /**
   * @param exclude why a path's lines do not count, if so
   * @returns for each parent the files that differ from it, with the places of the lines but not their text, without
   * those whose content the clone lacks; undefined where it lacks a commit or a tree
   */
  async read(
    sha: string,
    parents: readonly string[],
    exclude: (path: string) => string | undefined,
  ): Promise<readonly ParentDiff[] | undefined> {
    const diffs = await this.ask(sha, parents, exclude);
    if (diffs) return diffs;
    const newParser = () => new DiffParser(exclude, 'places');
    const known: ParentDiff[] = [];
    // One at a time: each holds git's whole output.
    for (const parent of parents) {
      const diff = await diffWithoutMissing(this.location, sha, parent, newParser);
      if (!diff) return undefined;
      known.push(diff.files);
    }
    return known;
  }

  private ask(
    sha: string,
    parents: readonly string[],
    exclude: (path: string) => string | undefined,
  ): Promise<readonly ParentDiff[] | undefined> {
    return new Promise((resolve, reject) => {
      // Git takes what follows a commit on its line for the commit's parents, whatever they really are.
      const lines = parents.flatMap((parent) => [`${sha} ${parent}`, endMarker(sha)]);
      this.waiting.push({ sha, lines, exclude, diffs: [], resolve, reject });
      this.child ??= this.start();
      send(this.child, lines);
    });
  }

  close(): void {
    this.closed = true;
    this.child?.process.kill();
  }

  private start(): GitChild {
    const child = startGit(this.location, ['diff-tree', '--stdin', ...PARENT_DIFF_ARGUMENTS], ALL_PARENTS);
    this.splitter = new LineSplitter(MAX_LINE_BYTES);
    this.parser = undefined;
    child.process.stdout.on('data', (chunk: Buffer) => this.take(chunk));
    child.ended.then(
      () => this.restart(),
      (error: unknown) => this.waiting.splice(0).forEach((request) => request.reject(error)),
    );
    return child;
  }

  /** Git dies on an object that is missing: the merge that it was at is unknown, the others are asked for again. */
  private restart(): void {
    this.child = undefined;
    this.waiting.shift()?.resolve(undefined);
    if (this.closed || this.waiting.length === 0) return;
    this.child = this.start();
    for (const request of this.waiting) {
      request.diffs.length = 0;
      send(this.child, request.lines);
    }
  }

  private take(chunk: Buffer): void {
    for (const { bytes, cut } of this.splitter.push(chunk)) {
      const request = this.waiting[0];
      if (!request) return;
      if (bytes[0] === EQUALS && bytes.toString('latin1') === endMarker(request.sha)) {
        this.endDiff(request);
      } else {
        this.parser ??= new DiffParser(request.exclude, 'places');
        this.parser.line(bytes, cut);
      }
    }
  }

  private endDiff(request: Request): void {
    const { parser } = this;
    this.parser = undefined;
    request.diffs.push(parser ? filesOf(parser) : undefined);
    if (request.diffs.length < request.lines.length / 2) return;
    this.waiting.shift();
    const known = request.diffs.filter((diff) => diff !== undefined);
    request.resolve(known.length === request.diffs.length ? known : undefined);
  }
}

function send(child: GitChild, lines: readonly string[]): void {
  child.process.stdin.write(`${lines.join('\n')}\n`);
}

function filesOf(parser: DiffParser): ParentDiff | undefined {
  try {
    return parser.take().files;
  } catch {
    return undefined;
  }
}
