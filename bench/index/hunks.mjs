import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import {
  analyseText,
  deriveLineKey,
  hasShingles,
  hex64,
  languageOf,
  pathKey,
  recallKeys,
  snippetRecallKeys,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { root } from '../../tools/setup.mjs';

const EXTENSIONS = new Set(['.js', '.mjs', '.cjs', '.ts', '.c', '.cc', '.h', '.py', '.rs', '.go']);
/** Machines write longer ones. */
const LARGEST_FILE = 200_000;
/** Of the packages one in so many is other people's code: nothing of it is in the index. */
const HELD_OUT = 8;
const MOST_LINES = 60;
const QUERY_LINES = 60;
/** Of the names of a file, this share is renamed each time the packages are cut again. */
const RENAMED = 0.7;
const KEYWORDS = new Set(
  `abstract any as async await boolean break case catch class const continue debugger declare default delete do
  else enum export extends false finally for from function get if implements import in instanceof interface is
  keyof let module namespace never new null number object of package private protected public readonly require
  return set static string struct super switch symbol this throw true try type typeof undefined unknown unsigned
  var void while with yield int char long float double def elif None True False self fn pub mut impl use`.split(
    /\s+/,
  ),
);

const key = deriveLineKey(new Uint8Array(32).fill(7), 'bench');

/** Numbers from 0 to below 1, the same in each run (xorshift). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function sourcePaths() {
  const modules = join(root, 'node_modules');
  return readdirSync(modules, { recursive: true })
    .filter(
      (path) => EXTENSIONS.has(extname(path)) && !path.endsWith('.min.js') && !path.startsWith('@lineprint'),
    )
    .map((path) => join(modules, path))
    .filter((path) => {
      const { size, isFile } = { size: statSync(path).size, isFile: statSync(path).isFile() };
      return isFile && size <= LARGEST_FILE;
    })
    .sort();
}

/** The package that a file under `node_modules` is of. */
export const packageOf = (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)[1];
const isHeldOut = (path) =>
  [...packageOf(path)].reduce((sum, c) => sum + c.charCodeAt(0), 0) % HELD_OUT === 0;

/** Numbers of the snippets, one after the other: millions of arrays would keep the collector busy. */
class KeyLists {
  #starts = [0];
  #keys = new Float64Array(1 << 20);
  length = 0;

  add(keys) {
    if (this.length + keys.length > this.#keys.length) {
      const larger = new Float64Array(this.#keys.length * 2);
      larger.set(this.#keys);
      this.#keys = larger;
    }
    this.#keys.set(keys, this.length);
    this.length += keys.length;
    this.#starts.push(this.length);
  }

  get count() {
    return this.#starts.length - 1;
  }

  of(i) {
    return Array.from(this.#keys.subarray(this.#starts[i], this.#starts[i + 1]));
  }
}

/**
 * Hunks of 1 to 60 lines, as many short as long ones (their logarithms are even), as many as asked for: each time the
 * packages are used up, they are cut elsewhere and with other names.
 *
 * @param {number} count
 * @param {(path: string) => boolean} isWanted which files are cut
 */
export function* cutHunks(count, isWanted) {
  const random = randomNumbers(20_261_130);
  const paths = sourcePaths().filter(isWanted);
  let left = count;
  for (let round = 0; left > 0; round++) {
    for (const path of paths) {
      const text = readFileSync(path, 'utf8');
      for (const hunk of hunksOf(round === 0 ? text : renamed(text, round, random), path, random)) {
        if (left-- <= 0) return;
        yield hunk;
      }
    }
  }
}

/** The recall keys of a snippet that a hunk is, and its text bands; none where it is too short for shingles. */
export function keysOf(hunk) {
  const signature = textSignature(hunk.text);
  const bands = hasShingles(signature) ? textBands(signature) : [];
  return { keys: snippetRecallKeys({ ...hunk, textBands: bands }), bands };
}

/**
 * @param {number} count
 * @param {number} parsed of so many the code is kept, for the syntax lane
 */
export function cutSnippets(count, parsed) {
  const keys = new KeyLists();
  const code = [];
  const signatures = new KeyLists();
  for (const hunk of cutHunks(count, (path) => !isHeldOut(path))) {
    const own = keysOf(hunk);
    keys.add(own.keys);
    signatures.add(own.bands);
    if (code.length < parsed) code.push({ language: hunk.language, text: hunk.text });
  }
  return { keys, signatures, code };
}

function* hunksOf(text, path, random) {
  const language = languageOf(path);
  const lines = text.split('\n');
  const { prints } = analyseText(text, language, key);
  const place = pathKey(path.slice(root.length), key);
  for (let first = 0; first < prints.length;) {
    const wanted = Math.floor(Math.exp(random() * Math.log(MOST_LINES + 1)));
    const end = Math.min(prints.length, first + wanted);
    const hunk = prints.slice(first, end);
    yield {
      language,
      prints: hunk,
      pathKey: place,
      ...(first > 0 ? { before: hex64(prints[first - 1].h1) } : {}),
      ...(end < prints.length ? { after: hex64(prints[end].h1) } : {}),
      text: lines.slice(hunk[0].line, hunk.at(-1).line + 1).join('\n'),
    };
    first = end;
  }
}

function renamed(text, round, random) {
  const names = new Map();
  return text.replace(/[A-Za-z_$][\w$]*/g, (name) => {
    if (KEYWORDS.has(name)) return name;
    let other = names.get(name);
    if (other === undefined) {
      other = random() < RENAMED ? `${name}${round}` : name;
      names.set(name, other);
    }
    return other;
  });
}

/** Hunks of 60 lines of the packages that are in no snippet: the keys that a commit asks for, and its bands. */
export function humanQueries(count) {
  const paths = sourcePaths().filter(isHeldOut);
  const queries = [];
  for (let at = 0; queries.length < count; at++) {
    const path = paths[(at * 7919) % paths.length];
    const text = readFileSync(path, 'utf8');
    const { prints } = analyseText(text, languageOf(path), key);
    if (prints.length < QUERY_LINES) continue;
    const first = (at * 31) % (prints.length - QUERY_LINES + 1);
    const hunk = prints.slice(first, first + QUERY_LINES);
    const lines = text.split('\n').slice(hunk[0].line, hunk.at(-1).line + 1);
    const bands = textBands(textSignature(lines.join('\n')));
    const place = pathKey(path.slice(root.length), key);
    const keys = new Set(recallKeys({ prints: hunk, textBands: bands }).map((item) => item.key));
    for (const [i] of hunk.entries()) {
      const [before, after] = [prints[first + i - 1], prints[first + i + 1]];
      for (const item of recallKeys({
        prints: [],
        pathKey: place,
        ...(before ? { before: hex64(before.h1) } : {}),
        ...(after ? { after: hex64(after.h1) } : {}),
      }))
        keys.add(item.key);
    }
    queries.push({ keys: [...keys], bands: Array.from(bands) });
  }
  return queries;
}
