import { fileStatuses } from '@lineprint/contracts';
import { AttributionError } from './attribution-error';
import type { FollowedCommit, FollowedFile } from './history-lineage';
import { type FileLineage, isSameRun, type LineOrigin, type LineRun } from './lineage';
import { ByteReader, ByteWriter } from './packed-bytes';
import type { TreeChange, TreeLineage } from './tree-lineage';

/** First byte of whatever is packed here. */
const VERSION = 1;

/** Numbers an edit has, as in `lineEditsSchema`. */
const EDIT_NUMBERS = 4;

/** What a file of a changed tree is made of. */
const GONE = 0;
const NO_BASE = 1;
const OWN_BASE = 2;
const OTHER_BASE = 3;

/** Origins by what they say: equal ones are one object, however many runs and trees have it. */
export class Origins {
  private readonly byCommit = new Map<string, Map<string, LineOrigin>>();

  of(commit: string, path: string): LineOrigin {
    let byPath = this.byCommit.get(commit);
    if (!byPath) this.byCommit.set(commit, (byPath = new Map<string, LineOrigin>()));
    let origin = byPath.get(path);
    if (!origin) byPath.set(path, (origin = { commit, path }));
    return origin;
  }
}

/** What `followed_commits` keeps of a commit beside its id and parents. */
export type FollowedFiles = Pick<FollowedCommit, 'files' | 'merged'>;

export function packFollowed({ files, merged }: FollowedFiles): Uint8Array {
  const writer = new ByteWriter();
  writer.count(VERSION);
  writer.count(files.length);
  for (const { path, oldPath, status, edits, inherited } of files) {
    writer.text(path);
    writeOptionalText(writer, oldPath);
    writer.count(fileStatuses.indexOf(status));
    writer.count(edits === undefined ? 0 : 1);
    if (edits) writeEdits(writer, edits);
    writer.count(inherited.length);
    for (const { start, count, fromFile, fromLine } of inherited) {
      writer.count(start);
      writer.count(count);
      writeOptionalText(writer, fromFile);
      writer.count(fromLine);
    }
  }
  writer.count(merged === undefined ? 0 : 1);
  if (!merged) return writer.finish();
  writer.count(merged.length);
  for (const { path, from } of merged) {
    writer.text(path);
    writer.count(from.length);
    for (const source of from) {
      writer.count(source.parent);
      writeOptionalText(writer, source.path);
      writeEdits(writer, source.edits);
    }
  }
  return writer.finish();
}

/** @throws AttributionError `lineage-malformed` */
export function unpackFollowed(bytes: Uint8Array): FollowedFiles {
  const reader = new ByteReader(bytes);
  checkVersion(reader);
  const files = reader.list((): FollowedFile => {
    const path = reader.text();
    const oldPath = readOptionalText(reader);
    const status = fileStatuses[reader.count()];
    if (!status)
      throw new AttributionError('lineage-malformed', 'a file has a status that is not known here');
    const edits = reader.count() === 0 ? undefined : readEdits(reader);
    const inherited = reader.list(() => {
      const start = reader.count();
      const count = reader.count();
      const fromFile = readOptionalText(reader);
      return { start, count, ...(fromFile === undefined ? {} : { fromFile }), fromLine: reader.count() };
    });
    return { path, ...(oldPath === undefined ? {} : { oldPath }), status, edits, inherited };
  });
  if (reader.count() === 0) return { files };
  const merged = reader.list(() => ({
    path: reader.text(),
    from: reader.list(() => {
      const parent = reader.count();
      const path = readOptionalText(reader);
      return { parent, ...(path === undefined ? {} : { path }), edits: readEdits(reader) };
    }),
  }));
  return { files, merged };
}

/** Packs a whole tree. */
export function packTree(tree: TreeLineage): Uint8Array {
  const writer = new ByteWriter();
  writer.count(VERSION);
  const origins = new OriginTable();
  const body = new ByteWriter();
  const paths = [...tree.keys()].sort();
  for (const path of paths) {
    body.text(path);
    origins.writeRuns(body, tree.get(path)!);
  }
  origins.write(writer);
  writer.count(paths.length);
  return joinedBytes(writer.finish(), body.finish());
}

/**
 * @param origins of all trees that are to be compared or to follow from each other
 * @throws AttributionError `lineage-malformed`
 */
export function unpackTree(bytes: Uint8Array, origins: Origins): Map<string, FileLineage> {
  const reader = new ByteReader(bytes);
  checkVersion(reader);
  const table = readOrigins(reader, origins);
  return new Map(reader.list(() => [reader.text(), readRuns(reader, table)] as const));
}

/**
 * Packs what became of a tree: of each file the runs that it has not in common with its beginning and end before.
 * @param parent the tree that it changes
 */
export function packChange(change: TreeChange, parent: TreeLineage): Uint8Array {
  const writer = new ByteWriter();
  writer.count(VERSION);
  const origins = new OriginTable();
  const body = new ByteWriter();
  const leaving = leavingFiles(change, parent);
  const paths = [...change.keys()].sort();
  for (const path of paths) {
    body.text(path);
    const lineage = change.get(path);
    if (!lineage) {
      body.count(GONE);
      continue;
    }
    const basePath = parent.has(path) ? path : leaving.get(runKey(lineage[0]));
    const base = basePath === undefined ? undefined : parent.get(basePath);
    if (!base || basePath === undefined) {
      body.count(NO_BASE);
      origins.writeRuns(body, lineage);
      continue;
    }
    body.count(basePath === path ? OWN_BASE : OTHER_BASE);
    if (basePath !== path) body.text(basePath);
    const start = commonRuns(lineage, base, Math.min(lineage.length, base.length), (i) => i);
    const end = commonRuns(lineage, base, Math.min(lineage.length, base.length) - start, (i) => -1 - i);
    body.count(start);
    body.count(end);
    origins.writeRuns(body, lineage.slice(start, lineage.length - end));
  }
  origins.write(writer);
  writer.count(paths.length);
  return joinedBytes(writer.finish(), body.finish());
}

/**
 * @param parent the tree that it was packed against
 * @param origins those of `parent`
 * @throws AttributionError `lineage-malformed`, also where `parent` is another tree
 */
export function unpackChange(bytes: Uint8Array, parent: TreeLineage, origins: Origins): TreeChange {
  const reader = new ByteReader(bytes);
  checkVersion(reader);
  const table = readOrigins(reader, origins);
  return new Map(
    reader.list(() => {
      const path = reader.text();
      const kind = reader.count();
      if (kind === GONE) return [path, undefined] as const;
      if (kind === NO_BASE) return [path, readRuns(reader, table)] as const;
      const base = parent.get(kind === OTHER_BASE ? reader.text() : path);
      const start = reader.count();
      const end = reader.count();
      if (!base || start + end > base.length) {
        throw new AttributionError('lineage-malformed', `${path} follows from another tree`);
      }
      const middle = readRuns(reader, table);
      return [path, [...base.slice(0, start), ...middle, ...base.slice(base.length - end)]] as const;
    }),
  );
}

/** The origins of what is being packed, each written once. */
class OriginTable {
  private readonly indexes = new Map<string, number>();
  private readonly commits = new Map<string, number>();
  private readonly paths = new Map<string, number>();
  private readonly origins: [commit: number, path: number][] = [];

  writeRuns(writer: ByteWriter, runs: FileLineage): void {
    writer.count(runs.length);
    // Mostly a later part of what was cut in two.
    const next = new Map<number, number>();
    for (const { origin, line, count } of runs) {
      const index = origin ? 1 + this.indexOf(origin) : 0;
      writer.count(index);
      if (origin) writer.difference(line - (next.get(index) ?? 0));
      next.set(index, line + count);
      writer.count(count);
    }
  }

  write(writer: ByteWriter): void {
    writer.count(this.commits.size);
    for (const commit of this.commits.keys()) writer.hex(commit);
    writer.count(this.paths.size);
    for (const path of this.paths.keys()) writer.text(path);
    writer.count(this.origins.length);
    for (const [commit, path] of this.origins) {
      writer.count(commit);
      writer.count(path);
    }
  }

  private indexOf({ commit, path }: LineOrigin): number {
    const commitIndex = indexIn(this.commits, commit);
    const pathIndex = indexIn(this.paths, path);
    const key = `${commitIndex} ${pathIndex}`;
    let index = this.indexes.get(key);
    if (index === undefined) {
      this.indexes.set(key, (index = this.origins.length));
      this.origins.push([commitIndex, pathIndex]);
    }
    return index;
  }
}

function indexIn(table: Map<string, number>, text: string): number {
  let index = table.get(text);
  if (index === undefined) table.set(text, (index = table.size));
  return index;
}

function readOrigins(reader: ByteReader, origins: Origins): LineOrigin[] {
  const commits = reader.list(() => reader.hex());
  const paths = reader.list(() => reader.text());
  return reader.list(() => {
    const commit = commits[reader.count()];
    const path = paths[reader.count()];
    if (commit === undefined || path === undefined) {
      throw new AttributionError('lineage-malformed', 'an origin is not in the table');
    }
    return origins.of(commit, path);
  });
}

function readRuns(reader: ByteReader, table: readonly LineOrigin[]): LineRun[] {
  const next = new Map<number, number>();
  return reader.list(() => {
    const index = reader.count();
    const origin = table[index - 1];
    if (index > 0 && !origin) {
      throw new AttributionError('lineage-malformed', 'an origin is not in the table');
    }
    const line = origin ? (next.get(index) ?? 0) + reader.difference() : 0;
    const count = reader.count();
    next.set(index, line + count);
    return { origin, line, count };
  });
}

/** Files of the parent that the change takes away, by their first run: a renamed file mostly begins as before. */
function leavingFiles(change: TreeChange, parent: TreeLineage): Map<string, string> {
  const leaving = new Map<string, string>();
  for (const [path, lineage] of change) {
    const before = lineage ? undefined : parent.get(path);
    if (before) leaving.set(runKey(before[0]), path);
  }
  return leaving;
}

function runKey(run: LineRun | undefined): string {
  return run ? `${run.origin?.commit} ${run.line} ${run.origin?.path}` : '';
}

/** How many runs are the same in both, counted by `at` from the beginning (0, 1, …) or the end (−1, −2, …). */
function commonRuns(a: FileLineage, b: FileLineage, most: number, at: (i: number) => number): number {
  let common = 0;
  while (common < most && isSameRun(a.at(at(common))!, b.at(at(common))!)) common++;
  return common;
}

function writeOptionalText(writer: ByteWriter, text: string | undefined): void {
  writer.count(text === undefined ? 0 : 1);
  if (text !== undefined) writer.text(text);
}

function readOptionalText(reader: ByteReader): string | undefined {
  return reader.count() === 0 ? undefined : reader.text();
}

function writeEdits(writer: ByteWriter, edits: readonly number[]): void {
  writer.count(Math.floor(edits.length / EDIT_NUMBERS));
  let oldEnd = 0;
  let newEnd = 0;
  for (let i = 0; i + EDIT_NUMBERS <= edits.length; i += EDIT_NUMBERS) {
    const [oldStart, oldLines, newStart, newLines] = edits.slice(i, i + EDIT_NUMBERS);
    writer.difference(oldStart! - oldEnd);
    writer.count(oldLines!);
    // What is between two edits is as long on both sides.
    writer.difference(newStart! - newEnd - (oldStart! - oldEnd));
    writer.count(newLines!);
    oldEnd = oldStart! + oldLines!;
    newEnd = newStart! + newLines!;
  }
}

function readEdits(reader: ByteReader): number[] {
  let oldEnd = 0;
  let newEnd = 0;
  return reader
    .list(() => {
      const kept = reader.difference();
      const oldLines = reader.count();
      const edit = [oldEnd + kept, oldLines, newEnd + kept + reader.difference(), reader.count()] as const;
      oldEnd = edit[0] + oldLines;
      newEnd = edit[2] + edit[3];
      return edit;
    })
    .flat();
}

function checkVersion(reader: ByteReader): void {
  const version = reader.count();
  if (version !== VERSION) {
    throw new AttributionError('lineage-malformed', `version ${version} is not known here`);
  }
}

function joinedBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(parts);
}
