import { BlobReader } from './blob-reader';
import { type CommitDiff, DIFF_ARGUMENTS, DiffParser, PARENT_DIFF_ARGUMENTS } from './commit-parser';
import { ALL_PARENTS, MAX_LINE_BYTES } from './commit-stream';
import { gitOutput, type GitLocation, startGit } from './git-process';
import { LineSplitter } from './line-splitter';

const ZERO_ID = /^0+$/;

/**
 * A commit against one of its parents, without the files whose content the clone lacks: git ends at the first of them.
 *
 * @param parent undefined compares a commit with its parents as `DIFF_ARGUMENTS` say
 * @returns undefined where the commit or a tree is missing as well
 */
export async function diffWithoutMissing(
  location: GitLocation,
  sha: string,
  parent: string | undefined,
  newParser: () => DiffParser,
): Promise<CommitDiff | undefined> {
  const line = parent === undefined ? sha : `${sha} ${parent}`;
  const listed = await run(
    location,
    ['-m', '--root', '-r', '--raw', '-z', '--no-renames', '--no-abbrev'],
    line,
  );
  if (!listed) return undefined;
  const paths = await missingPaths(location, listed);
  const pathspecs = ['--', '.', ...paths.map((path) => `:(exclude,literal)${path}`)];
  const compared = parent === undefined ? DIFF_ARGUMENTS : PARENT_DIFF_ARGUMENTS;
  const output = await run(location, [...compared, ...pathspecs], line);
  if (!output) return undefined;
  const parser = newParser();
  for (const { bytes, cut } of new LineSplitter(MAX_LINE_BYTES).push(output)) parser.line(bytes, cut);
  try {
    return parser.take();
  } catch {
    return undefined;
  }
}

async function run(
  location: GitLocation,
  args: readonly string[],
  line: string,
): Promise<Buffer | undefined> {
  const child = startGit(location, ['diff-tree', '--stdin', ...args], ALL_PARENTS);
  child.process.stdin.write(`${line}\n`);
  const { end, stdout } = await gitOutput(child);
  return end.ok ? stdout : undefined;
}

/** Of `:100644 100644 <old> <new> M\0path\0`, those with an object that is not there. */
async function missingPaths(location: GitLocation, listed: Buffer): Promise<string[]> {
  const entries = [...listed.toString('utf8').matchAll(/:\d+ \d+ ([0-9a-f]+) ([0-9a-f]+) \w\0([^\0]+)\0/g)];
  const blobs = new BlobReader(location);
  try {
    const isMissing = async (id: string) => !ZERO_ID.test(id) && (await blobs.read(id, 0)).kind === 'missing';
    const missing = await Promise.all(
      entries.map(async ([, before, after, path]) =>
        (await isMissing(before!)) || (await isMissing(after!)) ? [path!] : [],
      ),
    );
    return [...new Set(missing.flat())];
  } finally {
    blobs.close();
  }
}
