import type { SeededRandom } from './random';

/** A line of the commit, and where it came from: P kept from AI, M changed from AI, H human. */
export interface EditedLine {
  readonly text: string;
  readonly truth: 'P' | 'M' | 'H';
}

/** What an edit may take from elsewhere. */
export interface Material {
  readonly random: SeededRandom;
  /** A few lines that a person wrote in a row. */
  humanLines(count: number): readonly string[];
}

/** @returns undefined where there is nothing to edit in this way */
export type Edit = (lines: readonly EditedLine[], material: Material) => EditedLine[] | undefined;

const KEYWORDS = new Set(
  (
    'abstract any as async await bool boolean break case catch char class const constructor continue debugger ' +
    'declare default define delete do double else enum export extends extern false finally float for from ' +
    'function get goto if implements import in include infer inline instanceof int interface is keyof let long ' +
    'module namespace never new null number object of private protected public readonly require return set ' +
    'short signed sizeof static string struct super switch symbol this throw true try type typedef typeof ' +
    'undefined union unknown unsigned use strict var void volatile while with yield'
  ).split(' '),
);

const WORDS = (
  'anchor barrel beacon branch bridge bucket cabin canvas castle cellar circle copper corner cotton cradle ' +
  'desert dragon engine falcon forest garden glacier harbor helmet hollow island jacket kettle ladder lantern ' +
  'marble meadow mirror needle orchard paddle pebble pepper pillow planet pocket quartz ribbon river rocket ' +
  'saddle shadow silver spider stable summit temple thunder ticket timber tunnel valley velvet violet walnut ' +
  'window winter'
).split(' ');

const capitalised = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
const newName = (random: SeededRandom): string => `${random.pick(WORDS)}${capitalised(random.pick(WORDS))}`;
const isBlank = ({ text }: EditedLine): boolean => text.trim() === '';
const indentOf = (text: string): string => /^\s*/.exec(text)![0];
const COMMENT_LINE = /^\s*\/\//;

/** The line with another text: changed, unless it is the same or not AI's. */
function retyped(line: EditedLine, text: string): EditedLine {
  return text === line.text ? line : { text, truth: line.truth === 'P' ? 'M' : line.truth };
}

/** A name that is neither a member nor part of a string. */
const NAME = /(?<![\w$.'"`#@-])[A-Za-z_$][\w$]+(?![\w$])/g;
/** Functions, types and constants are named elsewhere, too. */
const IS_SHARED = /^[A-Z]/;

/** Variables that are used more than once. */
function variablesIn(lines: readonly EditedLine[]): string[] {
  const uses = new Map<string, number>();
  const called = new Set<string>();
  for (const { text, truth } of lines) {
    if (truth === 'H') continue;
    for (const { 0: name, index } of text.matchAll(NAME)) {
      if (KEYWORDS.has(name) || IS_SHARED.test(name)) continue;
      if (/^\s*[(<]/.test(text.slice(index + name.length))) called.add(name);
      else uses.set(name, (uses.get(name) ?? 0) + 1);
    }
  }
  return [...uses].filter(([name, count]) => count > 1 && !called.has(name)).map(([name]) => name);
}

/** Gives a share of the variables new names, everywhere in the snippet. */
export function rename(share: number): Edit {
  return (lines, { random }) => {
    const names = random.shuffle(variablesIn(lines));
    if (names.length === 0) return undefined;
    const chosen = names.slice(0, Math.max(1, Math.round(names.length * share)));
    const renamed = new Map(chosen.map((name, i) => [name, `${newName(random)}${i}`]));
    return lines.map((line) =>
      line.truth === 'H'
        ? line
        : retyped(
            line,
            line.text.replace(NAME, (name) => renamed.get(name) ?? name),
          ),
    );
  };
}

/**
 * What a formatter does: other indentation, other quotes, one argument a line. None of it makes a line new or
 * changed, by the product's rule.
 */
export const reformat: Edit = (lines) => lines.flatMap((line) => wrapped(requoted(reindented(line))));

function reindented(line: EditedLine): EditedLine {
  return {
    ...line,
    text: line.text.replace(/^(?: {2}|\t)+/, (indent) => indent.replaceAll(/ {2}|\t/g, '    ')),
  };
}

function requoted(line: EditedLine): EditedLine {
  const plain =
    !/["`\\]/.test(line.text) && !COMMENT_LINE.test(line.text) && !line.text.trim().startsWith('*');
  return plain ? { ...line, text: line.text.replaceAll(/'([^']*)'/g, '"$1"') } : line;
}

/** Puts the arguments of a long call on lines of their own. */
function wrapped(line: EditedLine): EditedLine[] {
  const { text } = line;
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  const simple = text.length > 50 && open > 0 && close > open && !/['"`/#\\]/.test(text);
  if (!simple) return [line];
  const parts = splitArguments(text.slice(open + 1, close));
  if (!parts || parts.length < 2 || parts.length > 6) return [line];
  const indent = indentOf(text);
  return [
    { ...line, text: text.slice(0, open + 1) },
    ...parts.map((part, i) => ({
      ...line,
      text: `${indent}    ${part.trim()}${i + 1 < parts.length ? ',' : ''}`,
    })),
    { ...line, text: `${indent}${text.slice(close)}` },
  ];
}

/** Splits at the commas outside of all brackets; nothing where brackets do not match. */
function splitArguments(text: string): string[] | undefined {
  const parts: string[] = [''];
  let depth = 0;
  for (const char of text) {
    if ('([{<'.includes(char)) depth++;
    if (')]}>'.includes(char)) depth--;
    if (depth < 0) return undefined;
    if (char === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return depth === 0 ? parts : undefined;
}

/** A person's comments on lines of their own. */
export const addComments: Edit = (lines, { random }) =>
  lines.flatMap((line, i) => {
    const here = i === 0 || (!isBlank(line) && random.share() < 0.15);
    if (!here) return [line];
    const text = `${indentOf(line.text)}// the ${random.pick(WORDS)} ${random.pick(WORDS)} needs its ${random.pick(WORDS)} here`;
    return [{ text, truth: 'H' as const }, line];
  });

export const deleteComments: Edit = (lines) => {
  const kept: EditedLine[] = [];
  let inside = false;
  for (const line of lines) {
    const text = line.text.trim();
    if (!inside && text.startsWith('/*')) inside = true;
    if (inside) {
      if (text.endsWith('*/')) inside = false;
      else if (text.includes('*/')) return undefined;
    } else if (!COMMENT_LINE.test(line.text)) kept.push(line);
  }
  return kept.length < lines.length && kept.some((line) => !isBlank(line)) ? kept : undefined;
};

/** Moves the second half of the snippet's parts (functions, or statements of the outermost level) to its front. */
export const reorder: Edit = (lines) => {
  const starts: number[] = [];
  const depth = Math.min(...lines.filter((line) => !isBlank(line)).map(({ text }) => indentOf(text).length));
  lines.forEach((line, i) => {
    const own = !isBlank(line) && indentOf(line.text).length === depth && !/^[})\]*]/.test(line.text.trim());
    if (own && (i === 0 || isBlank(lines[i - 1]!))) starts.push(i);
  });
  const middle = starts[Math.floor(starts.length / 2)];
  if (starts.length < 2 || middle === undefined || middle === 0) return undefined;
  return [...lines.slice(middle), BLANK, ...lines.slice(0, middle)];
};

const BLANK: EditedLine = { text: '', truth: 'H' };

/** A person's own lines, a few at a time. */
export const insertHuman: Edit = (lines, { random, humanLines }) => {
  const places = new Set(
    Array.from({ length: random.between(1, 3) }, () => random.between(1, lines.length - 1)),
  );
  return lines.flatMap((line, i) =>
    places.has(i)
      ? [...humanLines(random.between(1, 4)).map((text) => ({ text, truth: 'H' as const })), line]
      : [line],
  );
};

export const deletePart: Edit = (lines, { random }) => {
  if (lines.length < 4) return undefined;
  const gone = Math.round(lines.length * (0.2 + 0.25 * random.share()));
  const first = random.between(0, lines.length - gone);
  const kept = lines.filter((_, i) => i < first || i >= first + gone);
  return kept.some((line) => !isBlank(line)) ? kept : undefined;
};

/** Types a third of the words and numbers of a share of the lines anew. */
export function rewrite(share: number): Edit {
  return (lines, { random }) => {
    const candidates = lines.flatMap(({ text, truth }, i) =>
      truth !== 'H' && /\w{2}/.test(text) ? [i] : [],
    );
    if (candidates.length === 0) return undefined;
    const chosen = new Set(
      random.shuffle(candidates).slice(0, Math.max(1, Math.round(candidates.length * share))),
    );
    return lines.map((line, i) => (chosen.has(i) ? retyped(line, retype(line.text, random)) : line));
  };
}

function retype(text: string, random: SeededRandom): string {
  const words = [...text.matchAll(/[A-Za-z_$][\w$]*|\d+/g)].filter(([word]) => !KEYWORDS.has(word));
  const chosen = new Set(
    random.shuffle(words.map(({ index }) => index)).slice(0, Math.max(1, Math.round(words.length / 3))),
  );
  return text.replace(/[A-Za-z_$][\w$]*|\d+/g, (word, index: number) => {
    if (!chosen.has(index)) return word;
    return /^\d/.test(word) ? String(random.between(10, 9999)) : newName(random);
  });
}

/** One edit after the other; nothing where one of them has nothing to do. */
export function inTurn(...edits: readonly Edit[]): Edit {
  return (lines, material) =>
    edits.reduce<EditedLine[] | undefined>((edited, edit) => edited && edit(edited, material), [...lines]);
}

export const unedited: Edit = (lines) => [...lines];
