import { BlobReader } from './blob-reader';
import type { LinguistAttributes } from './exclusion';
import { gitOutput, startGit } from './git-process';
import type { Repository } from './repository';

interface Rule {
  /** Folder of the file that holds the rule, with a slash at its end; empty at the top. */
  base: string;
  pattern: RegExp;
  attributes: LinguistAttributes;
}

const MAX_ATTRIBUTES_BYTES = 256 * 1024;

/**
 * Reads every `.gitattributes` of a commit's tree and gives a lookup for linguist's attributes.
 * One commit's file stands for the whole history (reading it at each commit would cost a tree walk
 * each); callers use HEAD, so what a project says of its files today also holds for the past.
 */
export async function readAttributes(
  repository: Repository,
  sha: string = repository.head,
): Promise<(path: string) => LinguistAttributes> {
  const { stdout } = await gitOutput(
    startGit(repository, ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', sha]),
  );
  const entries = stdout
    .toString('utf8')
    .split('\0')
    .map((entry) => /^100\d+ blob ([0-9a-f]+)\t((?:.*\/)?)\.gitattributes$/s.exec(entry))
    .filter((match) => match !== null)
    .sort((a, b) => a[2]!.length - b[2]!.length);
  const blobs = new BlobReader(repository);
  const rules: Rule[] = [];
  try {
    for (const [, blob, base] of entries) {
      const read = await blobs.read(blob!, MAX_ATTRIBUTES_BYTES);
      if (read.kind === 'content') rules.push(...parseAttributes(read.bytes.toString('utf8'), base!));
    }
  } finally {
    blobs.close();
  }
  return (path) => attributesOf(rules, path);
}

/** Rules of one `.gitattributes` file. Only linguist's attributes are read; macros are not. */
export function parseAttributes(text: string, base = ''): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [pattern, ...words] = line.trim().split(/\s+/);
    if (!pattern || pattern.startsWith('#') || pattern.startsWith('!') || pattern.startsWith('[')) continue;
    const attributes: LinguistAttributes = {};
    for (const word of words) {
      const match = /^(-?)linguist-(generated|vendored|documentation)(?:=(.*))?$/.exec(word);
      if (match) attributes[match[2] as keyof LinguistAttributes] = match[1] === '' && match[3] !== 'false';
    }
    if (Object.keys(attributes).length > 0) rules.push({ base, pattern: patternOf(pattern), attributes });
  }
  return rules;
}

/** Later rules win, deeper files win over those above. */
export function attributesOf(rules: readonly Rule[], path: string): LinguistAttributes {
  const result: LinguistAttributes = {};
  for (const { base, pattern, attributes } of rules) {
    if (path.startsWith(base) && pattern.test(path.slice(base.length))) Object.assign(result, attributes);
  }
  return result;
}

/** A pattern with a slash is anchored at its folder, one without matches the file name anywhere below. */
function patternOf(pattern: string): RegExp {
  const anchored = pattern.includes('/');
  const source = pattern.replace(/^\//, '').replace(/\*\*\/|\/\*\*$|\*+|\?|\[[^\]]*\]|[^*?[]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '/**') return '/.*';
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length > 1) return part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\');
    return part.replace(/[\\^$.|+(){}\]/-]/g, '\\$&');
  });
  return new RegExp(`^${anchored ? '' : '(?:.*/)?'}${source}$`);
}
