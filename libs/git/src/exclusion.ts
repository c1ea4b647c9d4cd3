import { isGeneratedPath, isVendoredPath, LOCK_FILE } from './machine-paths';

/** What a repository's `.gitattributes` say about a path. */
export interface FileAttributes {
  /** Linguist's `linguist-generated`, `-vendored`, `-documentation` and `-detectable`. */
  generated?: boolean;
  vendored?: boolean;
  documentation?: boolean;
  detectable?: boolean;
  /** Git's own `diff`; false (also by the macro `binary`) where the file is not to be read as text. */
  diff?: boolean;
}

/** Why a path does not count. `lfs`, `symlink`, `submodule` and `too-large` come from libs/git's reading. */
export type ExclusionReason =
  | 'lock'
  | 'binary'
  | 'minified'
  | 'vendored'
  | 'generated'
  | 'data'
  | 'documentation'
  | 'undetectable'
  | 'lfs'
  | 'symlink'
  | 'submodule'
  | 'too-large';

/**
 * Data and pictures in text form. Notebooks (`.ipynb`) are here too: their JSON holds outputs and
 * base64 beside the code, so that counted lines would not be lines that anyone wrote.
 */
const DATA_EXTENSIONS = new Set([
  'csv',
  'tsv',
  'svg',
  'ipynb',
  'jsonl',
  'ndjson',
  'geojson',
  'parquet',
  'log',
  'pem',
  'crt',
  'cast',
  'po',
  'pot',
]);

const DOCUMENTATION_EXTENSIONS = new Set(['md', 'mdx', 'markdown', 'rst', 'adoc', 'asciidoc']);
/** Plain text and pages count as documentation only below a folder of documentation. */
const PROSE_EXTENSIONS = new Set(['txt', 'html', 'htm', 'tex', 'rtf', '']);
const DOCUMENTATION_FOLDERS = new Set(['doc', 'docs', 'man']);
/** Folders whose whole content is documentation (linguist's), at the top and anywhere. */
const DOCUMENTATION_PATH =
  /^([Dd]ocs?|[Mm]an)\/|(^|\/)([Dd]ocumentation|[Gg]roovydoc|[Jj]avadoc|inst\/doc)\//;
const DOCUMENTATION_NAME =
  /^((readme|changelog|changes?|contributing|copying|licen[cs]e)(\..*)?|(authors|notice|news|history|code_of_conduct|security)(\.txt)?|citations?(\.(cff|bib))?)$/;
/** In lower case these are the names of programs and of what they read. */
const CAPITAL_NAME = /^INSTALL(\..*)?$/;
/** A module may well be called `changes` or `license`; a document has no such extension. */
const CODE_EXTENSION = /\.(c|cc|cpp|cs|go|h|java|js|jsx|kt|mjs|php|py|rb|rs|scala|sh|sql|swift|ts|tsx)$/;

/**
 * Why the lines of a path do not count, or undefined where they do: linguist's rules as far as they say that
 * nobody of the project wrote a file (docs/decisions/0009-excluded-files.md). The first that fits wins, in the
 * order lock, binary, minified, vendored, generated, data, documentation. `.gitattributes` win over all but lock
 * files: `linguist-vendored` etc. exclude, `-linguist-vendored` (false) lifts the rule of that reason.
 */
export function exclusion(path: string, attributes: FileAttributes = {}): ExclusionReason | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (LOCK_FILE.test(name)) return 'lock';
  if (attributes.diff === false) return 'binary';
  if (attributes.vendored) return 'vendored';
  if (attributes.generated) return 'generated';
  if (attributes.documentation) return 'documentation';
  if (attributes.detectable === false) return 'undetectable';
  const extension = /[^.]\.([^.]+)$/.exec(name.toLowerCase())?.[1] ?? '';
  if (attributes.generated !== false && /[.-]min\.(js|mjs|cjs|css)$/i.test(name)) return 'minified';
  if (attributes.vendored !== false && isVendoredPath(path)) return 'vendored';
  if (attributes.generated !== false && isGeneratedPath(path)) return 'generated';
  if (!attributes.detectable && DATA_EXTENSIONS.has(extension)) return 'data';
  return attributes.documentation !== false && isDocumentation(path, name, extension)
    ? 'documentation'
    : undefined;
}

function isDocumentation(path: string, name: string, extension: string): boolean {
  if (DOCUMENTATION_EXTENSIONS.has(extension) || DOCUMENTATION_PATH.test(path)) return true;
  const lower = name.toLowerCase();
  const isNamed = DOCUMENTATION_NAME.test(lower) || CAPITAL_NAME.test(name);
  if (isNamed && !CODE_EXTENSION.test(lower)) return true;
  const folders = path.toLowerCase().split('/').slice(0, -1);
  return PROSE_EXTENSIONS.has(extension) && folders.some((folder) => DOCUMENTATION_FOLDERS.has(folder));
}
