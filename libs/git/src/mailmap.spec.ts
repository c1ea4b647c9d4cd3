import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseMailmap } from './mailmap';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lineprint-mailmap-'));
  execFileSync('git', ['init', '-q', directory]);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** What git itself makes of an author. */
function gitMapped(mailmap: string, author: string): string {
  writeFileSync(join(directory, '.mailmap'), mailmap);
  return execFileSync('git', ['-C', directory, 'check-mailmap', author], { encoding: 'utf8' }).trim();
}

describe('parseMailmap', () => {
  it('reads the four forms of a line', () => {
    expect(
      parseMailmap(
        [
          'Ada Byron <ada@home.example>',
          '<ada@acme.dev> <ada@laptop.local>',
          'Ada Byron <ada@acme.dev> <ada@old.example>',
          'Ada Byron <ada@acme.dev> root <root@build.local>',
        ].join('\n'),
      ),
    ).toEqual([
      { properName: 'Ada Byron', properEmail: null, commitName: null, commitEmail: 'ada@home.example' },
      { properName: null, properEmail: 'ada@acme.dev', commitName: null, commitEmail: 'ada@laptop.local' },
      {
        properName: 'Ada Byron',
        properEmail: 'ada@acme.dev',
        commitName: null,
        commitEmail: 'ada@old.example',
      },
      {
        properName: 'Ada Byron',
        properEmail: 'ada@acme.dev',
        commitName: 'root',
        commitEmail: 'root@build.local',
      },
    ]);
  });

  it('leaves out comments, blank lines, lines without an address and empty addresses', () => {
    const lines = [
      '# Ada <ada@acme.dev> <a@b>',
      '',
      '   ',
      'Ada',
      'Ada <ada@acme.dev',
      '<> <a@b>',
      'Ada <a@b> <>',
    ];
    expect(parseMailmap(lines.join('\r\n'))).toEqual([]);
  });

  it('takes what stands behind the last address for a comment', () => {
    expect(parseMailmap('Ada <ada@acme.dev> <a@b> # her laptop\r\nBob <b@c>, since May')).toMatchObject([
      { properEmail: 'ada@acme.dev', commitEmail: 'a@b' },
      { properName: 'Bob', properEmail: null, commitEmail: 'b@c' },
    ]);
  });

  it.each([
    'Ada <ada@acme.dev> <a@b>',
    '  Ada\tByron   <ada@acme.dev>   <a@b>  # comment',
    'Ada <ada@acme.dev> Old Name <a@b>',
    'Ada # not a comment <ada@acme.dev> <a@b>',
    'Ada <ada@acme.dev><a@b>',
    'Ada <ada@acme.dev> junk <a@b> more <c@d>',
    '# Ada <ada@acme.dev> <a@b>',
    ' # Ada <ada@acme.dev> <a@b>',
    'Ada <a@b>',
    '<ada@acme.dev> <A@B>',
    'Ada <<ada@acme.dev> <a@b>',
    'Ada <ada@acme.dev> <a@b',
  ])('reads `%s` as git does', (line) => {
    const [entry] = parseMailmap(line);
    const applies =
      entry !== undefined &&
      entry.commitEmail.toLowerCase() === 'a@b' &&
      (entry.commitName === null || entry.commitName === 'Old Name');
    const name = (applies && entry.properName) || 'Old Name';
    const address = (applies && entry.properEmail) || 'a@b';
    expect(`${name} <${address}>`).toBe(gitMapped(line, 'Old Name <a@b>'));
  });
});
