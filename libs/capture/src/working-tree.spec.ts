import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findWorkingTree, pathInTree } from './working-tree';

describe('findWorkingTree', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'lineprint-tree-')));
  const shop = join(folder, 'shop');
  const git = (...args: string[]) => execFileSync('git', ['-C', shop, ...args], { stdio: 'pipe' });

  beforeAll(() => {
    execFileSync('git', ['init', '-q', shop]);
    git('config', 'user.name', 'Ada');
    git('config', 'user.email', 'ada@example.org');
    git('commit', '-q', '--allow-empty', '-m', 'first');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('finds the folder with .git above a file, even one that is not there yet', () => {
    const path = join(shop, 'src/deep/new.ts');
    expect(findWorkingTree(path)).toEqual({ root: shop, name: 'shop', userEmail: 'ada@example.org' });
    expect(pathInTree(shop, path)).toBe('src/deep/new.ts');
  });

  it('names a linked working tree as its repository, with the settings of that', () => {
    git('worktree', 'add', '-q', join(folder, 'elsewhere'));
    expect(findWorkingTree(join(folder, 'elsewhere', 'a.ts'))).toEqual({
      root: join(folder, 'elsewhere'),
      name: 'shop',
      userEmail: 'ada@example.org',
    });
  });

  it('takes a submodule for a repository of its own', () => {
    mkdirSync(join(shop, '.git/modules/engine'), { recursive: true });
    mkdirSync(join(shop, 'engine'));
    writeFileSync(join(shop, 'engine/.git'), 'gitdir: ../.git/modules/engine\n');
    expect(findWorkingTree(join(shop, 'engine/a.ts'))).toEqual({
      root: join(shop, 'engine'),
      name: 'engine',
    });
  });

  it('finds nothing outside every repository', () => {
    expect(findWorkingTree(join(folder, 'a.ts'))).toBeUndefined();
  });
});
