import { sources, type Source } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import type { LineAnswer } from './score-sample';

/** The history under `apps/cli/sample/` is not what its README describes. */
export class ScenarioError extends LineprintError {
  constructor(file: string, message: string) {
    super('sample-malformed', `${file}: ${message}`);
  }
}

/** One commit of the sample's story: apps/cli/sample/README.md describes the format. */
export interface Step {
  readonly name: string;
  readonly author: { readonly name: string; readonly email: string };
  /** Milliseconds since 1970. */
  readonly time: number;
  /** With trailers. */
  readonly message: string;
  readonly edits: readonly StepEdit[];
  readonly files: readonly StepFile[];
}

/** What an assistant offered and the author accepted. */
export interface StepEdit {
  readonly letter: string;
  readonly source: Source;
  readonly model: string;
  readonly sessionId: string;
  readonly time: number;
}

export interface StepFile {
  readonly path: string;
  readonly oldPath: string | undefined;
  readonly excluded: boolean;
  readonly lines: readonly MarkedLine[];
}

export interface MarkedLine {
  readonly mark: (typeof MARKS)[number] | 'elided';
  /** Letter of the edit, or a space. */
  readonly edit: string;
  readonly text: string;
}

const MARKS = [' ', 'x', 'P', '-', 'M', 'K', 'h', 'H', 'I'] as const;

const ANSWERS: Partial<Record<MarkedLine['mark'], LineAnswer>> = {
  P: 'P',
  K: 'P',
  M: 'M',
  h: 'H',
  H: 'H',
  I: 'I',
};

/** The right answer for an added line; undefined for lines that the commit does not add. */
export function answerOf(line: MarkedLine): LineAnswer | undefined {
  return ANSWERS[line.mark];
}

/** Reads one step. Throws ScenarioError for what the format does not know. */
export function parseStep(name: string, text: string): Step {
  const [header, ...sections] = text.replace(/\n$/, '').split(/\n*^=== /m);
  const fields = new Map<string, string>();
  const edits: StepEdit[] = [];
  for (const line of header!.split('\n').filter(Boolean)) {
    const [, key, value] = /^([a-z ]+): (.+)$/.exec(line) ?? [];
    if (!key || !value) throw new ScenarioError(name, `no field: ${line}`);
    if (key.startsWith('edit ')) edits.push(parseEdit(name, key.slice(5), value));
    else fields.set(key, value);
  }
  const [, authorName, email] = /^(.+) <(.+)>$/.exec(fields.get('author') ?? '') ?? [];
  const time = Date.parse(fields.get('date') ?? '');
  const message = fields.get('message');
  if (!authorName || !email || !message || Number.isNaN(time)) {
    throw new ScenarioError(name, 'author, date and message are needed');
  }
  const trailer = fields.get('trailer');
  return {
    name,
    author: { name: authorName, email },
    time,
    message: trailer ? `${message}\n\n${trailer}\n` : `${message}\n`,
    edits,
    files: sections.map((section) => parseFile(name, section, edits)),
  };
}

function parseEdit(name: string, letter: string, value: string): StepEdit {
  const [source, model, sessionId, date] = value.split(' ');
  const time = Date.parse(date ?? '');
  const known = sources.find((candidate) => candidate === source);
  if (!known || !model || !sessionId || Number.isNaN(time))
    throw new ScenarioError(name, `no edit: ${value}`);
  return { letter, source: known, model, sessionId, time };
}

function parseFile(name: string, section: string, edits: readonly StepEdit[]): StepFile {
  const [heading, ...lines] = section.split('\n');
  const [, oldPath, path, excluded] = /^(?:(\S+) -> )?(\S+)( \(excluded\))?$/.exec(heading!) ?? [];
  if (!path) throw new ScenarioError(name, `no path: ${heading}`);
  const letters = new Set([' ', ...edits.map((edit) => edit.letter)]);
  return {
    path,
    oldPath,
    excluded: excluded !== undefined,
    lines: lines.map((line): MarkedLine => {
      if (line === '...') return { mark: 'elided', edit: ' ', text: '' };
      const mark = MARKS.find((known) => known === line[0]);
      const edit = line[1];
      if (mark === undefined || edit === undefined || !letters.has(edit) || line[2] !== '|') {
        throw new ScenarioError(name, `no margin: ${line}`);
      }
      return { mark, edit, text: line.slice(3) };
    }),
  };
}

/** Whether the line stood in the file before this step. */
function wasThere(line: MarkedLine): boolean {
  return line.mark === ' ' || line.mark === 'x';
}

/**
 * Replaces each `...` by the lines of the parent that it stands for.
 * Throws ScenarioError where the shown lines are not those of the parent.
 */
export function completeLines(name: string, file: StepFile, parent: readonly string[]): MarkedLine[] {
  const complete: MarkedLine[] = [];
  let next = 0;
  const keepUntil = (end: number) => {
    for (; next < end; next++) complete.push({ mark: ' ', edit: ' ', text: parent[next]! });
  };
  file.lines.forEach((line, index) => {
    if (line.mark === 'elided') {
      const following = file.lines.slice(index + 1);
      const end = following.findIndex((other) => other.mark === 'elided');
      const anchor = (end < 0 ? following : following.slice(0, end)).filter(wasThere);
      keepUntil(anchor.length === 0 ? parent.length : findLines(name, file.path, parent, next, anchor));
    } else {
      if (wasThere(line) && parent[next++] !== line.text) {
        throw new ScenarioError(name, `${file.path} has no line here: ${line.text}`);
      }
      complete.push(line);
    }
  });
  if (next !== parent.length) throw new ScenarioError(name, `${file.path} ends with ${parent[next]}`);
  return complete;
}

function findLines(
  name: string,
  path: string,
  parent: readonly string[],
  from: number,
  anchor: readonly MarkedLine[],
): number {
  for (let start = from; start + anchor.length <= parent.length; start++) {
    if (anchor.every((line, k) => parent[start + k] === line.text)) return start;
  }
  throw new ScenarioError(name, `${path} has no lines like: ${anchor[0]!.text}`);
}

/** What the commit makes of a file: its lines, each with its right answer if the commit adds it. */
export function committedLines(lines: readonly MarkedLine[]): MarkedLine[] {
  return lines.filter((line) => line.mark !== 'x' && line.mark !== '-');
}

/** The file as it was when an edit was accepted, before and after; undefined if the edit left it alone. */
export function editedTexts(
  lines: readonly MarkedLine[],
  edits: readonly StepEdit[],
  edit: StepEdit,
): { before: string; after: string } | undefined {
  const order = (letter: string) => edits.findIndex((other) => other.letter === letter);
  const now = order(edit.letter);
  const touched = lines.some((line) => line.edit === edit.letter && ['P', '-', 'x'].includes(line.mark));
  if (!touched) return undefined;
  /** Whether the line stands in the file once the first `done` edits are in. */
  const stands = (line: MarkedLine, done: number): boolean => {
    switch (line.mark) {
      case ' ':
      case 'h':
        return true;
      case 'x':
        return line.edit === ' ' || order(line.edit) >= done;
      case 'P':
      case '-':
        return line.edit !== ' ' && order(line.edit) < done;
      default:
        return false;
    }
  };
  const textAfter = (done: number) =>
    textOf(lines.filter((line) => stands(line, done)).map((line) => line.text));
  return { before: textAfter(now), after: textAfter(now + 1) };
}

/** A text file: each line ended, and nothing for no lines. */
export function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
