import { readFileSync } from 'node:fs';

/** When each line was first told of, in milliseconds since 1970. */
export type FirstSeen = ReadonlyMap<string, number>;

/** What transcripts say, without the importer: by any call of a tool that did not fail, wherever in a line of JSON it stands. */
export interface Told {
  /** Lines of the new text of edits. */
  readonly edits: FirstSeen;
  /** Lines of shell commands: here documents, and arguments of `sed`. */
  readonly shell: FirstSeen;
  /** Folders that the assistant worked in. */
  readonly folders: ReadonlySet<string>;
}

type Fields = Readonly<Record<string, unknown>>;

const NEW_TEXT: Readonly<Record<string, readonly string[]>> = {
  Edit: ['new_string'],
  MultiEdit: ['new_string'],
  Write: ['content'],
  NotebookEdit: ['new_source'],
};

/** Lines without their ends; a text that ends with one has an empty line behind it. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/);

/** A line as it is compared: white space at its end does not count. */
export function comparable(line: string): string {
  return line.trimEnd();
}

export function readTold(files: readonly string[]): Told {
  const edits = new Map<string, number>();
  const shell = new Map<string, number>();
  const folders = new Set<string>();
  for (const file of files) {
    const uses = new Map<string, { name: string; input: Fields; time: number }>();
    for (const text of readFileSync(file, 'utf8').split('\n')) {
      const line = parsed(text);
      if (!line) continue;
      if (typeof line['cwd'] === 'string') folders.add(line['cwd']);
      if (!text.includes('"tool_use')) continue;
      const time = Date.parse(String(line['timestamp']));
      for (const part of partsOf(line)) {
        const { type, id, name, input, tool_use_id: answered } = part;
        if (type === 'tool_use' && isFields(input)) uses.set(String(id), { name: String(name), input, time });
        if (type === 'tool_result' && part['is_error'] === true) uses.delete(String(answered));
      }
    }
    for (const { name, input, time } of uses.values()) {
      if (name === 'Bash') addLines(shell, input['command'], time);
      for (const field of NEW_TEXT[name] ?? []) {
        addLines(edits, input[field], time);
        // A call of several edits has them in a list.
        for (const edit of listOf(input['edits'])) addLines(edits, edit[field], time);
      }
    }
  }
  return { edits, shell, folders };
}

function parsed(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Calls of tools, and their answers, anywhere below a value. */
function* partsOf(value: unknown): Generator<Fields> {
  if (Array.isArray(value)) {
    for (const item of value) yield* partsOf(item);
  } else if (isFields(value)) {
    if (value['type'] === 'tool_use' || value['type'] === 'tool_result') yield value;
    else for (const item of Object.values(value)) yield* partsOf(item);
  }
}

function addLines(seen: Map<string, number>, text: unknown, time: number): void {
  if (typeof text !== 'string' || Number.isNaN(time)) return;
  for (const line of linesOf(text)) {
    const key = comparable(line);
    if (key !== '' && time < (seen.get(key) ?? Infinity)) seen.set(key, time);
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.filter(isFields) : []);

/**
 * The working trees among the folders: an assistant also works in folders within one, which the repository has, and
 * in linked working trees within one, which it does not have.
 */
export function rootsAmong(folders: ReadonlySet<string>, repositoryFolders: ReadonlySet<string>): string[] {
  return [...folders]
    .filter((folder) => {
      const within = [...folders].filter((root) => folder.startsWith(`${root}/`));
      return !within.some((root) => repositoryFolders.has(folder.slice(root.length + 1)));
    })
    .sort();
}
