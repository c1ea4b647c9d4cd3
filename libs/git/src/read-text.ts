import { resolve } from 'node:path';
import { BlobReader } from './blob-reader';
import { decodeText, isBinary } from './decode-text';
import type { GitLocation } from './git-process';

/** The text of a file at a commit, or why there is none. */
export type TextRead =
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'missing' | 'too-large' | 'binary' | 'timeout' };

/** A bare repository, as mirrors are, by its path. */
export function bareRepository(path: string): GitLocation {
  return { git: 'git', gitDir: resolve(path) };
}

/**
 * Whether git stores a file under such a name: relative, no part of it `.`, `..` or `.git`, and without characters
 * that would end a line of what git is asked.
 */
export function isStoredPath(path: string): boolean {
  if (path === '' || /[\0\n\r]/.test(path)) return false;
  return path.split('/').every((part) => !['', '.', '..'].includes(part) && part.toLowerCase() !== '.git');
}

/**
 * The lines of a file at a commit, without their ends, as they are stored: no filter of attributes is applied.
 * `missing` where the repository lacks commit or file, as a shallow or partial clone may.
 *
 * @param sha full id of the commit
 * @param path one for which `isStoredPath` is true
 * @param limits largest file in bytes, and how long git may take
 */
export async function readText(
  location: GitLocation,
  { sha, path }: { readonly sha: string; readonly path: string },
  limits: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<TextRead> {
  if (!/^[0-9a-f]{40,64}$/.test(sha) || !isStoredPath(path)) return { kind: 'missing' };
  const blobs = new BlobReader(location);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    blobs.close();
  }, limits.timeoutMs);
  try {
    const blob = await blobs.read(`${sha}:${path}`, limits.maxBytes);
    if (isLate) return { kind: 'timeout' };
    if (blob.kind !== 'content') return { kind: blob.kind };
    if (isBinary(blob.bytes)) return { kind: 'binary' };
    return { kind: 'text', lines: linesOf(decodeText(blob.bytes)) };
  } finally {
    clearTimeout(timer);
    blobs.close();
  }
}

function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  // What stands behind the last line end is a line only if there is something.
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
