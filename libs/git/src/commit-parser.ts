import { LineprintError } from '@lineprint/platform';
import { type CommitFile, type Hunk, MAX_COMMIT_LINES, MAX_FILE_LINES } from '@lineprint/contracts';
import type { CommitParser } from './commit-stream';
import { decodeLine } from './decode-text';
import { prefixedPath, unquotePath } from './quoted-path';

/** Who made a commit, when, and what its message says. Times in milliseconds since 1970. */
export interface CommitMeta {
  sha: string;
  parents: string[];
  authorName: string;
  authorEmail: string;
  committerName: string;
  committerEmail: string;
  authoredAt: number;
  committedAt: number;
  message: string;
}

/** One changed file as the diff shows it; its hunks always carry `added`. */
export interface FileDiff {
  status: CommitFile['status'];
  path: string;
  oldPath?: string;
  /** Octal mode in the new tree, `000000` for a deleted file. */
  mode: string;
  /** Object id of the new content. */
  blob: string;
  binary: boolean;
  addedLines: number;
  deletedLines: number;
  hunks: Required<Hunk>[];
  excluded?: string;
  /** Bytes of text held in `hunks`. */
  textBytes: number;
}

export interface CommitDiff {
  meta: CommitMeta;
  files: FileDiff[];
}

export const META_FIELDS = ['%H', '%P', '%an', '%ae', '%cn', '%ce', '%at', '%ct', '%B'];

/**
 * Arguments for `diff-tree --stdin` whose output CommitParser reads.
 *
 * `-U1`, not `-U0`: without context git first cuts off common tails, and Myers' heuristics then give
 * other counts than `git log --numstat` in some commits (21 of 5,365 in a real history).
 * `--cc` shows of a merge only what differs from every parent.
 */
export const DIFF_ARGUMENTS = [
  '--always',
  '--root',
  '-r',
  '--raw',
  '-p',
  '--cc',
  '-U1',
  '-M50%',
  '--diff-algorithm=myers',
  '--indent-heuristic',
  '--full-index',
  '--submodule=short',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  `--format=tformat:${META_FIELDS.join('%x00')}%x00`,
];

/** The same for `diff-tree --stdin` that is told with each commit which one to compare it with. */
export const PARENT_DIFF_ARGUMENTS = DIFF_ARGUMENTS.filter((argument) => argument !== '--cc');

/**
 * Text kept of one commit (removed and added lines, or contents). A file beyond it is excluded as
 * `too-large`: ingest takes bodies up to 16 MiB, and JSON needs more bytes than the text.
 */
export const MAX_TEXT_BYTES = 8 * 1024 * 1024;

/** Limits of the commit contract. */
export const MAX_FILES = 100_000;
const MAX_PATH_CHARACTERS = 4096;

const MAX_TIME_MS = 253_402_300_799_999;
const BACKSLASH = 92;
const CARRIAGE_RETURN = 13;
const COLON = 58;
const MINUS = 45;
const NUL = 0;
const PLUS = 43;
const SPACE = 32;

const STATUSES: Record<string, CommitFile['status']> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'typechange',
};

interface Section {
  /** The `diff` line that git writes above the file's patch. */
  header: string;
  file: FileDiff;
}

/** Reads git's raw and patch output (DIFF_ARGUMENTS), of ordinary commits and merges alike. */
export class DiffParser implements CommitParser<CommitDiff> {
  private head: Buffer[] = [];
  private headBytes = 0;
  private headFields = 0;
  private sections: Section[] = [];
  private current = -1;
  private textBytes = 0;
  private textLines = 0;
  private failure: string | undefined;

  /** Parents the current hunk compares with: 1, or more in a merge. 0 outside of hunks. */
  private columns = 0;
  private oldLine = 0;
  private newLine = 0;
  private run: { removed: string[]; added: string[]; removedLines: number; addedLines: number } | undefined;

  /**
   * @param exclude why a path's lines do not count, if so; nothing is kept of them
   * @param content `places`: hunks say where lines are, without their text
   */
  constructor(
    private readonly exclude: (path: string) => string | undefined,
    private readonly content: 'text' | 'places' = 'text',
  ) {}

  line(bytes: Buffer, cut: boolean): void {
    if (this.headFields < META_FIELDS.length) {
      this.headLine(bytes, cut);
      return;
    }
    const first = bytes[0];
    if (this.failure !== undefined) return;
    if (this.columns > 0 && (first === SPACE || first === PLUS || first === MINUS)) {
      this.hunkLine(bytes, cut);
    } else if (this.columns > 0 && first === BACKSLASH) {
      // "\ No newline at end of file" says nothing about lines.
    } else {
      this.otherLine(bytes);
    }
  }

  take(): CommitDiff {
    this.endRun();
    const { head, headFields, sections, failure } = this;
    this.head = [];
    this.headBytes = 0;
    this.headFields = 0;
    this.sections = [];
    this.current = -1;
    this.columns = 0;
    this.textBytes = 0;
    this.textLines = 0;
    this.failure = undefined;
    if (headFields === 0)
      throw new LineprintError('object-missing', 'the commit object is missing or damaged');
    if (failure !== undefined) throw new LineprintError('git-output', failure);
    return { meta: metaOf(Buffer.concat(head)), files: sections.map((section) => section.file) };
  }

  private headLine(bytes: Buffer, cut: boolean): void {
    if (cut) this.failure = 'the commit message has a line of more than 4 MiB';
    this.headBytes += bytes.length + 1;
    if (this.headBytes > MAX_TEXT_BYTES) this.failure ??= 'the commit message has more than 8 MiB';
    if (this.failure === undefined) this.head.push(bytes, Buffer.of(10));
    for (let at = bytes.indexOf(NUL); at !== -1; at = bytes.indexOf(NUL, at + 1)) this.headFields++;
  }

  private otherLine(bytes: Buffer): void {
    this.endRun();
    this.columns = 0;
    // Latin-1 keeps the bytes of paths apart, whatever their encoding.
    const text = bytes.toString('latin1');
    if (bytes[0] === COLON) this.rawLine(text);
    else if (text.startsWith('diff ')) this.openSection(text);
    else if (text.startsWith('@@')) this.openHunk(text);
    else if (text.startsWith('Binary files ')) this.file().binary = true;
  }

  /** `:100644 100644 <old> <new> M\tpath`, with one more mode and id for each further parent of a merge. */
  private rawLine(text: string): void {
    const [columns, ...paths] = text.split('\t');
    const parents = /^:+/.exec(text)![0].length;
    const words = columns!.slice(parents).split(' ');
    const mode = words[parents]!;
    const quotedPath = paths.at(-1)!;
    const path = unquotePath(quotedPath);
    const merge = parents > 1;
    const letters = words.at(-1)!;
    const oldPath = !merge && paths.length === 2 ? unquotePath(paths[0]!) : undefined;
    this.failure = beyondContract(this.sections.length, [path, oldPath ?? '']);
    const file: FileDiff = {
      status: merge ? mergeStatus(letters, mode) : (STATUSES[letters[0]!] ?? 'modified'),
      path,
      mode,
      blob: words[2 * parents + 1]!,
      binary: false,
      addedLines: 0,
      deletedLines: 0,
      hunks: [],
      textBytes: 0,
    };
    if (oldPath !== undefined) file.oldPath = oldPath;
    const excluded = modeExclusion(mode, words[0]!) ?? this.exclude(path);
    if (excluded !== undefined) file.excluded = excluded;
    const header = merge
      ? `diff --cc ${quotedPath}`
      : `diff --git ${prefixedPath('a/', paths[0]!)} ${prefixedPath('b/', quotedPath)}`;
    this.sections.push({ header, file });
  }

  /** Patches come in the order of the raw lines; a type change has two, some files of a merge have none. */
  private openSection(header: string): void {
    if (this.sections[this.current]?.header === header) return;
    do this.current++;
    while (this.current < this.sections.length && this.sections[this.current]!.header !== header);
    if (this.current === this.sections.length) this.failure = `unexpected output of git: ${header}`;
  }

  private openHunk(text: string): void {
    const columns = /^@+/.exec(text)![0].length - 1;
    const [, old, added] = /^@+ -(\d+)(?:,\d+)? .*?\+(\d+)(?:,\d+)? @/.exec(text) ?? [];
    if (old === undefined || added === undefined) {
      this.failure = `unexpected output of git: ${text}`;
      return;
    }
    this.columns = columns;
    // An empty side starts "before the first line" and never advances.
    this.oldLine = Math.max(1, Number(old));
    this.newLine = Math.max(1, Number(added));
  }

  private hunkLine(bytes: Buffer, cut: boolean): void {
    let plus = 0;
    let minus = 0;
    for (let column = 0; column < this.columns; column++) {
      if (bytes[column] === PLUS) plus++;
      else if (bytes[column] === MINUS) minus++;
    }
    if (plus === this.columns) this.addedLine(bytes, cut);
    else if (minus === this.columns) this.removedLine(bytes, cut);
    else this.endRun();
    const inFirstParent = minus > 0 ? bytes[0] === MINUS : bytes[0] === SPACE;
    if (inFirstParent) this.oldLine++;
    if (minus === 0) this.newLine++;
  }

  private addedLine(bytes: Buffer, cut: boolean): void {
    const file = this.file();
    file.addedLines++;
    this.run ??= { removed: [], added: [], removedLines: 0, addedLines: 0 };
    this.run.addedLines++;
    if (this.keepText(file, bytes, cut)) this.run.added.push(textOf(bytes, this.columns));
  }

  private removedLine(bytes: Buffer, cut: boolean): void {
    const file = this.file();
    if (this.run && this.run.addedLines > 0) this.endRun();
    file.deletedLines++;
    this.run ??= { removed: [], added: [], removedLines: 0, addedLines: 0 };
    this.run.removedLines++;
    if (this.keepText(file, bytes, cut)) this.run.removed.push(textOf(bytes, this.columns));
  }

  private keepText(file: FileDiff, bytes: Buffer, cut: boolean): boolean {
    if (file.excluded !== undefined || this.content === 'places') return false;
    file.textBytes += bytes.length;
    this.textBytes += bytes.length;
    this.textLines++;
    const lines = file.addedLines + file.deletedLines;
    const fits =
      this.textBytes <= MAX_TEXT_BYTES && this.textLines <= MAX_COMMIT_LINES && lines <= MAX_FILE_LINES;
    if (fits && !cut) return true;
    this.textBytes -= file.textBytes;
    this.textLines -= lines;
    dropText(file, 'too-large');
    return false;
  }

  /** A hunk is a run of changed lines; numbers follow git's: an empty side names the line before it. */
  private endRun(): void {
    const run = this.run;
    if (!run) return;
    this.run = undefined;
    const file = this.file();
    if (file.excluded !== undefined) return;
    const { removed, added, removedLines: oldLines, addedLines: newLines } = run;
    const oldStart = oldLines > 0 ? this.oldLine - oldLines : this.oldLine - 1;
    const newStart = newLines > 0 ? this.newLine - newLines : this.newLine - 1;
    file.hunks.push({ oldStart, oldLines, newStart, newLines, removed, added });
  }

  private file(): FileDiff {
    const section = this.sections[this.current];
    if (section) return section.file;
    this.failure ??= 'unexpected output of git: a patch without a file';
    return { ...NO_FILE, hunks: [] };
  }
}

const NO_FILE: FileDiff = {
  status: 'modified',
  path: '',
  mode: '',
  blob: '',
  binary: false,
  addedLines: 0,
  deletedLines: 0,
  hunks: [],
  textBytes: 0,
};

function beyondContract(filesBefore: number, paths: readonly string[]): string | undefined {
  if (filesBefore >= MAX_FILES) return `more than ${MAX_FILES} files`;
  const isLong = paths.some(({ length }) => length > MAX_PATH_CHARACTERS);
  return isLong ? `a path of more than ${MAX_PATH_CHARACTERS} characters` : undefined;
}

/** Excludes a file after the fact: its counts stay, its text goes. */
export function dropText(file: FileDiff, reason: string): void {
  file.excluded = reason;
  file.hunks = [];
  file.textBytes = 0;
}

function textOf(bytes: Buffer, from: number): string {
  const end = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return decodeLine(bytes.subarray(from, Math.max(from, end)));
}

function mergeStatus(letters: string, mode: string): CommitFile['status'] {
  if (/^0+$/.test(mode)) return 'deleted';
  return /^A+$/.test(letters) ? 'added' : 'modified';
}

function modeExclusion(mode: string, oldMode: string): string | undefined {
  const present = /^0+$/.test(mode) ? oldMode : mode;
  if (present === '120000') return 'symlink';
  return present === '160000' ? 'submodule' : undefined;
}

/** @param head META_FIELDS, with a NUL between any two */
export function metaOf(head: Buffer): CommitMeta {
  const fields = head.toString('utf8').split('\0');
  const text = (index: number) => fields[index] ?? '';
  const name = (index: number) => text(index).slice(0, 512);
  return {
    sha: text(0),
    parents: text(1).split(' ').filter(Boolean),
    authorName: name(2),
    authorEmail: name(3),
    committerName: name(4),
    committerEmail: name(5),
    authoredAt: timeOf(text(6)),
    committedAt: timeOf(text(7)),
    message: text(8),
  };
}

/** Git allows any number of seconds; the contracts only times from 1970 to 9999. */
function timeOf(seconds: string): number {
  const time = Number(seconds) * 1000;
  return Number.isFinite(time) ? Math.min(Math.max(0, time), MAX_TIME_MS) : 0;
}
