const ESCAPES: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** Undoes git's C-style quoting: `"tab\there"` is a path in quotes, anything else stands for itself. */
export function unquotePath(text: string): string {
  if (!text.startsWith('"')) return text;
  const bytes: Buffer[] = [];
  for (const [part, octal, escape] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Buffer.of(parseInt(octal, 8)));
    else if (escape !== undefined) bytes.push(Buffer.of(ESCAPES[escape] ?? escape.charCodeAt(0)));
    else bytes.push(Buffer.from(part, 'utf8'));
  }
  return Buffer.concat(bytes).toString('utf8');
}

/** The path as git writes it in a `diff --git` line: the prefix goes inside the quotes. */
export function prefixedPath(prefix: string, quoted: string): string {
  return quoted.startsWith('"') ? `"${prefix}${quoted.slice(1)}` : prefix + quoted;
}
