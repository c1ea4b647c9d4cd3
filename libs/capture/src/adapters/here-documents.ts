/** A text that a shell command appends to a file. */
export interface AppendedText {
  /** As the command names it. */
  readonly path: string;
  readonly text: string;
}

const PATH = String.raw`(?:'([^']+)'|"([^"$\x60]+)"|([^\s'"$\x60|;&<>()]+))`;
const MARK = String.raw`<<\s*(?:'(\w+)'|"(\w+)"|(\w+))`;
const APPEND_FIRST = new RegExp(String.raw`^\s*cat\s*>>\s*${PATH}\s*${MARK}\s*$`);
const MARK_FIRST = new RegExp(String.raw`^\s*cat\s*${MARK}\s*>>\s*${PATH}\s*$`);
/** What a shell replaces in a here document whose mark is not quoted. */
const EXPANSION = /[$\x60\\]/;
const CHANGES_FOLDER = /(?:^|[;&|({]|\b(?:then|do))\s*(?:cd|pushd)\b/m;

/**
 * Texts that a command appends by here documents, `cat >> FILE <<'EOF'`: all of it is new, whatever the file held. One
 * that overwrites a file is none: what was there before is not told.
 */
export function appendedTexts(command: string): AppendedText[] {
  const lines = command.split('\n');
  const texts: AppendedText[] = [];
  for (let i = 0; i < lines.length; i++) {
    const opened = hereDocument(lines[i]!);
    if (!opened) continue;
    const end = lines.indexOf(opened.mark, i + 1);
    if (end < 0) break;
    const text = lines.slice(i + 1, end).join('\n');
    const isLiteral = opened.isQuoted || !EXPANSION.test(text);
    // Where a command has gone, a relative path is another file's.
    const isKnown = /^[/~]/.test(opened.path) || !CHANGES_FOLDER.test(lines.slice(0, i).join('\n'));
    if (isLiteral && isKnown) texts.push({ path: opened.path, text: `${text}\n` });
    i = end;
  }
  return texts;
}

function hereDocument(line: string): { path: string; mark: string; isQuoted: boolean } | undefined {
  const append = APPEND_FIRST.exec(line)?.slice(1);
  const reversed = MARK_FIRST.exec(line)?.slice(1);
  const parts = append ?? (reversed && [...reversed.slice(3), ...reversed.slice(0, 3)]);
  if (!parts) return undefined;
  const [path, mark] = [parts.slice(0, 3), parts.slice(3)].map((forms) => forms.find((form) => form));
  return { path: path!, mark: mark!, isQuoted: parts[5] === undefined };
}
