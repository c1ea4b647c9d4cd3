import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files of one installed package in one language. */
interface Source {
  readonly language: string;
  readonly package: string;
  readonly folder: string;
  readonly files: RegExp;
  /** None of it is AI's: its functions are other people's code altogether. */
  readonly heldOut?: true;
}

/**
 * Dependencies of this workspace whose licences (MIT, Apache-2.0, ISC) allow to work on their code; the lock file
 * says which version. Nothing of them is kept.
 */
const SOURCES: readonly Source[] = [
  { language: 'js', package: 'kafkajs', folder: 'src', files: /\.js$/ },
  { language: 'js', package: 'ioredis', folder: 'built', files: /\.js$/ },
  { language: 'js', package: 'commander', folder: 'lib', files: /\.js$/ },
  { language: 'js', package: 'pino', folder: 'lib', files: /\.js$/ },
  { language: 'js', package: 'prom-client', folder: 'lib', files: /\.js$/ },
  { language: 'js', package: 'pg', folder: 'lib', files: /\.js$/, heldOut: true },
  { language: 'js', package: 'express', folder: 'lib', files: /\.js$/, heldOut: true },
  { language: 'ts', package: 'zod', folder: 'src/v4', files: /\.ts$/ },
  { language: 'ts', package: 'rxjs', folder: 'src/internal', files: /\.ts$/ },
  { language: 'ts', package: 'zod', folder: 'src/v3', files: /\.ts$/, heldOut: true },
  { language: 'd.ts', package: '@nestjs/common', folder: '.', files: /\.d\.ts$/ },
  { language: 'd.ts', package: '@nestjs/core', folder: '.', files: /\.d\.ts$/ },
  { language: 'd.ts', package: 'commander', folder: 'typings', files: /\.d\.ts$/ },
  { language: 'd.ts', package: 'kafkajs', folder: 'types', files: /\.d\.ts$/, heldOut: true },
  { language: 'c', package: 'tree-sitter', folder: 'vendor/tree-sitter/lib/src', files: /\.[ch]$/ },
  { language: 'c', package: 'tree-sitter-bash', folder: 'src', files: /^scanner\.c$/ },
  { language: 'c', package: 'tree-sitter-ruby', folder: 'src', files: /^scanner\.c$/ },
  { language: 'c', package: 'tree-sitter-html', folder: 'src', files: /\b(scanner\.c|tag\.h)$/ },
  { language: 'c', package: 'tree-sitter-python', folder: 'src', files: /^scanner\.c$/, heldOut: true },
  { language: 'c', package: 'tree-sitter-scala', folder: 'src', files: /^scanner\.c$/, heldOut: true },
];
/** Tests repeat what they test, and generated tables are nobody's code. */
const LEFT_OUT = /(^|\/)(node_modules|tests?|__tests__|locales|benchmarks|unicode)(\/|$)|\.(test|spec)\./;
const LARGEST_FILE = 120_000;

export interface SourceFile {
  readonly language: string;
  readonly package: string;
  /** Path within the package. */
  readonly path: string;
  readonly text: string;
  readonly heldOut: boolean;
}

/**
 * The files that the set is made of, in an order of their own.
 *
 * @throws Error where a package is not installed
 */
export function sourceFiles(): SourceFile[] {
  return SOURCES.flatMap(({ language, package: name, folder, files, heldOut }) => {
    const root = packageFolder(name);
    return filesUnder(root, folder)
      .filter((path) => files.test(path.slice(path.lastIndexOf('/') + 1)) && !LEFT_OUT.test(path))
      .map((path) => ({
        language,
        package: name,
        path,
        text: readFileSync(join(root, path), 'utf8').replaceAll('\r\n', '\n'),
        heldOut: heldOut ?? false,
      }))
      .filter(({ text }) => text.length <= LARGEST_FILE);
  });
}

function packageFolder(name: string): string {
  for (let folder = __dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
  }
  throw new Error(`The package ${name}, which the self-made set is made of, is not installed: run npm ci.`);
}

function filesUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return LEFT_OUT.test(path) ? [] : filesUnder(root, path);
      return entry.isFile() ? [path] : [];
    });
}
