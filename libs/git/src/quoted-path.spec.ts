import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitAddedLines } from './added-lines';
import { unquotePath } from './quoted-path';
import { readCommits } from './read-commits';
import { openRepository } from './repository';

describe('unquotePath', () => {
  it('gives bytes that are no UTF-8 as git shows them, so that two paths never become one', () => {
    expect(unquotePath('caf\xc3\xa9.js')).toBe('café.js');
    expect(unquotePath('"caf\xc3\xa9\\t.js"')).toBe('café\t.js');
    expect(unquotePath('caf\xe9.js')).toBe('caf\\351.js');
    expect(unquotePath('"caf\xe8\\n.js"')).toBe('caf\\350\n.js');
  });

  it('keeps files apart whose names differ in a byte that is no UTF-8', async () => {
    const path = mkdtempSync(join(tmpdir(), 'lineprint-paths-'));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: path });
    try {
      git('init', '-q');
      for (const [byte, text] of [
        [0xe8, 'one\n'],
        [0xe9, 'one\ntwo\n'],
      ] as const) {
        writeFileSync(Buffer.concat([Buffer.from(`${path}/caf`), Buffer.of(byte), Buffer.from('.js')]), text);
      }
      git('add', '-A');
      git('commit', '-q', '-m', 'menu');
      const repository = await openRepository(path);
      for await (const item of readCommits(repository, [repository.head])) {
        if (item.kind !== 'commit') throw new Error(item.reason);
        expect(item.commit.files).toMatchObject([
          { path: 'caf\\350.js', addedLines: 1, content: 'one\n' },
          { path: 'caf\\351.js', addedLines: 2, content: 'one\ntwo\n' },
        ]);
      }
      expect(await gitAddedLines(repository, [repository.head], () => true)).toMatchObject({ added: 3 });
    } finally {
      rmSync(path, { recursive: true, force: true });
    }
  });
});
