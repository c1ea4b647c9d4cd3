import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bareRepository, isStoredPath, readText } from './read-text';

let directory: string;
let sha: string;
const limits = { maxBytes: 1_000, timeoutMs: 20_000 };
const read = (path: string, changed: Partial<typeof limits> = {}, at = sha) =>
  readText(bareRepository(join(directory, '.git')), { sha: at, path }, { ...limits, ...changed });

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lineprint-text-'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=Ada', '-c', 'user.email=ada@acme.dev', ...args], {
      encoding: 'utf8',
    }).trim();
  git('init', '-q');
  mkdirSync(join(directory, 'src'));
  writeFileSync(join(directory, 'src/a b:c.ts'), 'one\r\n\ntwo\n');
  writeFileSync(join(directory, 'open.ts'), 'no end');
  writeFileSync(join(directory, 'empty.ts'), '');
  writeFileSync(join(directory, 'latin.ts'), Buffer.from('caf\xe9\n', 'latin1'));
  writeFileSync(join(directory, 'picture.png'), Buffer.from([1, 0, 2]));
  writeFileSync(join(directory, 'large.ts'), 'x'.repeat(1_001));
  symlinkSync('/etc/passwd', join(directory, 'link.ts'));
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  sha = git('rev-parse', 'HEAD');
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('the text of a file at a commit', () => {
  it('has its lines without their ends, under any name that git stores', async () => {
    expect(await read('src/a b:c.ts')).toEqual({ kind: 'text', lines: ['one', '', 'two'] });
    expect(await read('open.ts')).toEqual({ kind: 'text', lines: ['no end'] });
    expect(await read('empty.ts')).toEqual({ kind: 'text', lines: [] });
  });

  it('is Latin-1 where it is no UTF-8', async () => {
    expect(await read('latin.ts')).toEqual({ kind: 'text', lines: ['café'] });
  });

  it('of a link is where it leads to, never what stands there', async () => {
    expect(await read('link.ts')).toEqual({ kind: 'text', lines: ['/etc/passwd'] });
  });

  it('is not given of what is binary, too large, or not there', async () => {
    expect(await read('picture.png')).toEqual({ kind: 'binary' });
    expect(await read('large.ts')).toEqual({ kind: 'too-large' });
    expect(await read('src/none.ts')).toEqual({ kind: 'missing' });
    expect(await read('open.ts', {}, 'f'.repeat(40))).toEqual({ kind: 'missing' });
  });

  it('is not asked for under what is no commit’s id or no file’s name', async () => {
    expect(await read('open.ts', {}, 'HEAD')).toEqual({ kind: 'missing' });
    expect(await read('open.ts', {}, '--textconv')).toEqual({ kind: 'missing' });
    expect(await read('open.ts\nHEAD:open.ts')).toEqual({ kind: 'missing' });
  });

  it('is given up where git takes too long', async () => {
    const git = join(directory, 'slow-git');
    writeFileSync(git, '#!/bin/sh\nexec sleep 60\n');
    chmodSync(git, 0o755);
    const location = { git, gitDir: join(directory, '.git') };
    expect(await readText(location, { sha, path: 'open.ts' }, { ...limits, timeoutMs: 50 })).toEqual({
      kind: 'timeout',
    });
  });
});

describe('a name that git stores', () => {
  it.each(['a', '.github/a.yml', 'src/..a/b', '-rf', ':(glob)*', 'a b'])('is %s', (path) => {
    expect(isStoredPath(path)).toBe(true);
  });

  it.each(['', '/a', 'a/', 'a//b', '../a', 'a/../b', './a', '.git/config', 'a/.GIT/b', 'a\nb', 'a\0b'])(
    'is not %j',
    (path) => {
      expect(isStoredPath(path)).toBe(false);
    },
  );
});
