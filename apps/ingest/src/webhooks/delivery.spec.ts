import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { GitHost } from '@lineprint/contracts';
import { verifyDelivery } from './delivery';

const BODY = Buffer.from('{"ref":"refs/heads/main", "bytes":"as they came \\u00e9 é"}');
const SECRET = 'a secret of some length';
const PREVIOUS = 'the secret that was before';
const NOW = Date.UTC(2026, 10, 30, 12);
const SIGNING_KEY = Buffer.alloc(32, 9);
const SIGNING_TOKEN = `whsec_${SIGNING_KEY.toString('base64')}`;

const hex = (secret: string, body = BODY, hash = 'sha256') =>
  createHmac(hash, secret).update(body).digest('hex');

const signed: Record<Exclude<GitHost, 'gitlab'>, (secret: string) => IncomingHttpHeaders> = {
  github: (secret) => ({
    'x-github-event': 'push',
    'x-github-delivery': 'd-1',
    'x-hub-signature-256': `sha256=${hex(secret)}`,
  }),
  gitea: (secret) => ({
    'x-gitea-event': 'push',
    'x-gitea-delivery': 'd-1',
    'x-gitea-signature': hex(secret),
  }),
  'bitbucket-cloud': (secret) => ({
    'x-event-key': 'repo:push',
    'x-request-uuid': 'd-1',
    'x-hub-signature': `sha256=${hex(secret)}`,
  }),
  'bitbucket-dc': (secret) => ({
    'x-event-key': 'repo:refs_changed',
    'x-request-id': 'd-1',
    'x-hub-signature': `sha256=${hex(secret)}`,
  }),
};
const hosts = Object.keys(signed) as (keyof typeof signed)[];

const verify = (host: GitHost, headers: IncomingHttpHeaders, secrets = [SECRET], body = BODY) =>
  verifyDelivery(host, headers, body, secrets, NOW);
const refused = expect.objectContaining({ status: 401, code: 'signature-invalid' }) as Error;

describe.each(hosts)('a delivery of %s', (host) => {
  it('is known by its signature, with the current secret or the one before', () => {
    expect(verify(host, signed[host](SECRET))).toMatchObject({ id: 'd-1' });
    expect(verify(host, signed[host](PREVIOUS), [SECRET, PREVIOUS])).toMatchObject({ id: 'd-1' });
  });

  it('is refused with another secret, other bytes, no signature, or a part of one', () => {
    const headers = signed[host](SECRET);
    expect(() => verify(host, headers, [PREVIOUS])).toThrow(refused);
    expect(() => verify(host, headers, [SECRET], Buffer.concat([BODY, Buffer.from(' ')]))).toThrow(refused);
    for (const name of Object.keys(headers).filter((header) => header.includes('signature'))) {
      const value = headers[name] as string;
      for (const wrong of [
        undefined,
        '',
        value.slice(0, -2),
        `${value}00`,
        value.replace('sha256=', 'sha1=') + 'x',
      ]) {
        expect(() => verify(host, { ...headers, [name]: wrong })).toThrow(refused);
      }
    }
  });

  it('is refused where the secret is empty or can be guessed, whatever the signature', () => {
    for (const weak of ['', 'short']) expect(() => verify(host, signed[host](weak), [weak])).toThrow(refused);
    expect(() => verify(host, signed[host](SECRET), [])).toThrow(refused);
  });

  it('must have a name of its own', () => {
    const { 'x-github-delivery': _a, 'x-gitea-delivery': _b, ...rest } = signed[host](SECRET);
    const { 'x-request-uuid': _c, 'x-request-id': _d, ...nameless } = rest;
    expect(() => verify(host, nameless)).toThrow(
      expect.objectContaining({ status: 400, code: 'delivery-id-missing' }) as Error,
    );
  });

  it('is not believed for another host', () => {
    for (const other of hosts) {
      const sameHeader = [host, other].every((name) => name.startsWith('bitbucket'));
      if (other === host || sameHeader) continue;
      expect(() => verify(other, signed[host](SECRET))).toThrow(refused);
    }
  });
});

it('SHA-1, which GitHub and Gitea send as well, is not believed', () => {
  const sha1 = { 'x-hub-signature': `sha1=${hex(SECRET, BODY, 'sha1')}` };
  for (const host of hosts)
    expect(() => verify(host, { ...sha1, 'x-github-delivery': 'd' })).toThrow(refused);
});

describe('a delivery of GitLab', () => {
  const withToken = (token: string): IncomingHttpHeaders => ({
    'x-gitlab-event': 'Push Hook',
    'x-gitlab-event-uuid': 'd-1',
    'x-gitlab-token': token,
  });
  const withSignature = (at = NOW, key = SIGNING_KEY, id = 'd-2'): IncomingHttpHeaders => {
    const time = String(Math.floor(at / 1000));
    const text = createHmac('sha256', key).update(`${id}.${time}.`).update(BODY).digest('base64');
    return {
      'x-gitlab-event': 'Push Hook',
      'webhook-id': id,
      'webhook-timestamp': time,
      'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')} v1,${text}`,
    };
  };

  it('is known by its secret token, the current one or the one before', () => {
    expect(verify('gitlab', withToken(SECRET))).toEqual({ id: 'd-1', event: 'Push Hook' });
    expect(verify('gitlab', withToken(PREVIOUS), [SECRET, PREVIOUS])).toMatchObject({ id: 'd-1' });
    for (const wrong of ['', SECRET.slice(1), `${SECRET} `]) {
      expect(() => verify('gitlab', withToken(wrong))).toThrow(refused);
    }
  });

  it('is known by one of its signatures, not long ago and not ahead', () => {
    expect(verify('gitlab', withSignature(), [SIGNING_TOKEN])).toEqual({ id: 'd-2', event: 'Push Hook' });
    for (const off of [-301_000, 301_000]) {
      expect(() => verify('gitlab', withSignature(NOW + off), [SIGNING_TOKEN])).toThrow(refused);
    }
    expect(() => verify('gitlab', withSignature(NOW, Buffer.alloc(32)), [SIGNING_TOKEN])).toThrow(refused);
    const renamed = { ...withSignature(), 'webhook-id': 'another' };
    expect(() => verify('gitlab', renamed, [SIGNING_TOKEN])).toThrow(refused);
  });

  it('does not choose the scheme: a signing token given away as a plain one opens nothing', () => {
    expect(() => verify('gitlab', withToken(SIGNING_TOKEN), [SIGNING_TOKEN])).toThrow(refused);
    expect(() => verify('gitlab', withSignature(), [SECRET])).toThrow(refused);
  });

  it('is taken while one scheme replaces the other', () => {
    for (const headers of [withToken(SECRET), withSignature()]) {
      expect(verify('gitlab', headers, [SIGNING_TOKEN, SECRET])).toMatchObject({ event: 'Push Hook' });
    }
  });
});
