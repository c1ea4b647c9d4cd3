import type { AstFile } from './ast-file';

/** Chunks of one commit: 32 keys each, so at most 8,192 of the recall index are asked for. */
export const MAX_COMMIT_CHUNKS = 256;

/**
 * The first chunks of each file, at most MAX_COMMIT_CHUNKS together: one of every file, then a second of every
 * file that has one, and so on.
 */
export function boundChunks(files: readonly AstFile[]): AstFile[] {
  const kept = files.map(() => 0);
  let left = MAX_COMMIT_CHUNKS;
  const longest = files.reduce((most, { chunks }) => Math.max(most, chunks.length), 0);
  for (let rank = 0; rank < longest && left > 0; rank++) {
    files.forEach(({ chunks }, i) => {
      if (chunks.length > rank && left > 0) {
        kept[i]!++;
        left--;
      }
    });
  }
  return files.map((file, i) => ({ ...file, chunks: file.chunks.slice(0, kept[i]) }));
}
