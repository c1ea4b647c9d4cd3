import { closeSync, fdatasyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Puts a file in place in one step: readers see the old content or the new one, whole, whenever the process or the
 * machine stops.
 * @param mode of the new file: only its owner may read what capture keeps
 */
export function writeAtomically(path: string, content: string, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Beside the file that is to be; nobody reads it under this name.
  const unfinished = `${path}.${process.pid}.new`;
  const file = openSync(unfinished, 'w', mode);
  try {
    writeSync(file, content);
    // A rename may reach the disk before the content does: an empty file would stand where the old one was.
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

/** The JSON in a file; nothing when it is missing or was damaged. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
