import type { MailmapEntry } from '@lineprint/contracts';
import { gitOutput, startGit, type GitLocation } from './git-process';

/** A name at will, and an address in angle brackets, from where the last one ended. */
const NAMED_ADDRESS = /([^<]*)<([^>]*)>/y;

/**
 * Reads a .mailmap as git does: one or two addresses a line, each behind a name or none; what stands behind the second,
 * and lines without an address, mean nothing.
 */
export function parseMailmap(content: string): MailmapEntry[] {
  return content.split('\n').flatMap((line) => {
    // Only at its beginning: names and addresses may hold a #.
    if (line.startsWith('#')) return [];
    NAMED_ADDRESS.lastIndex = 0;
    const first = nextAddress(line);
    if (!first) return [];
    const second = nextAddress(line);
    const entry = second
      ? {
          properName: first.name,
          properEmail: first.address,
          commitName: second.name,
          commitEmail: second.address,
        }
      : { properName: first.name, properEmail: null, commitName: null, commitEmail: first.address };
    return entry.commitEmail === '' || entry.properEmail === '' ? [] : [entry];
  });
}

function nextAddress(line: string): { name: string | null; address: string } | undefined {
  const match = NAMED_ADDRESS.exec(line);
  if (!match) return undefined;
  return { name: match[1]!.trim() || null, address: match[2]! };
}

/** As the server takes it; a larger one is nobody's list of people. */
const MAX_CHARACTERS = 1_000_000;

/** The .mailmap of a commit; empty where it has none that can be read. */
export async function readMailmap(repository: GitLocation, commit: string): Promise<string> {
  const { end, stdout } = await gitOutput(startGit(repository, ['cat-file', 'blob', `${commit}:.mailmap`]));
  const text = end.ok ? stdout.toString('utf8').replaceAll('\0', '') : '';
  return text.length > MAX_CHARACTERS ? '' : text;
}
