import { createHash, createHmac } from 'node:crypto';
import { hmacSha256, sha256Hex, utf8 } from './digest';

const nodeSha256 = (text: string) => createHash('sha256').update(text, 'utf8').digest('hex');

describe('SHA-256', () => {
  it.each([
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('of "%s" is what FIPS 180-4 says', (text, digest) => {
    expect(sha256Hex(text)).toBe(digest);
  });

  it('is what Node computes at every length around its blocks', () => {
    for (let length = 0; length < 200; length++) {
      const text = 'x'.repeat(length);
      expect(sha256Hex(text)).toBe(nodeSha256(text));
    }
  });

  it('is of UTF-8, in which a lone surrogate is U+FFFD', () => {
    const text = 'é\u07ff\u0800変\uffff\u{1f600}\u{10ffff}\ud83d x \udc00\ud83d';
    expect(Buffer.from(utf8(text))).toEqual(Buffer.from(text, 'utf8'));
    expect(sha256Hex(text)).toBe(nodeSha256(text));
  });
});

describe('HMAC-SHA-256', () => {
  it.each([16, 32, 63, 64, 65, 200])('is what Node computes for a secret of %i bytes', (length) => {
    const secret = Uint8Array.from({ length }, (_, i) => i * 7);
    const expected = createHmac('sha256', secret).update('größe', 'utf8').digest();
    expect(Buffer.from(hmacSha256(secret, 'größe'))).toEqual(expected);
  });
});
