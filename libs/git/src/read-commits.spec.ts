import { isUtf8 } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commitPushSchema, type CommitFile, MAX_COMMIT_LINES, MAX_FILE_LINES } from '@lineprint/contracts';
import { gitAddedLines } from './added-lines';
import { readCommits, type CommitContent, type ReadCommit } from './read-commits';
import { listCommits, openRepository } from './repository';

// Each test starts git dozens of times.
jest.setTimeout(60_000);

const NEW_YEAR = '2026-01-01T00:00:00Z';

/** A repository with a working tree in a temporary folder. */
class Sandbox {
  readonly path = mkdtempSync(join(tmpdir(), 'lineprint-git-'));

  constructor() {
    this.git('init', '-q', '-b', 'main');
  }

  git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.path,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Ada Example',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_COMMITTER_NAME: 'Bo Example',
        GIT_COMMITTER_EMAIL: 'bo@example.org',
        GIT_AUTHOR_DATE: NEW_YEAR,
        GIT_COMMITTER_DATE: '2026-01-02T00:00:00Z',
      },
    }).trim();
  }

  write(file: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), content);
  }

  commit(message = 'change'): string {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  async read(...shas: string[]): Promise<ReadCommit[]> {
    const result: ReadCommit[] = [];
    for await (const item of readCommits(await openRepository(this.path), shas)) result.push(item);
    return result;
  }

  async readOne(sha: string): Promise<CommitContent> {
    const [item] = await this.read(sha);
    if (item?.kind !== 'commit') throw new Error(`not read: ${JSON.stringify(item)}`);
    commitPushSchema.parse({ repository: 'r', ...item.commit });
    return item.commit;
  }

  async readFile(sha: string): Promise<CommitFile> {
    const { files } = await this.readOne(sha);
    expect(files).toHaveLength(1);
    return files[0]!;
  }

  loseObject(id: string): void {
    rmSync(join(this.path, '.git/objects', id.slice(0, 2), id.slice(2)));
  }
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join('');

describe('readCommits', () => {
  let repo: Sandbox;
  beforeEach(() => (repo = new Sandbox()));
  afterEach(() => rmSync(repo.path, { recursive: true, force: true }));

  it('reads a root commit with people, times, content and one hunk', async () => {
    repo.write('a.ts', 'one\n\ntwo\n');
    const sha = repo.commit('first\n\nCo-authored-by: aider (gpt-5) <noreply@aider.dev>');
    expect(await repo.readOne(sha)).toEqual({
      sha,
      parents: [],
      authorName: 'Ada Example',
      authorEmail: 'ada@example.org',
      committerName: 'Bo Example',
      committerEmail: 'bo@example.org',
      authoredAt: Date.parse(NEW_YEAR),
      committedAt: Date.parse(NEW_YEAR) + 86_400_000,
      declared: { tool: 'aider', by: 'trailer', source: 'agent', model: 'gpt-5' },
      files: [
        {
          path: 'a.ts',
          status: 'added',
          binary: false,
          addedLines: 3,
          deletedLines: 0,
          content: 'one\n\ntwo\n',
          hunks: [{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 3, removed: [] }],
        },
      ],
    });
  });

  it("numbers hunks as git's -U0 does, neighbouring changes apart", async () => {
    repo.write('a.ts', lines(1, 12));
    repo.commit();
    repo.write(
      'a.ts',
      `new top\n${lines(1, 3)}changed 4\n${lines(5, 5)}changed 6\nextra\n${lines(7, 10)}${lines(12, 12)}`,
    );
    const file = await repo.readFile(repo.commit());
    expect(file.hunks).toEqual([
      { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, removed: [] },
      { oldStart: 4, oldLines: 1, newStart: 5, newLines: 1, removed: ['line 4'] },
      { oldStart: 6, oldLines: 1, newStart: 7, newLines: 2, removed: ['line 6'] },
      { oldStart: 11, oldLines: 1, newStart: 12, newLines: 0, removed: ['line 11'] },
    ]);
    const headers = repo.git('show', '-U0', '--format=').match(/^@@ .*? @@/gm);
    expect(headers).toEqual(['@@ -0,0 +1 @@', '@@ -4 +5 @@', '@@ -6 +7,2 @@', '@@ -11 +12,0 @@']);
    expect(file).toMatchObject({ status: 'modified', addedLines: 4, deletedLines: 3 });
  });

  it('sees a rename with an edit, and only the edit is new', async () => {
    repo.write('old name.ts', lines(1, 20));
    repo.commit();
    rmSync(join(repo.path, 'old name.ts'));
    repo.write('src/new.ts', `${lines(1, 20)}added\n`);
    expect(await repo.readFile(repo.commit())).toMatchObject({
      path: 'src/new.ts',
      oldPath: 'old name.ts',
      status: 'renamed',
      addedLines: 1,
      hunks: [{ oldStart: 20, oldLines: 0, newStart: 21, newLines: 1 }],
    });
  });

  it('takes a pure move and a mode change for no new lines', async () => {
    repo.write('a.ts', lines(1, 5));
    repo.write('run.sh', 'echo\n');
    repo.commit();
    renameSync(join(repo.path, 'a.ts'), join(repo.path, 'b.ts'));
    chmodSync(join(repo.path, 'run.sh'), 0o755);
    const { files } = await repo.readOne(repo.commit());
    expect(files).toEqual([
      {
        path: 'b.ts',
        oldPath: 'a.ts',
        status: 'renamed',
        binary: false,
        addedLines: 0,
        deletedLines: 0,
        hunks: [],
      },
      { path: 'run.sh', status: 'modified', binary: false, addedLines: 0, deletedLines: 0, hunks: [] },
    ]);
  });

  it("keeps a deleted file's lines as removed", async () => {
    repo.write('a.ts', lines(1, 2));
    repo.commit();
    rmSync(join(repo.path, 'a.ts'));
    expect(await repo.readFile(repo.commit())).toEqual({
      path: 'a.ts',
      status: 'deleted',
      binary: false,
      addedLines: 0,
      deletedLines: 2,
      hunks: [{ oldStart: 1, oldLines: 2, newStart: 0, newLines: 0, removed: ['line 1', 'line 2'] }],
    });
  });

  it('keeps line ends out of lines, in files of CRLF and without a last line end', async () => {
    repo.write('crlf.ts', 'a\r\nb\r\n');
    repo.write('open.ts', 'x\ny');
    repo.write('empty.ts', '');
    repo.commit();
    repo.write('crlf.ts', 'a\r\nc\r\n');
    repo.write('open.ts', 'x\nz');
    const { files } = await repo.readOne(repo.commit());
    expect(files.map((f) => [f.path, f.content, f.hunks[0]])).toEqual([
      ['crlf.ts', 'a\r\nc\r\n', { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, removed: ['b'] }],
      ['open.ts', 'x\nz', { oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, removed: ['y'] }],
    ]);
  });

  it('reads an empty file and an empty commit', async () => {
    repo.write('empty.ts', '');
    expect(await repo.readFile(repo.commit())).toMatchObject({ status: 'added', addedLines: 0, hunks: [] });
    expect((await repo.readOne(repo.commit('nothing'))).files).toEqual([]);
  });

  it('reads paths with spaces, quotes, tabs, line ends and other alphabets', async () => {
    const paths = [
      'a b.ts',
      'quo"te.ts',
      'tab\t.ts',
      'two\nlines.ts',
      'back\\slash.ts',
      'größe/日本.ts',
      ' b/a.ts',
    ];
    for (const path of paths) repo.write(path, `${path.length}\n`);
    const { files } = await repo.readOne(repo.commit());
    expect(files.map((f) => f.path).sort()).toEqual([...paths].sort());
    for (const file of files) expect(file.content).toBe(`${file.path.length}\n`);
    rmSync(join(repo.path, 'tab\t.ts'));
    renameSync(join(repo.path, 'größe/日本.ts'), join(repo.path, 'ta\tb "x" größe.ts'));
    const next = await repo.readOne(repo.commit());
    expect(next.files.map((f) => [f.status, f.oldPath, f.path])).toEqual(
      expect.arrayContaining([
        ['deleted', undefined, 'tab\t.ts'],
        ['renamed', 'größe/日本.ts', 'ta\tb "x" größe.ts'],
      ]),
    );
  });

  it('is not led astray by lines that look like a diff or like the end marker', async () => {
    const content = [
      `diff --git a/x b/x`,
      '@@ -1 +1 @@',
      ':100644 100644 a b M\tx',
      '--- a/x',
      '+++ b/x',
      '=end x',
      '',
    ];
    repo.write('a.ts', content.join('\n'));
    const sha = repo.commit(`subject\n\n=end ${'0'.repeat(40)}\ndiff --git a/x b/x\n:100644`);
    expect(await repo.readFile(sha)).toMatchObject({ addedLines: 6, content: content.join('\n') });
    repo.write('a.ts', '-- x\n');
    const file = await repo.readFile(repo.commit());
    expect(file).toMatchObject({ addedLines: 1, deletedLines: 6 });
    expect(file.hunks[0]!.removed).toEqual(content.slice(0, -1));
  });

  it('marks a binary file and reads bytes that are no UTF-8 as Latin-1', async () => {
    repo.write('a.bin', Buffer.from([0, 1, 2, 10, 0]));
    repo.write('latin.ts', Buffer.from([0x63, 0xe9, 10]));
    const { files } = await repo.readOne(repo.commit());
    expect(files).toEqual([
      { path: 'a.bin', status: 'added', binary: true, addedLines: 0, deletedLines: 0, hunks: [] },
      expect.objectContaining({ path: 'latin.ts', content: 'c\u00e9\n', addedLines: 1 }),
    ]);
  });

  it('excludes symlinks, submodules, LFS pointers and generated content, with counts and no text', async () => {
    const submodule = new Sandbox();
    const head = submodule.commit();
    symlinkSync('a.ts', join(repo.path, 'link.ts'));
    repo.write('gen.go', '// Code generated by x. DO NOT EDIT.\npackage x\n');
    repo.write('big.psd', 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n');
    repo.write('yarn.lock', lines(1, 9));
    repo.git('add', '-A');
    repo.git('update-index', '--add', '--cacheinfo', `160000,${head},sub`);
    repo.git('commit', '-q', '-m', 'x');
    rmSync(submodule.path, { recursive: true });
    const { files } = await repo.readOne(repo.git('rev-parse', 'HEAD'));
    expect(files.map((f) => [f.path, f.excluded, f.addedLines, f.hunks, f.content])).toEqual([
      ['big.psd', 'lfs', 3, [], undefined],
      ['gen.go', 'generated', 2, [], undefined],
      ['link.ts', 'symlink', 1, [], undefined],
      ['sub', 'submodule', 1, [], undefined],
      ['yarn.lock', 'lock', 9, [], undefined],
    ]);
  });

  it('reads a file that was a symlink, and one that becomes one', async () => {
    symlinkSync('b.ts', join(repo.path, 'a.ts'));
    repo.write('b.ts', lines(1, 3));
    repo.commit();
    rmSync(join(repo.path, 'a.ts'));
    rmSync(join(repo.path, 'b.ts'));
    repo.write('a.ts', lines(4, 5));
    symlinkSync('a.ts', join(repo.path, 'b.ts'));
    const { files } = await repo.readOne(repo.commit());
    expect(files.map((f) => [f.path, f.status, f.excluded, f.addedLines, f.deletedLines, f.content])).toEqual(
      [
        ['a.ts', 'typechange', undefined, 2, 1, lines(4, 5)],
        ['b.ts', 'typechange', 'symlink', 1, 3, undefined],
      ],
    );
  });

  it('obeys the .gitattributes of each commit, wherever they lie, however many commits are read', async () => {
    const shas: string[] = [];
    const state = (last: number, attributes: string | undefined) => {
      repo.write('api/my client.ts', lines(1, last));
      if (attributes === undefined) rmSync(join(repo.path, 'api/.gitattributes'), { force: true });
      else repo.write('api/.gitattributes', attributes);
      shas.push(repo.commit());
    };
    state(3, undefined);
    state(4, '"my client.ts" linguist-generated\n');
    state(5, '*.ts binary\n');
    state(6, undefined);
    const expected = [undefined, 'generated', 'binary', undefined];
    const many = async function* () {
      await Promise.resolve();
      for (let times = 0; times < 20; times++) yield* shas;
    };
    const excludedOf = async (list: Iterable<string> | AsyncIterable<string>) => {
      const excluded: (string | undefined)[] = [];
      for await (const read of readCommits(await openRepository(repo.path), list)) {
        if (read.kind !== 'commit') continue;
        excluded.push(read.commit.files.find(({ path }) => path.endsWith('.ts'))?.excluded);
      }
      return excluded;
    };
    expect(await excludedOf(shas)).toEqual(expected);
    expect(await excludedOf(many())).toEqual(Array.from({ length: 20 }, () => expected).flat());
  });

  it('counts a file that looks generated where .gitattributes say that it is not', async () => {
    repo.write('.gitattributes', 'gen.go -linguist-generated\n');
    repo.write('gen.go', '// Code generated by x. DO NOT EDIT.\npackage x\n');
    const { files } = await repo.readOne(repo.commit());
    expect(files.find(({ path }) => path === 'gen.go')?.excluded).toBeUndefined();
  });

  it('counts a file that looks generated where the caller says which paths count', async () => {
    repo.write('gen.go', '// Code generated by x. DO NOT EDIT.\npackage x\n');
    const sha = repo.commit();
    const options = { exclude: () => undefined };
    for await (const item of readCommits(await openRepository(repo.path), [sha], options)) {
      expect(item).toMatchObject({ commit: { files: [{ path: 'gen.go', addedLines: 2 }] } });
      expect(item.kind === 'commit' && item.commit.files[0]).not.toHaveProperty('excluded');
    }
    expect.assertions(2);
  });

  it('sends added lines instead of content for a file above 1 MiB', async () => {
    const big = `${'x'.repeat(80)}\n`.repeat(14_000);
    repo.write('big.ts', big);
    const added = await repo.readFile(repo.commit());
    expect(added.content).toBeUndefined();
    expect(added.hunks[0]!.added).toHaveLength(14_000);
    repo.write('big.ts', `top\n${big}`);
    const changed = await repo.readFile(repo.commit());
    expect(changed.hunks).toEqual([
      { oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, removed: [], added: ['top'] },
    ]);
  });

  it('sees that a file above 1 MiB was generated, wherever it changes', async () => {
    const rows = (count: number) => '{ id: 1, name: "harbour", metres: 2.5 },\n'.repeat(count);
    const head = '// Code generated by tables. DO NOT EDIT.\n';
    repo.write('tables.ts', `${head}${rows(30_000)}`);
    expect(await repo.readFile(repo.commit())).toMatchObject({ excluded: 'generated', addedLines: 30_001 });
    repo.write('tables.ts', `${head}${rows(29_000)}// new\n${rows(1000)}`);
    expect(await repo.readFile(repo.commit())).toMatchObject({ excluded: 'generated', addedLines: 1 });
  });

  it('excludes as too large what goes beyond 8 MiB, and keeps smaller files of the commit', async () => {
    repo.write('a-huge-line.ts', `${'x'.repeat(9 * 1024 * 1024)}\nshort\n`);
    repo.write('b-many-lines.ts', `${'x'.repeat(99)}\n`.repeat(90_000));
    repo.write('c.ts', 'small\n');
    const { files } = await repo.readOne(repo.commit());
    expect(files.map((f) => [f.path, f.excluded, f.addedLines, f.hunks.length])).toEqual([
      ['a-huge-line.ts', 'too-large', 2, 0],
      ['b-many-lines.ts', 'too-large', 90_000, 0],
      ['c.ts', undefined, 1, 1],
    ]);
    expect(files[2]!.content).toBe('small\n');
  });

  it.each([
    ['a million lines', 'x\n'.repeat(1_000_000), 1_000_000],
    ['a million blank lines', '\n'.repeat(1_000_000), 1_000_000],
    ['one line more than a file may have', 'x\n'.repeat(MAX_FILE_LINES + 1), MAX_FILE_LINES + 1],
    ['a line of 5 MB', `a\n${'x'.repeat(5_000_000)}\nb\n`, 3],
  ])('excludes %s as too large, and counts it as git does', async (_name, content, addedLines) => {
    repo.write('a.ts', content);
    expect(await repo.readFile(repo.commit())).toMatchObject({
      addedLines,
      hunks: [],
      excluded: 'too-large',
    });
  });

  it('excludes what goes beyond the lines of a commit, and keeps what comes before', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      repo.write(`${name}.ts`, `${name}\n`.repeat(MAX_FILE_LINES));
    const { files } = await repo.readOne(repo.commit());
    expect(MAX_COMMIT_LINES).toBe(4 * MAX_FILE_LINES);
    expect(files.map(({ excluded }) => excluded)).toEqual([...Array(4).fill(undefined), 'too-large']);
  });

  it.each([
    ['NUL far from the beginning', Buffer.from(`${'let a = 1;\n'.repeat(900)}\0\n`), 901],
    ['surrogates and bytes that are no UTF-8', Buffer.from([0xed, 0xa0, 0x80, 10, 0xff, 0xfe, 10]), 2],
    ['brackets nested 20,000 deep', Buffer.from('[\n'.repeat(20_000)), 20_000],
    ['carriage returns alone', Buffer.from('a\rb\rc'), 1],
  ])('reads %s as text, line by line', async (_name, content, addedLines) => {
    repo.write('a.ts', content);
    expect(await repo.readFile(repo.commit())).toMatchObject({
      addedLines,
      content: content.toString(isUtf8(content) ? 'utf8' : 'latin1'),
    });
  });

  it('counts of a merge only what is in neither parent', async () => {
    repo.write('a.ts', lines(1, 9));
    repo.commit();
    repo.git('checkout', '-q', '-b', 'side');
    repo.write('a.ts', lines(1, 9).replace('line 5', 'side 5').replace('line 9', 'side 9'));
    repo.write('side.ts', 'side\n');
    repo.commit();
    repo.git('checkout', '-q', 'main');
    repo.write('a.ts', lines(1, 9).replace('line 5', 'main 5').replace('line 1', 'main 1'));
    repo.commit();
    expect(() => repo.git('merge', '-q', 'side')).toThrow();
    const resolved = 'main 1\nline 2\nline 3\nline 4\nboth 5\nand more\nline 6\nline 7\nline 8\nside 9\n';
    repo.write('a.ts', resolved);
    expect(await repo.readFile(repo.commit('merge'))).toEqual({
      path: 'a.ts',
      status: 'modified',
      binary: false,
      addedLines: 2,
      deletedLines: 0,
      content: resolved,
      hunks: [expect.objectContaining({ newStart: 5, newLines: 2, removed: [] })],
    });
  });

  it('has no files in a clean merge, of two branches or of more', async () => {
    repo.write('a.ts', lines(1, 30));
    repo.commit();
    for (const [branch, line] of [
      ['x', 'line 3'],
      ['y', 'line 14'],
      ['z', 'line 25'],
    ] as const) {
      repo.git('checkout', '-q', '-b', branch, 'main');
      repo.write('a.ts', lines(1, 30).replace(`${line}\n`, `${branch}\n`));
      repo.write(`${branch}.ts`, `${branch}\n`);
      repo.commit();
    }
    repo.git('checkout', '-q', 'x');
    repo.git('merge', '-q', '--no-edit', 'y');
    const merge = await repo.readOne(repo.git('rev-parse', 'HEAD'));
    expect([merge.parents.length, merge.files]).toEqual([2, []]);
    repo.git('checkout', '-q', 'main');
    repo.git('merge', '-q', '--no-ff', '--no-edit', 'x~1', 'y', 'z');
    const octopus = await repo.readOne(repo.git('rev-parse', 'HEAD'));
    expect([octopus.parents.length, octopus.files]).toEqual([4, []]);
  });

  it('skips a commit whose object is missing, names the object, and goes on', async () => {
    const shas = [1, 2, 3, 4, 5].map((n) => {
      repo.write('a.ts', lines(1, n));
      return repo.commit();
    });
    const blob = repo.git('rev-parse', `${shas[1]}:a.ts`);
    repo.loseObject(blob);
    const items = await repo.read(...shas);
    expect(items.map((item) => item.kind)).toEqual(['commit', 'skipped', 'skipped', 'commit', 'commit']);
    expect(items[1]).toMatchObject({
      sha: shas[1],
      reason: expect.stringContaining(`object ${blob} is missing`),
    });
    const counted = await gitAddedLines(await openRepository(repo.path), shas, () => true);
    expect(counted).toMatchObject({ commits: 3, added: 3 });
    expect(counted.skipped.map(({ sha }) => sha)).toEqual([shas[1], shas[2]]);
  });

  it('skips a commit that is itself missing', async () => {
    const absent = '1'.repeat(40);
    const sha = repo.commit();
    const items = await repo.read(absent, sha);
    expect(items.map((item) => item.kind)).toEqual(['skipped', 'commit']);
  });

  it('skips the oldest commit of a shallow clone: what it added cannot be known', async () => {
    repo.write('a.txt', 'old\n');
    const parent = repo.commit();
    repo.write('b.txt', 'middle\n');
    const oldest = repo.commit();
    repo.write('c.txt', 'new\n');
    const newest = repo.commit();
    repo.git('clone', '-q', '--depth=2', `file://${repo.path}`, 'shallow');
    const shallow = await openRepository(join(repo.path, 'shallow'));
    const refs = await listCommits(shallow);
    expect(refs.map(({ sha }) => sha)).toEqual([oldest, newest]);
    const items: ReadCommit[] = [];
    for await (const item of readCommits(
      shallow,
      refs.map(({ sha }) => sha),
    ))
      items.push(item);
    expect(items).toMatchObject([
      { kind: 'skipped', sha: oldest, reason: expect.stringContaining(`object ${parent} is missing`) },
      { kind: 'commit', commit: { sha: newest, files: [{ path: 'c.txt' }] } },
    ]);
    expect(await gitAddedLines(shallow, [oldest, newest], () => true)).toMatchObject({
      commits: 1,
      added: 1,
    });
  });

  it('never fetches what a partial clone lacks', async () => {
    repo.write('a.ts', lines(1, 3));
    repo.commit();
    repo.write('a.ts', lines(1, 4));
    const sha = repo.commit();
    repo.git('config', 'uploadpack.allowFilter', 'true');
    const clone = join(repo.path, 'clone.git');
    repo.git('clone', '-q', '--bare', '--no-local', '--filter=blob:none', `file://${repo.path}`, clone);
    const partial = await openRepository(clone);
    const items: ReadCommit[] = [];
    for await (const item of readCommits(partial, [sha])) items.push(item);
    expect(items).toEqual([{ kind: 'skipped', sha, reason: expect.stringContaining('missing') }]);
  });

  it('adds up to the count of git log --numstat, commit by commit', async () => {
    let state = 7;
    const random = (below: number) => (state = (state * 48271) % 2147483647) % below;
    let text = Array.from({ length: 60 }, () => `${random(6)}`);
    const shas: string[] = [];
    for (let n = 0; n < 25; n++) {
      text = text.flatMap((line) =>
        random(5) === 0 ? [] : random(5) === 0 ? [line, `${random(6)}`] : [line],
      );
      repo.write(n % 4 === 3 ? 'b c.ts' : 'a.ts', text.map((line) => `${line}\n`).join(''));
      shas.push(repo.commit());
    }
    // With -U0 git cuts off the common tail, and so its blank lines no longer look too frequent to align:
    // it then counts 7 added lines here, where --numstat counts 8.
    const tail = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(200)}\n\n`).join('');
    for (const top of ['\n', 'a\nb\nc\nd\ne\nf\n\ng\n']) {
      repo.write('c.ts', top + tail);
      shas.push(repo.commit());
    }
    const numstat = (sha: string) => repo.git('show', '--numstat', '--format=', sha).split('\t');
    const expected = shas.map((sha) => numstat(sha).slice(0, 2).map(Number));
    expect(expected.at(-1)).toEqual([8, 1]);
    const items = await repo.read(...shas);
    const counted = items.map((item) => {
      if (item.kind !== 'commit') throw new Error(item.reason);
      const file = item.commit.files[0]!;
      return [file.addedLines, file.deletedLines];
    });
    expect(counted).toEqual(expected);
    const added = expected.reduce((sum, [lines]) => sum + lines!, 0);
    const opened = await openRepository(repo.path);
    expect(await gitAddedLines(opened, shas, () => true)).toEqual({ commits: 27, added, skipped: [] });
    expect((await gitAddedLines(opened, shas, (path) => path === 'none')).added).toBe(0);
  });

  it('takes ids from a stream, more than it sends ahead, and can be stopped early', async () => {
    const shas: string[] = [];
    for (let n = 0; n < 70; n++) shas.push(repo.commit(`${n}`));
    async function* stream() {
      yield* shas;
    }
    const opened = await openRepository(repo.path);
    const read: string[] = [];
    for await (const item of readCommits(opened, stream()))
      if (item.kind === 'commit') read.push(item.commit.sha);
    expect(read).toEqual(shas);
    for await (const item of readCommits(opened, stream())) {
      expect(item).toMatchObject({ kind: 'commit', commit: { sha: shas[0] } });
      break;
    }
  });

  it('refuses an id that is none', async () => {
    repo.commit();
    await expect(repo.read('--all')).rejects.toMatchObject({ code: 'invalid-sha' });
  });
});
