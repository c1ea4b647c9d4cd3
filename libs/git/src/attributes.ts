import { pathMatcher } from '@lineprint/contracts';
import { BlobReader } from './blob-reader';
import type { FileAttributes } from './exclusion';
import { gitOutput, startGit } from './git-process';
import type { Repository } from './repository';

/** What one commit's `.gitattributes` say about a path. */
export type AttributesLookup = (path: string) => FileAttributes;

/** One line of a `.gitattributes` file. */
interface Rule {
  readonly fits: (path: string) => boolean;
  /** In the order of the line: false for `-name` and `name=false`, undefined (no longer set) for `!name`. */
  readonly settings: readonly (readonly [keyof FileAttributes, boolean | undefined])[];
}

interface AttributesFile {
  /** Folder of the file, with a slash at its end; empty at the top. */
  readonly base: string;
  readonly rules: readonly Rule[];
}

const MAX_ATTRIBUTES_BYTES = 256 * 1024;
/** So few commits are asked for their own files; for more, one walk over the history finds all there ever were. */
const FEW_COMMITS = 16;
const FILE_NAME = '.gitattributes';

/** Reads the `.gitattributes` of one commit after another, each as it stood at that commit. Close it after use. */
export class AttributesReader {
  private readonly blobs: BlobReader;
  /** The macros of the top decide what the files below mean, so that the texts of both are the key. */
  private readonly parsed = new Map<string, AttributesFile>();

  private constructor(
    repository: Repository,
    /** Paths at which commits may have such a file, those above before those below. */
    private readonly paths: readonly string[],
  ) {
    this.blobs = new BlobReader(repository);
  }

  /** @param shas the commits that will be asked for, where they are known */
  static async open(repository: Repository, shas?: readonly string[]): Promise<AttributesReader> {
    const few = shas !== undefined && shas.length <= FEW_COMMITS;
    const searches = few ? shas.map((sha) => [...OF_COMMIT, sha]) : [OF_HISTORY];
    const lists = await Promise.all(searches.map((args) => pathsOf(repository, args)));
    // A name with a line end cannot be asked for; nobody has such a folder.
    const paths = [...new Set(lists.flat())].filter((path) => !path.includes('\n'));
    return new AttributesReader(
      repository,
      paths.sort((a, b) => depthOf(a) - depthOf(b) || (a < b ? -1 : 1)),
    );
  }

  async at(sha: string): Promise<AttributesLookup> {
    if (this.paths.length === 0) return () => ({});
    const read = await Promise.all(
      this.paths.map((path) => this.blobs.read(`${sha}:${path}`, MAX_ATTRIBUTES_BYTES)),
    );
    const texts = read.map((blob) => (blob.kind === 'content' ? blob.bytes.toString('utf8') : ''));
    const top = this.paths[0] === FILE_NAME ? texts[0]! : '';
    const files = this.paths.map((path, index) => this.parse(path, texts[index]!, top));
    return (path) => attributesOf(files, path);
  }

  close(): void {
    this.blobs.close();
  }

  private parse(path: string, text: string, top: string): AttributesFile {
    const key = JSON.stringify([path, text, top]);
    let file = this.parsed.get(key);
    if (!file) this.parsed.set(key, (file = parseAttributes(text, path.slice(0, -FILE_NAME.length), top)));
    return file;
  }
}

const OF_COMMIT = ['ls-tree', '-r', '-z', '--name-only', '--full-tree', '--end-of-options'];
const OF_HISTORY = [
  'log',
  '--all',
  'HEAD',
  '--root',
  '--format=',
  '--name-only',
  '-z',
  '--no-renames',
  // log reads the setting, and looks for a file without a name
  '-O/dev/null',
  '--',
  FILE_NAME,
  `:(glob)**/${FILE_NAME}`,
];

const depthOf = (path: string) => path.split('/').length;

/** None in a clone that lacks trees: its commits are reported as unreadable one by one. */
async function pathsOf(repository: Repository, args: readonly string[]): Promise<string[]> {
  const { stdout } = await gitOutput(startGit(repository, args));
  return stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => entry.replace(/^\n+/, ''))
    .filter((path) => path === FILE_NAME || path.endsWith(`/${FILE_NAME}`));
}

const NAMES: Readonly<Record<string, keyof FileAttributes>> = {
  diff: 'diff',
  'linguist-generated': 'generated',
  'linguist-vendored': 'vendored',
  'linguist-documentation': 'documentation',
  'linguist-detectable': 'detectable',
};

/** Git's one macro of its own. */
const BUILT_IN = new Map<string, readonly string[]>([['binary', ['-diff', '-merge', '-text']]]);

/**
 * Reads one `.gitattributes` file, as git does: later settings win, patterns cannot be negated.
 * @param base its folder, with a slash at its end; empty at the top
 * @param top the file at the top, which alone may define macros (`[attr]name …`)
 */
export function parseAttributes(text: string, base = '', top = text): AttributesFile {
  const macros = new Map(BUILT_IN);
  for (const line of linesOf(top)) {
    const [name, ...words] = line.startsWith('[attr]') ? line.slice(6).trim().split(/\s+/) : [];
    if (name) macros.set(name, words);
  }
  const rules: Rule[] = [];
  for (const line of linesOf(text)) {
    if (/^(#|!|\[attr\])/.test(line)) continue;
    const [, quoted, plain, words] = /^(?:"((?:[^"\\]|\\.)*)"|(\S+))(.*)$/.exec(line) ?? [];
    const pattern = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    // A folder's name sets nothing for what is in it.
    if (!pattern || pattern.endsWith('/')) continue;
    const settings = (words ?? '')
      .split(/\s+/)
      .filter(Boolean)
      .flatMap((word) => settingsOf(word, macros, 0));
    if (settings.length > 0) rules.push({ fits: pathMatcher(pattern), settings });
  }
  return { base, rules };
}

const linesOf = (text: string) => text.split(/\r?\n/).map((line) => line.trim());

/** Macros may use macros, but not without end. */
const MAX_MACRO_DEPTH = 5;

function settingsOf(
  word: string,
  macros: ReadonlyMap<string, readonly string[]>,
  depth: number,
): Rule['settings'] {
  const [, prefix, name, value] = /^([-!]?)([^=]+)(?:=(.*))?$/.exec(word) ?? [];
  if (name === undefined) return [];
  const macro = macros.get(name);
  if (macro && prefix === '' && value === undefined && depth < MAX_MACRO_DEPTH) {
    return macro.flatMap((inner) => settingsOf(inner, macros, depth + 1));
  }
  const attribute = NAMES[name];
  if (attribute === undefined) return [];
  if (prefix === '!') return [[attribute, undefined]];
  return [[attribute, prefix === '' && value !== 'false']];
}

/** Later rules win, deeper files win over those above. */
export function attributesOf(files: readonly AttributesFile[], path: string): FileAttributes {
  const result: FileAttributes = {};
  for (const { base, rules } of files) {
    if (!path.startsWith(base)) continue;
    const below = path.slice(base.length);
    for (const { fits, settings } of rules) {
      if (!fits(below)) continue;
      for (const [attribute, value] of settings) {
        if (value === undefined) delete result[attribute];
        else result[attribute] = value;
      }
    }
  }
  return result;
}
