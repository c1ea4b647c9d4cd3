import { redactSecrets } from './redaction';

/** Joined here, so that no scanner takes this file for a leak. */
const made = (...parts: string[]) => parts.join('');

describe('redactSecrets', () => {
  it.each([
    ['an AWS key', `const id = "${made('AKIA', 'IOSFODNN7EXAMPLE')}";`, 'const id = "REDACTED";'],
    ['a GitHub token', `token: ${made('ghp_', 'a1B2'.repeat(9))}`, 'token: REDACTED'],
    ['a GitLab token', `curl -H ${made('glpat-', 'abcDEF123456_789xyz')}`, 'curl -H REDACTED'],
    ['a Slack token', `slack(${made('xoxb-', '123456789012-abcdef')})`, 'slack(REDACTED)'],
    ['a key of an AI provider', `key ${made('sk-', 'ant-api03-abcdefghijklmnop')}`, 'key REDACTED'],
    [
      'a JSON web token',
      `x(${made('eyJhbGciOiJIUzI1', '.eyJzdWIiOiIxMjM0', '.c2lnbmF0dXJl')})`,
      'x(REDACTED)',
    ],
    ['our own key', `export X=${made('lp_', 'abcdefghij0123456789abc')}`, 'export X=REDACTED'],
    ['a password in an address', 'postgres://app:hunter2@db:5432/app', 'postgres://app:REDACTED@db:5432/app'],
    ['the password, not the user of its name', 'amqp://guest:guest@mq', 'amqp://guest:REDACTED@mq'],
    ['a bearer token', "authorization: 'Bearer abcdef0123456789ABCD'", "authorization: 'Bearer REDACTED'"],
    ['a literal of that name', `const dbPassword = 'correct horse';`, `const dbPassword = 'REDACTED';`],
    ['a member of that name', `{ "api_key": "0123456789", "a": 1 }`, `{ "api_key": "REDACTED", "a": 1 }`],
    ['a setting without quotes', 'STRIPE_SECRET=whsec-abcdef', 'STRIPE_SECRET=REDACTED'],
    ['a setting in YAML', '  client_secret: abc123def456', '  client_secret: REDACTED'],
  ])('takes out %s', (_, text, redacted) => {
    expect(redactSecrets(text)).toBe(redacted);
  });

  it('keeps as many lines as there were, also in a private key', () => {
    const key = [
      '-----BEGIN RSA PRIVATE KEY-----',
      'MIIEpAIBAAKCAQEA',
      'abcd',
      '-----END RSA PRIVATE KEY-----',
    ];
    const text = ['before', ...key, 'after', ''].join('\r\n');
    expect(redactSecrets(text).split('\r\n')).toEqual([
      'before',
      key[0],
      'REDACTED',
      'REDACTED',
      key[3],
      'after',
      '',
    ]);
    expect(redactSecrets('-----BEGIN PRIVATE KEY-----\nabc\ndef')).not.toMatch(/abc|def/);
  });

  it.each([
    'function tokenOf(request: Request): string {',
    'const token = request.headers.authorization;',
    'if (password === undefined) return;',
    'secret: string;',
    "import { secretOf } from './secrets';",
    'const tokens = lex(text);',
    'https://example.org:8080/path@2',
  ])('leaves code alone that only speaks of secrets: %s', (text) => {
    expect(redactSecrets(text)).toBe(text);
  });

  it('answers for long lines without an end to their quotes', () => {
    const line = 'password: "' + 'a'.repeat(200_000);
    expect(redactSecrets(line)).toBe(line);
    expect(redactSecrets('secret=token=api_key='.repeat(20_000))).toBe('secret=REDACTED');
  });
});
