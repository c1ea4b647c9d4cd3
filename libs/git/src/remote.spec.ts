import { isCountedBranch } from './counted-branch';
import { remoteOf } from './remote';

describe('a clone URL', () => {
  const hosts = ['github.com', 'git.example.org:8443', 'http://127.0.0.1:8080'];

  it.each([
    ['https://github.com/harbour/desk.git', 'https'],
    ['https://git.example.org:8443/a/b', 'https'],
    ['https://GitHub.com/harbour/desk.git', 'https'],
    ['ssh://git@github.com/harbour/desk.git', 'ssh'],
    ['http://127.0.0.1:8080/a.git', 'http'],
    ['https://github.com/~ada/a%20b.git', 'https'],
  ])('%s is taken by %s', (url, protocol) => {
    expect(remoteOf(url, { hosts })).toMatchObject({ protocol });
  });

  it.each([
    'https://gitlab.com/a/b.git',
    'https://git.example.org/a/b.git',
    'http://github.com/a/b.git',
    'https://127.0.0.1:8080/a.git',
    'https://github.com.example.org/a/b.git',
    'ssh://git@gitlab.com/a/b.git',
  ])('%s is of a host that is not allowed', (url) => {
    expect(() => remoteOf(url, { hosts })).toThrow(
      expect.objectContaining({ code: 'host-not-allowed' }) as Error,
    );
  });

  it.each([
    '/srv/git/a.git',
    'file:///srv/git/a.git',
    'git@github.com:a/b.git',
    'git://github.com/a/b.git',
    'ext::sh -c id',
    'fd::17',
    'https://token@github.com/a/b.git',
    'https://user:token@github.com/a/b.git',
    'ssh://git:secret@github.com/a/b.git',
    'ssh://-oProxyCommand=id@github.com/a/b.git',
    'ssh://-oProxyCommand=id/a/b.git',
    'https://github.com/a/b.git?x=1',
    'https://github.com/a/b.git#x',
    'https://github.com/',
    'https://github.com/-a',
    'https://[::1]/a.git',
    '--upload-pack=id',
    '',
  ])('%j is refused', (url) => {
    expect(() => remoteOf(url, { hosts })).toThrow(
      expect.objectContaining({ code: 'clone-url-invalid' }) as Error,
    );
  });
});

describe('a branch counts', () => {
  it('when it is the default branch and nothing else is said', () => {
    expect(isCountedBranch('main', [], 'main')).toBe(true);
    expect(isCountedBranch('feature', [], 'main')).toBe(false);
    expect(isCountedBranch('main', [], null)).toBe(false);
  });

  it('when it fits a pattern, of which one star is any text', () => {
    const patterns = ['main', 'release/*', '*-stable'];
    for (const branch of ['main', 'release/1', 'release/1/hotfix', 'v2-stable']) {
      expect({ branch, counts: isCountedBranch(branch, patterns, 'other') }).toEqual({
        branch,
        counts: true,
      });
    }
    for (const branch of ['other', 'release', 'main2', 'stable', 'prerelease/1']) {
      expect({ branch, counts: isCountedBranch(branch, patterns, 'other') }).toEqual({
        branch,
        counts: false,
      });
    }
    expect(isCountedBranch('aba', ['ab*ba'], null)).toBe(false);
  });
});
