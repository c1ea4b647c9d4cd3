import { hostAccount } from './host-account';

describe('hostAccount', () => {
  it.each([
    ['583231+octocat@users.noreply.github.com', 'users.noreply.github.com', '583231', 'octocat'],
    ['octocat@users.noreply.github.com', 'users.noreply.github.com', null, 'octocat'],
    [
      '49699333+dependabot[bot]@users.noreply.github.com',
      'users.noreply.github.com',
      '49699333',
      'dependabot[bot]',
    ],
    ['7-eleven@users.noreply.github.com', 'users.noreply.github.com', null, '7-eleven'],
    ['12+ada@users.noreply.ghe.acme.dev', 'users.noreply.ghe.acme.dev', '12', 'ada'],
    ['1234-ada@users.noreply.gitlab.com', 'users.noreply.gitlab.com', '1234', 'ada'],
    ['1234@users.noreply.gitlab.com', 'users.noreply.gitlab.com', '1234', null],
    ['1234-ada@users.noreply.git.acme.dev', 'users.noreply.git.acme.dev', '1234', 'ada'],
    ['ada@noreply.codeberg.org', 'noreply.codeberg.org', null, 'ada'],
    ['17+ada@noreply.gitea.acme.dev', 'noreply.gitea.acme.dev', '17', 'ada'],
    ['ada@noreply.localhost', 'noreply.localhost', null, 'ada'],
    ['ada@users.noreply.bitbucket.org', 'users.noreply.bitbucket.org', null, 'ada'],
  ])('reads the account of %s', (address, host, id, login) => {
    expect(hostAccount(address)).toEqual({ host, id, login });
  });

  it.each([
    'ada@acme.dev',
    'noreply@github.com',
    'ada@mynoreply.github.com',
    'ada',
    '@noreply.acme.dev',
    'a@b@noreply.x',
  ])('finds none in %s', (address) => expect(hostAccount(address)).toBeNull());
});
