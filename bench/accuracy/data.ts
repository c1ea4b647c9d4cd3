import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';

/** A labelled commit. docs/benchmarks.md gives the form; times are in seconds since 1970. */
export interface LabelledCommit {
  readonly id: string;
  readonly language?: string;
  readonly size?: string;
  readonly transform?: string;
  /** Ids of the snippets that its lines came from; none in a commit of human lines only. */
  readonly base?: string | null;
  readonly base2?: string | null;
  readonly snippets?: readonly string[];
  readonly path?: string;
  readonly aliases?: readonly string[];
  readonly final_file: string;
  /** A letter a line: P kept from AI, M changed from AI, H human; no other is scored. */
  readonly truth: string;
  /** 1 = the commit adds the line. */
  readonly added: string;
  /** 1 = nobody knows the truth about this line. */
  readonly skip?: string | null;
  readonly final_file2?: string | null;
  readonly truth2?: string | null;
  readonly added2?: string | null;
  /** Only snippets up to this time existed. */
  readonly time?: number | null;
  /** When the file's previous commit was made. */
  readonly since?: number | null;
}

/** A piece of AI code as it was accepted. */
export interface LabelledSnippet {
  readonly id: string;
  readonly language?: string;
  readonly path?: string | null;
  readonly snippet: string;
  /** The nearest lines that are not blank, at acceptance. */
  readonly before?: string | null;
  readonly after?: string | null;
  readonly time?: number | null;
}

/** A file that the repository has before any of the commits. */
export interface BackgroundFile {
  readonly language?: string;
  readonly path?: string | null;
  readonly text: string;
}

export interface DataSet {
  readonly records: readonly LabelledCommit[];
  readonly snippets: readonly LabelledSnippet[];
  readonly background: readonly BackgroundFile[];
}

/** One file of a labelled commit as the bench sees it; line numbers count from 0. */
export interface LabelledFile {
  readonly path: string;
  readonly aliases: readonly string[];
  readonly content: string;
  readonly lines: readonly string[];
  readonly truth: string;
  readonly added: string;
  readonly skip: string;
  /** Runs of added lines. */
  readonly hunks: readonly { readonly start: number; readonly lines: readonly string[] }[];
}

const fileOf = (folder: string, set: string, part: string): string => join(folder, `${set}.${part}.jsonl.gz`);

/** Names of the sets of which the folder has records, in order; none where there is no folder. */
export function dataSetsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .flatMap((name) => /^(.+)\.records\.jsonl\.gz$/.exec(name)?.[1] ?? [])
    .sort();
}

/**
 * Reads `<set>.{records,snippets,background}.jsonl.gz`; only the background may be missing.
 *
 * @throws Error that names the file and the line which is not what it should be
 */
export function loadDataSet(folder: string, set: string): DataSet {
  const load = <T extends object>(part: string, fields: readonly (keyof T & string)[]): T[] => {
    const file = resolve(fileOf(folder, set, part));
    const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    return lines.flatMap((line, number) => {
      if (line.trim() === '') return [];
      const value = JSON.parse(line) as T;
      const wrong = fields.find((field) => typeof value[field] !== 'string');
      if (wrong) throw new Error(`${file}, line ${number + 1}: the text \`${wrong}\` is missing.`);
      return [value];
    });
  };
  const records = load<LabelledCommit>('records', ['id', 'final_file', 'truth', 'added']);
  for (const record of records) assertLabelled(record, set);
  return {
    records,
    snippets: load<LabelledSnippet>('snippets', ['id', 'snippet']),
    background: existsSync(fileOf(folder, set, 'background'))
      ? load<BackgroundFile>('background', ['text'])
      : [],
  };
}

/** Writes a set as `loadDataSet` reads it; the folder is made where it is missing. */
export function saveDataSet(folder: string, set: string, data: DataSet): void {
  mkdirSync(folder, { recursive: true });
  for (const part of ['records', 'snippets', 'background'] as const) {
    const lines = data[part].map((item) => `${JSON.stringify(item)}\n`).join('');
    writeFileSync(fileOf(folder, set, part), gzipSync(lines));
  }
}

/** A blank line at the end may have no label. */
function assertLabelled(record: LabelledCommit, set: string): void {
  for (const { path, lines, truth, added } of labelledFiles(record)) {
    const missing = lines.findIndex((line, i) => line.trim() !== '' && !(truth[i] && added[i]));
    if (missing < 0) continue;
    throw new Error(`Record ${record.id} of ${set} says nothing about line ${missing + 1} of ${path}.`);
  }
}

/** The files of a commit: one, or two where its lines were spread. */
export function labelledFiles(record: LabelledCommit): LabelledFile[] {
  const path = record.path ?? `unnamed.${record.language ?? 'txt'}`;
  const files = [
    labelledFile(path, record.aliases ?? [], record.final_file, record.truth, record.added, record.skip),
  ];
  if (typeof record.final_file2 === 'string') {
    files.push(
      labelledFile(
        secondPath(path),
        [path],
        record.final_file2,
        record.truth2 ?? '',
        record.added2 ?? '',
        null,
      ),
    );
  }
  return files;
}

/** The data names one path for both files: the second one gets it as its old one, since two cannot share it. */
function secondPath(path: string): string {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') ? `${path.slice(0, dot)}.second${path.slice(dot)}` : `${path}.second`;
}

function labelledFile(
  path: string,
  aliases: readonly string[],
  content: string,
  truth: string,
  added: string,
  skip: string | null | undefined,
): LabelledFile {
  const lines = content.split('\n');
  const hunks: { start: number; lines: string[] }[] = [];
  lines.forEach((line, i) => {
    if (added[i] !== '1') return;
    const last = hunks.at(-1);
    if (last && last.start + last.lines.length === i) last.lines.push(line);
    else hunks.push({ start: i, lines: [line] });
  });
  return { path, aliases, content, lines, truth, added, skip: skip ?? '', hunks };
}

/** True if the commit has lines that came from AI, or had before people changed them all. */
export function hasAi(record: LabelledCommit): boolean {
  if (record.base) return true;
  if (record.snippets) return record.snippets.length > 0;
  return /[PM]/.test(`${record.truth}${record.truth2 ?? ''}`);
}

/** Ids of the snippets that a commit's lines came from. */
export function originsOf({ base, base2, snippets }: LabelledCommit): string[] {
  return [base, base2, ...(snippets ?? [])].filter((id) => typeof id === 'string');
}

/** At most `size` of them, evenly spread, so that every class stays represented. */
export function spread<T>(list: readonly T[], size: number): readonly T[] {
  if (list.length <= size) return list;
  return Array.from({ length: Math.floor(size) }, (_, i) => list[Math.floor((i * list.length) / size)]!);
}
