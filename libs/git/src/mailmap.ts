import type { MailmapEntry } from '@lineprint/contracts';

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
