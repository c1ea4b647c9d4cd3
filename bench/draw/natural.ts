import { languageOf } from '@lineprint/fingerprint';
import { exclusion } from '@lineprint/git';
import { diff } from 'fast-myers-diff';
import type { BackgroundFile, DataSet, LabelledCommit, LabelledSnippet } from '../accuracy/data';
import { SeededRandom } from '../accuracy/self-made/random';
import { BRACE_LANGUAGES } from './languages';
import { filesAt, gitOutput, readTexts } from './objects';

/** What a line of a file's history is: there before, kept from AI, changed from AI, human, or moved from elsewhere. */
type Origin = 'old' | 'P' | 'M' | 'H' | 'moved';

interface Version {
  readonly commit: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly isAi: boolean;
  readonly lines: readonly string[];
  /** Lines that stood in the repository before the commit, three in a row, wherever. */
  readonly moved: ReadonlySet<number>;
}

interface Change {
  readonly path: string;
  readonly blob: string;
}

interface MainCommit {
  readonly id: string;
  readonly time: number;
  readonly changes: readonly Change[];
}

/** Programs: of a list of versions or a CI file it says little that two are alike. */
const LANGUAGES = new Set([...BRACE_LANGUAGES, 'python', 'ruby', 'php', 'scala', 'tsx', 'jsx', 'bash']);
/** Newest commits of a repository's main line that are looked at. */
const COMMITS = 1500;
/** Commits of a file that a record sums up; and records of each in a repository. */
const WINDOWS = [2, 5, 10, 20] as const;
const WINDOWS_EACH = 12;
const HUMAN_RECORDS = 130;
const AI_SHARE = 0.5;
/** An import, or a version number, makes no window. */
const LEAST_AI_LINES = 3;
/** Shared words, of all that two lines have, from which a person has changed the one into the other. */
const SAME_LINE = 0.6;
/** As the product tells a move: so many lines in a row. */
const MOVED_LINES = 3;
const LARGEST_FILE_LINES = 3000;

/**
 * Windows of a repository's own history, file by file: of its commits half are declared AI's, by chance and for good, and each
 * line is followed through the commits of the window. Lines that were moved or copied within the repository are not scored:
 * a record cannot show where from, and whose they are depends on it.
 *
 * @param repositories git directories
 */
export function naturalSet(repositories: readonly string[], seed: number): DataSet {
  const sets = repositories.map((repository, i) =>
    new History(repository, `r${i}`, new SeededRandom(seed + i)).draw(),
  );
  return {
    records: sets.flatMap(({ records }) => records),
    snippets: sets.flatMap(({ snippets }) => snippets),
    background: sets.flatMap(({ background }) => background),
  };
}

class History {
  private readonly files = new Map<string, Version[]>();
  private readonly snippets: LabelledSnippet[] = [];
  private readonly background: BackgroundFile[] = [];
  /** How often each three lines in a row stand in the repository. */
  private readonly runs = new Map<string, number>();

  constructor(
    private readonly repository: string,
    private readonly name: string,
    private readonly random: SeededRandom,
  ) {}

  draw(): { records: LabelledCommit[]; snippets: LabelledSnippet[]; background: BackgroundFile[] } {
    this.read();
    const { snippets, background } = this;
    return { records: [...this.windows(), ...this.humanCommits()], snippets, background };
  }

  private read(): void {
    const commits = mainLine(this.repository);
    const first = commits[0];
    if (!first) return;
    const before = filesAt(this.repository, first.id).filter(({ path }) => isCode(path));
    const texts = readTexts(this.repository, [
      ...before.map(({ blob }) => blob),
      ...commits.flatMap(({ changes }) => changes.map(({ blob }) => blob)),
    ]);
    for (const { path, blob } of before) {
      const text = texts.get(blob);
      if (text === undefined) continue;
      this.background.push({ path, text });
      const lines = text.split('\n');
      this.files.set(path, [{ commit: first.id, time: first.time, isAi: false, lines, moved: new Set() }]);
      this.count(lines, 1);
    }
    for (const { id, time, changes } of commits.slice(1)) {
      const isAi = this.random.share() < AI_SHARE;
      const changed = changes.flatMap(({ path, blob }) => {
        const lines = (texts.get(blob) ?? '').split('\n');
        return lines.length > LARGEST_FILE_LINES ? [] : [{ path, lines, moved: this.known(lines) }];
      });
      for (const { path, lines, moved } of changed) {
        const versions = this.files.get(path) ?? [];
        this.files.set(path, versions);
        const old = versions.at(-1)?.lines ?? [];
        const version = { commit: id, time, isAi, lines, moved };
        if (isAi) this.accept(path, old, version);
        versions.push(version);
        this.count(old, -1);
        this.count(lines, 1);
      }
    }
  }

  /** Numbers of the lines that stand in the repository, three in a row. */
  private known(lines: readonly string[]): Set<number> {
    return new Set(
      runsOf(lines).flatMap(({ key, numbers }) => ((this.runs.get(key) ?? 0) > 0 ? numbers : [])),
    );
  }

  private count(lines: readonly string[], change: number): void {
    for (const { key } of runsOf(lines)) this.runs.set(key, (this.runs.get(key) ?? 0) + change);
  }

  /** The runs of lines that a commit of AI's added, as snippets that were accepted a second before it. */
  private accept(path: string, old: readonly string[], { commit, time, lines }: Version): void {
    for (const [, , from, to] of diff(old, lines)) {
      if (!lines.slice(from, to).some(isText)) continue;
      const before = lines.slice(0, from).findLast(isText);
      const after = lines.slice(to).find(isText);
      this.snippets.push({
        id: `${this.name}-${commit.slice(0, 12)}-${this.snippets.length}`,
        path,
        language: languageOf(path),
        snippet: lines.slice(from, to).join('\n'),
        time: time - 1,
        ...(before !== undefined && { before }),
        ...(after !== undefined && { after }),
      });
    }
  }

  private windows(): LabelledCommit[] {
    return WINDOWS.flatMap((length) => {
      const starts = [...this.files].flatMap(([path, versions]) =>
        Array.from({ length: Math.max(0, versions.length - length) }, (_, at) => ({ path, at: at + 1 })),
      );
      const records: LabelledCommit[] = [];
      for (const { path, at } of this.random.shuffle(starts)) {
        if (records.length === WINDOWS_EACH) break;
        const versions = this.files.get(path)!.slice(at - 1, at + length);
        const record = this.record(path, versions, `w${length}`);
        if ((record.truth.match(/P/g) ?? []).length >= LEAST_AI_LINES) records.push(record);
      }
      return records;
    });
  }

  private humanCommits(): LabelledCommit[] {
    const single = [...this.files].flatMap(([path, versions]) =>
      versions.flatMap(({ isAi }, i) =>
        isAi || i === 0 ? [] : [{ path, pair: versions.slice(i - 1, i + 1) }],
      ),
    );
    return this.random
      .shuffle(single)
      .map(({ path, pair }) => this.record(path, pair, 'neg'))
      .filter(({ added }) => added.includes('1'))
      .slice(0, HUMAN_RECORDS);
  }

  /** @param versions the one before the window, then those in it */
  private record(path: string, versions: readonly Version[], size: string): LabelledCommit {
    const base = versions[0]!;
    let lines: readonly string[] = base.lines;
    let origins: Origin[] = lines.map(() => 'old');
    for (const version of versions.slice(1)) {
      origins = followed(lines, origins, version);
      lines = version.lines;
    }
    const last = versions.at(-1)!;
    const isNegative = size === 'neg';
    const commits = new Set(versions.slice(1).map(({ commit }) => commit.slice(0, 12)));
    return {
      id: `${this.name}:${base.commit.slice(0, 10)}-${last.commit.slice(0, 10)}:${path}`,
      language: languageOf(path),
      size,
      transform: isNegative ? 'natural_human' : 'natural',
      ...(!isNegative && {
        snippets: this.snippets.flatMap(({ id, path: own }) =>
          own === path && commits.has(id.split('-')[1]!) ? [id] : [],
        ),
      }),
      path,
      final_file: lines.join('\n'),
      truth: origins.map((origin) => (origin === 'old' || origin === 'moved' ? 'H' : origin)).join(''),
      added: origins.map((origin) => (origin === 'old' ? '0' : '1')).join(''),
      skip: origins.map((origin) => (origin === 'moved' ? '1' : '0')).join(''),
      time: last.time,
      since: base.time,
    };
  }
}

/** Where each line of a new version comes from. */
function followed(
  old: readonly string[],
  origins: readonly Origin[],
  { lines, moved, isAi }: Version,
): Origin[] {
  const next: Origin[] = [];
  let at = 0;
  for (const [oldFrom, oldTo, from, to] of diff(old, lines)) {
    next.push(...origins.slice(at, oldFrom));
    at = oldTo;
    const gone = Array.from({ length: oldTo - oldFrom }, (_, i) => oldFrom + i).filter((i) =>
      /[PM]/.test(origins[i]!),
    );
    for (let line = from; line < to; line++) {
      if (moved.has(line)) {
        next.push('moved');
        continue;
      }
      const source = isAi ? -1 : gone.findIndex((i) => resemblance(old[i]!, lines[line]!) >= SAME_LINE);
      if (source >= 0) gone.splice(0, source + 1);
      next.push(isAi ? 'P' : source >= 0 ? 'M' : 'H');
    }
  }
  next.push(...origins.slice(at));
  return next;
}

/** Each three lines in a row that are not blank, without their indentation. */
function runsOf(lines: readonly string[]): { key: string; numbers: number[] }[] {
  const texts = lines.flatMap((line, number) => (isText(line) ? [{ text: line.trim(), number }] : []));
  return texts.slice(MOVED_LINES - 1).map((_, i) => {
    const run = texts.slice(i, i + MOVED_LINES);
    return { key: run.map(({ text }) => text).join('\n'), numbers: run.map(({ number }) => number) };
  });
}

function resemblance(a: string, b: string): number {
  const [mine, others] = [a, b].map((line) => new Set(line.match(/\w+/g)));
  const shared = [...mine!].filter((word) => others!.has(word)).length;
  return shared === 0 ? 0 : shared / (mine!.size + others!.size - shared);
}

const isText = (line: string): boolean => line.trim() !== '';

function isCode(path: string): boolean {
  return LANGUAGES.has(languageOf(path)) && exclusion(path) === undefined;
}

/** The newest commits of the main line, oldest first, with what each changes against its first parent. */
function mainLine(repository: string): MainCommit[] {
  const log = gitOutput(repository, [
    ...[
      'log',
      '--first-parent',
      '-m',
      '--raw',
      '--no-abbrev',
      '--no-renames',
      '--reverse',
      '--format=commit %H %ct',
    ],
    ...[`-${COMMITS}`, 'HEAD'],
  ]).toString('utf8');
  const commits: { id: string; time: number; changes: Change[] }[] = [];
  for (const line of log.split('\n')) {
    if (line.startsWith('commit ')) {
      const [, id = '', time] = line.split(' ');
      // Clocks of several people: what comes later in the history was made later.
      commits.push({ id, time: Math.max(Number(time), commits.at(-1)?.time ?? 0), changes: [] });
    }
    const [, blob = '', path = ''] = /^:\d+ \d+ \w+ (\w+) \w\t(.+)$/.exec(line) ?? [];
    if (path !== '' && isCode(path)) commits.at(-1)?.changes.push({ path, blob });
  }
  return commits;
}
