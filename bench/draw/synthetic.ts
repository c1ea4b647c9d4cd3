import { basename, dirname } from 'node:path';
import { languageOf } from '@lineprint/fingerprint';
import { exclusion } from '@lineprint/git';
import type { DataSet } from '../accuracy/data';
import { editedSet } from '../accuracy/self-made/self-made';
import type { SourceFile } from '../accuracy/self-made/sources';
import { BRACE_LANGUAGES } from './languages';
import { filesAt, readTexts } from './objects';

/** Tests repeat what they test, and examples each other. */
const LEFT_OUT =
  /(^|\/)(tests?|__tests__|testdata|fixtures?|examples?|benchmarks?|bench|locales)(\/|$)|[._-](test|spec|test-d)\./i;
const LARGEST_FILE = 120_000;

/**
 * Edits with known truth of the functions of repositories. Of several repositories in one language the last is nobody's
 * AI: its functions are other people's code altogether.
 *
 * @param repositories git directories
 */
export function syntheticSet(repositories: readonly string[], seed: number): DataSet {
  const sources = repositories.map(sourcesOf);
  const last = new Map<string, number>();
  const several = new Set<string>();
  sources.forEach((files, repository) => {
    for (const language of new Set(files.map((file) => file.language))) {
      if (last.has(language)) several.add(language);
      last.set(language, repository);
    }
  });
  const files = sources.flatMap((own, repository) =>
    own.map((file) => ({
      ...file,
      heldOut: several.has(file.language) && last.get(file.language) === repository,
    })),
  );
  return editedSet(files, seed);
}

function sourcesOf(repository: string): SourceFile[] {
  const chosen = filesAt(repository, 'HEAD').filter(
    ({ path }) =>
      BRACE_LANGUAGES.has(languageOf(path)) && !LEFT_OUT.test(path) && exclusion(path, {}) === undefined,
  );
  const texts = readTexts(
    repository,
    chosen.map(({ blob }) => blob),
  );
  return chosen.flatMap(({ path, blob }) => {
    const text = texts.get(blob);
    if (text === undefined || text.length > LARGEST_FILE) return [];
    return [{ language: languageOf(path), package: nameOf(repository), path, text, heldOut: false }];
  });
}

/** The folder's name, or that of the one around it where a repository is kept as `NAME/.git` or `NAME/repo`. */
function nameOf(repository: string): string {
  const name = basename(repository);
  return name === '.git' || name === 'repo' ? basename(dirname(repository)) : name;
}
