import type { CommitFile, CommitPush, Hunk } from '@lineprint/contracts';
import { type AttributesLookup, AttributesReader } from './attributes';
import { BlobReader, HEAD_BYTES, type Blob } from './blob-reader';
import {
  DIFF_ARGUMENTS,
  DiffParser,
  dropText,
  MAX_TEXT_BYTES,
  type CommitDiff,
  type CommitMeta,
  type FileDiff,
} from './commit-parser';
import { streamCommits } from './commit-stream';
import { declaration, defaultDeclarationPatterns, type DeclarationPattern } from './declaration';
import { decodeText } from './decode-text';
import { exclusion } from './exclusion';
import { diffWithoutMissing } from './missing-content';
import { MergeReader } from './merge-reader';
import { mergedFiles } from './merged-files';
import { contentExclusion } from './machine-content';
import type { Repository } from './repository';

/** Larger files come without content, as added lines only. */
export const MAX_CONTENT_BYTES = 1024 * 1024;
/** Limit of the commit contract. */
const MAX_PARENTS = 64;
/** Blobs asked for at a time: enough to keep git busy, few enough to bound memory. */
const BLOBS_AT_ONCE = 16;
const ZERO_ID = /^0+$/;

/** A commit as it is pushed, but for the names that the pusher gives to repository and project. */
export type CommitContent = Omit<CommitPush, 'repository' | 'projectId'>;

export type ReadCommit =
  | { kind: 'commit'; commit: CommitContent }
  /** The commit could not be read; `reason` names the object that is missing, if that is why. */
  | { kind: 'skipped'; sha: string; reason: string };

export interface ReadOptions {
  /** How commits declare an AI; none are looked for when empty. Default: the known assistants. */
  declarations?: readonly DeclarationPattern[];
  /** Why a path's lines do not count, if so, whatever the file holds; by default `exclusion` and what programs write. */
  exclude?: typeof exclusion;
  /** What happens to a commit with a file whose content the clone lacks: `skip` (default), or the file is left out. */
  missing?: 'skip' | 'leave-out';
}

/**
 * Reads commits, in the order given, through one `git diff-tree` and one `git cat-file`. Memory is bounded
 * by one commit (8 MiB of text) and the pipes; the history may be of any length. Up to 64 ids are taken
 * ahead of the commit that is given.
 *
 * A file has `content` when it has added lines, is text, not excluded, and at most 1 MiB; a larger one
 * (or one whose blob is missing) has `added` lines in its hunks instead; what goes beyond 8 MiB or 200,000 changed
 * lines a commit, 50,000 a file, or 4 MiB a line is excluded as `too-large`. A merge has only the lines that are in none of its parents.
 */
export async function* readCommits(
  repository: Repository,
  shas: Iterable<string> | AsyncIterable<string>,
  options: ReadOptions = {},
): AsyncGenerator<ReadCommit> {
  const patterns = options.declarations ?? defaultDeclarationPatterns;
  const reader = await AttributesReader.open(
    repository,
    Array.isArray(shas) ? (shas as string[]) : undefined,
  );
  const blobs = new BlobReader(repository);
  /** Of the commits that git was told of, in their order: the first is the one that is read. */
  const ahead: AttributesLookup[] = [];
  const prepare = async (sha: string) => {
    ahead.push(await reader.at(sha));
  };
  const exclude = options.exclude ?? exclusion;
  const newParser = () => new DiffParser((path) => exclude(path, ahead[0]!(path)));
  const merges = new MergeReader(repository);
  try {
    for await (const item of streamCommits(repository, DIFF_ARGUMENTS, shas, newParser, prepare)) {
      const attributes = ahead.shift()!;
      const excluded = (path: string) => exclude(path, attributes(path));
      const diff =
        'value' in item
          ? item.value
          : options.missing === 'leave-out'
            ? await diffWithoutMissing(repository, item.sha, undefined, () => new DiffParser(excluded))
            : undefined;
      const reason = diff ? beyondContract(diff) : 'reason' in item ? item.reason : undefined;
      if (!diff || reason !== undefined) {
        yield { kind: 'skipped', sha: item.sha, reason: reason ?? 'it cannot be read' };
        continue;
      }
      const files = await readFiles(diff, blobs, options.exclude ? undefined : attributes);
      const { parents } = diff.meta;
      const diffs = parents.length > 1 ? await merges.read(item.sha, parents, excluded) : undefined;
      yield {
        kind: 'commit',
        commit: {
          ...commitOf(diff.meta, files),
          ...given('declared', declaration(diff.meta, patterns)),
          ...given('merged', diffs && mergedFiles(diffs)),
        },
      };
    }
  } finally {
    blobs.close();
    merges.close();
    reader.close();
  }
}

function beyondContract({ meta }: CommitDiff): string | undefined {
  return meta.parents.length > MAX_PARENTS ? `more than ${MAX_PARENTS} parents` : undefined;
}

function commitOf(meta: CommitMeta, files: CommitFile[]): CommitContent {
  const { message: _message, ...fields } = meta;
  return { ...fields, files };
}

function given<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}

async function readFiles(
  { meta, files }: CommitDiff,
  blobs: BlobReader,
  attributes: AttributesLookup | undefined,
): Promise<CommitFile[]> {
  // In a merge, git lists files that it merged cleanly as well: nothing in them is new.
  const isMerge = meta.parents.length > 1;
  const changed = isMerge
    ? files.filter((file) => file.binary || file.addedLines + file.deletedLines > 0)
    : files;
  const budget = { left: MAX_TEXT_BYTES };
  const result: CommitFile[] = [];
  for (let from = 0; from < changed.length; from += BLOBS_AT_ONCE) {
    const batch = changed.slice(from, from + BLOBS_AT_ONCE);
    const read = await Promise.all(batch.map((file) => readBlob(file, blobs, budget.left)));
    batch.forEach((file, index) => result.push(withContent(file, read[index], budget, attributes)));
  }
  return result;
}

async function readBlob(file: FileDiff, blobs: BlobReader, left: number): Promise<Blob | undefined> {
  const wanted =
    file.excluded === undefined && !file.binary && file.addedLines > 0 && !ZERO_ID.test(file.blob);
  if (!wanted) return undefined;
  return blobs.read(file.blob, Math.min(MAX_CONTENT_BYTES, left));
}

function withContent(
  file: FileDiff,
  blob: Blob | undefined,
  budget: { left: number },
  attributes: AttributesLookup | undefined,
): CommitFile {
  const content = blob?.kind === 'content' ? decodeText(blob.bytes) : undefined;
  const head = blob?.kind === 'too-large' ? blob.head.toString('utf8') : content?.slice(0, HEAD_BYTES);
  const excluded = excludedByContent(file, head, content, attributes);
  if (excluded !== undefined) dropText(file, excluded);
  const counted = file.excluded === undefined && !file.binary;
  let sent: CommitFile = fileOf(file);
  if (counted && content !== undefined) {
    const hunks = file.hunks.map(withoutAdded);
    const bytes = content.length + charactersOf(file.hunks.map((hunk) => hunk.removed));
    if (bytes <= budget.left) {
      budget.left -= bytes;
      return { ...sent, content, hunks };
    }
  }
  if (counted) {
    if (file.textBytes <= budget.left) {
      budget.left -= file.textBytes;
    } else {
      dropText(file, 'too-large');
      sent = fileOf(file);
    }
  }
  return { ...sent, hunks: file.hunks.map((hunk) => (hunk.newLines > 0 ? hunk : withoutAdded(hunk))) };
}

function withoutAdded({ added: _added, ...hunk }: Required<Hunk>): Hunk {
  return hunk;
}

function charactersOf(texts: string[][]): number {
  return texts.reduce((sum, lines) => lines.reduce((inner, line) => inner + line.length + 1, sum), 0);
}

function excludedByContent(
  file: FileDiff,
  head: string | undefined,
  content: string | undefined,
  attributes: AttributesLookup | undefined,
): string | undefined {
  if (!attributes || file.excluded !== undefined || file.binary) return undefined;
  const first = file.hunks[0];
  // Of a blob that the clone lacks, the hunks may still have the first lines.
  const firstLines = head?.split('\n') ?? (first?.newStart === 1 ? first.added : []);
  return contentExclusion(file.path, firstLines, content, attributes(file.path));
}

function fileOf(file: FileDiff): CommitFile {
  const { path, oldPath, status, binary, addedLines, deletedLines, excluded } = file;
  return {
    path,
    ...(oldPath !== undefined && { oldPath }),
    status,
    binary,
    addedLines,
    deletedLines,
    hunks: [],
    ...(excluded !== undefined && { excluded }),
  };
}
