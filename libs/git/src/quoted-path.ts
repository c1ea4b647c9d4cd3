import { isUtf8 } from 'node:buffer';

const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/**
 * Undoes git's C-style quoting: `"tab\there"` is a path in quotes, anything else stands for itself.
 * @param text the path's bytes, as Latin-1: only so can a name that is no UTF-8 be told from another
 * @returns the path; in one that is no UTF-8, bytes above ASCII stay as git quotes them (`caf\351`)
 */
export function unquotePath(text: string): string {
  if (!text.startsWith('"')) return pathOf(Buffer.from(text, 'latin1'));
  const bytes: Buffer[] = [];
  for (const [part, octal, escape] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Buffer.of(parseInt(octal, 8)));
    else if (escape !== undefined) bytes.push(Buffer.of(ESCAPES[escape] ?? escape.charCodeAt(0)));
    else bytes.push(Buffer.from(part, 'latin1'));
  }
  return pathOf(Buffer.concat(bytes));
}

function pathOf(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
}

/** The path as git writes it in a `diff --git` line: the prefix goes inside the quotes. */
export function prefixedPath(prefix: string, quoted: string): string {
  return quoted.startsWith('"') ? `"${prefix}${quoted.slice(1)}` : prefix + quoted;
}
