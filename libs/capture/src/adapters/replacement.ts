/** One replacement in a text, as assistants' edit tools take it. */
export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  /** Every occurrence instead of the first. */
  readonly all: boolean;
}

/** Texts are compared with `\n` at their line ends: a tool may show a CRLF file to its model either way. */
export function unixLineEnds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/**
 * The text after all replacements, each on the result of the one before.
 * @returns nothing when one of them does not occur: the text is then not the one that was edited
 */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string | undefined {
  let result = unixLineEnds(text);
  for (const { oldText, newText, all } of replacements) {
    const [old, now] = [unixLineEnds(oldText), unixLineEnds(newText)];
    // An empty old text makes a new file.
    if (old === '' && result !== '') return undefined;
    const at = result.indexOf(old);
    if (at < 0) return undefined;
    result =
      all && old !== ''
        ? result.split(old).join(now)
        : result.slice(0, at) + now + result.slice(at + old.length);
  }
  return result;
}

/** Before and after of a unified diff's hunk lines: ` ` in both, `-` before, `+` after. */
export function patchSides(lines: readonly string[]): { before: string; after: string } {
  const side = (mark: string) =>
    lines
      .filter((line) => line.startsWith(mark) || line.startsWith(' '))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  return { before: side('-'), after: side('+') };
}
