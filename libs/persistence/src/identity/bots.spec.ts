import { isBotAddress, isBotName } from './bots';

describe('bots', () => {
  it.each([
    '49699333+dependabot[bot]@users.noreply.github.com',
    'support@dependabot.com',
    'bot@renovateapp.com',
    'noreply@github.com',
    'noreply@gitlab.com',
    'commits-noreply@bitbucket.org',
    'cz0btmb87qrext3j3k12qi1@bots.bitbucket.org',
    'project_42_bot_f00d@noreply.gitlab.com',
    'group_7_bot@noreply.git.acme.dev',
    'snyk-bot@snyk.io',
    // an author without an address is known by the name
    'renovate[bot]',
  ])('knows %s by the address', (address) => expect(isBotAddress(address)).toBe(true));

  it.each(['dependabot[bot]', 'GitHub Actions', 'Renovate Bot', 'Jenkins', 'pre-commit-ci'])(
    'knows %s by the name',
    (name) => expect(isBotName(name)).toBe(true),
  );

  it.each(['ada@acme.dev', 'abbot@acme.dev', 'robot.smith@acme.dev', 'noreply@acme.dev', 'github@acme.dev'])(
    'takes %s for a person’s',
    (address) => expect(isBotAddress(address)).toBe(false),
  );

  it.each(['Ada Byron', 'Abbot', 'R. Bot', 'ci'])('takes %s for a person', (name) =>
    expect(isBotName(name)).toBe(false),
  );
});
