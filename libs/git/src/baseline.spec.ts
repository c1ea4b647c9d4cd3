import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commitPushSchema } from '@lineprint/contracts';
import { type BaselinePart, readBaseline } from './baseline';
import { openRepository } from './repository';

jest.setTimeout(60_000);

describe('the baseline of a repository', () => {
  const path = mkdtempSync(join(tmpdir(), 'lineprint-baseline-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));

  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: path,
      encoding: 'utf8',
    }).trim();
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  const commit = () => {
    git('add', '-A');
    git('commit', '-q', '-m', 'change');
    return git('rev-parse', 'HEAD');
  };
  const read = async (sha: string) => {
    const parts: BaselinePart[] = [];
    for await (const part of readBaseline(await openRepository(path), sha)) parts.push(part);
    return parts;
  };

  let first: string;
  let large: string;
  beforeAll(() => {
    git('init', '-q', '-b', 'main');
    write('src/tide.ts', 'export const tide = 3;\n\nexport const ebb = -tide;\n');
    write('src/no-newline.ts', 'export {};');
    write('naïve/über "quoted".py', 'x = 1\n');
    write('package-lock.json', '{}\n');
    write('picture.bin', Buffer.from([1, 0, 2]));
    write('empty.ts', '');
    first = commit();
    git('rm', '-q', 'src/tide.ts');
    for (let i = 0; i < 6; i++) write(`src/large-${i}.ts`, `const value = 1;\n`.repeat(55_000));
    write('src/too-large.ts', `const value = 1;\n`.repeat(70_000));
    large = commit();
  });

  it('is each counted file of its commit, added whole', async () => {
    const [part, ...others] = await read(first);
    expect(others).toEqual([]);
    expect(part).toMatchObject({ sha: first, parents: [], authorName: 'Ada', baseline: { part: 0 } });
    expect(part!.files.map(({ path, addedLines }) => [path, addedLines])).toEqual([
      ['naïve/über "quoted".py', 1],
      ['src/no-newline.ts', 1],
      ['src/tide.ts', 3],
    ]);
    expect(part!.files.at(-1)).toMatchObject({
      status: 'added',
      content: 'export const tide = 3;\n\nexport const ebb = -tide;\n',
      hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 3, removed: [] }],
    });
    expect(commitPushSchema.parse({ ...part, repository: 'harbour' })).toMatchObject({ sha: first });
  });

  it('comes in parts that ingest takes, without files over 1 MiB', async () => {
    const parts = await read(large);
    expect(parts.map(({ baseline }) => baseline)).toEqual([{ part: 0 }, { part: 1 }]);
    const files = parts.flatMap((part) => part.files.map((file) => file.path));
    expect(files).toHaveLength(8);
    expect(files).not.toContain('src/too-large.ts');
  });

  it('is refused of a commit that the clone does not have', async () => {
    await expect(read('0'.repeat(40))).rejects.toMatchObject({ code: 'unknown-ref' });
  });
});
