import type { CommitFile, CommitPush } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { type AttributesLookup, AttributesReader } from './attributes';
import { BlobReader, HEAD_BYTES } from './blob-reader';
import { type CommitMeta, META_FIELDS, metaOf } from './commit-parser';
import { decodeText, isBinary } from './decode-text';
import { exclusion } from './exclusion';
import { gitOutput, startGit } from './git-process';
import { contentExclusion } from './machine-content';
import { unquotePath } from './quoted-path';
import { type CommitContent, MAX_CONTENT_BYTES } from './read-commits';
import type { Repository } from './repository';

/** Text of one part: JSON needs more bytes than the text, and a part is held in memory at every step. */
const PART_BYTES = 4 * 1024 * 1024;
const BLOBS_AT_ONCE = 16;

/** A part of a baseline, but for the names that the pusher gives to repository and project. */
export type BaselinePart = CommitContent & Required<Pick<CommitPush, 'baseline'>>;

/**
 * Reads the files that stand at a commit, in parts, as the baseline of a repository whose history begins after
 * it. Files that would not count (excluded, binary, over 1 MiB) are left out.
 *
 * @throws LineprintError `unknown-ref` when the clone does not have the commit
 */
export async function* readBaseline(repository: Repository, sha: string): AsyncGenerator<BaselinePart> {
  const { message: _message, ...meta } = await readMeta(repository, sha);
  const reader = await AttributesReader.open(repository, [sha]);
  const blobs = new BlobReader(repository);
  let files: CommitFile[] = [];
  let bytes = 0;
  let part = 0;
  try {
    const attributes = await reader.at(sha);
    const entries = (await listFiles(repository, sha)).filter(
      ({ path }) => exclusion(path, attributes(path)) === undefined,
    );
    for (let from = 0; from < entries.length; from += BLOBS_AT_ONCE) {
      const batch = entries.slice(from, from + BLOBS_AT_ONCE);
      const read = await Promise.all(batch.map(({ blob }) => blobs.read(blob, MAX_CONTENT_BYTES)));
      for (const [index, blob] of read.entries()) {
        if (blob.kind !== 'content') continue;
        const file = fileOf(batch[index]!.path, blob.bytes, attributes);
        if (!file) continue;
        if (bytes + blob.bytes.length > PART_BYTES && files.length > 0) {
          yield { ...meta, baseline: { part: part++ }, files };
          files = [];
          bytes = 0;
        }
        files.push(file);
        bytes += blob.bytes.length;
      }
    }
  } finally {
    blobs.close();
    reader.close();
  }
  if (files.length > 0) yield { ...meta, baseline: { part }, files };
}

function fileOf(path: string, bytes: Buffer, attributes: AttributesLookup): CommitFile | undefined {
  if (bytes.length === 0 || isBinary(bytes)) return undefined;
  const content = decodeText(bytes);
  const firstLines = content.slice(0, HEAD_BYTES).split('\n');
  if (contentExclusion(path, firstLines, content, attributes(path)) !== undefined) return undefined;
  const count = content.split('\n').length - (content.endsWith('\n') ? 1 : 0);
  return {
    path,
    status: 'added',
    binary: false,
    addedLines: count,
    deletedLines: 0,
    content,
    hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: count, removed: [] }],
  };
}

/** Ordinary files of the commit's tree, in git's order. */
async function listFiles(repository: Repository, sha: string): Promise<{ blob: string; path: string }[]> {
  const listing = ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', sha];
  const { end, stdout } = await gitOutput(startGit(repository, listing));
  if (!end.ok) throw new LineprintError('unknown-ref', `git cannot list the files of ${sha}: ${end.message}`);
  return stdout
    .toString('latin1')
    .split('\0')
    .flatMap((entry) => {
      const [, blob, path] = /^100\d+ blob ([0-9a-f]+)\t(.*)$/s.exec(entry) ?? [];
      return blob && path ? [{ blob, path: unquotePath(path) }] : [];
    });
}

async function readMeta(repository: Repository, sha: string): Promise<CommitMeta> {
  const format = `--format=tformat:${META_FIELDS.join('%x00')}`;
  const { end, stdout } = await gitOutput(
    startGit(repository, ['log', '--no-walk', format, '--end-of-options', sha]),
  );
  if (!end.ok) throw new LineprintError('unknown-ref', `git does not have ${sha}: ${end.message}`);
  return metaOf(stdout);
}
