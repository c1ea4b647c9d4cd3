import { createCipheriv, randomBytes } from 'node:crypto';
import { keyIdIn, RawCodeKeys } from './raw-code';

const [key, other] = [randomBytes(32), randomBytes(32)];
const keys = new RawCodeKeys([key]);
const failure = (code: string) => expect.objectContaining({ code, transient: false }) as Error;

describe('raw code', () => {
  it.each(['', 'const a = 1;\r\n', 'naïve ☃ 😀', '\u0000', 'x'.repeat(1_000_000)])(
    'comes back as it was encrypted (case %#)',
    (code) => {
      expect(keys.decrypt(keys.encrypt(code))).toBe(code);
    },
  );

  it('never looks the same twice', () => {
    expect(keys.encrypt('a')).not.toBe(keys.encrypt('a'));
  });

  it('is encrypted with the first key, which it names, and read with any', () => {
    const rotated = new RawCodeKeys([other, key]);
    const before = keys.encrypt('a');
    expect(rotated.decrypt(before)).toBe('a');
    expect([keyIdIn(before), keyIdIn(rotated.encrypt('a'))]).toEqual([keys.ids[0], rotated.ids[0]]);
    expect(rotated.ids[1]).toBe(keys.ids[0]);
  });

  it('of a release that named no key is read with the one that fits', () => {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const text = Buffer.concat([cipher.update('old'), cipher.final()]);
    const old = ['v1', ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64'))].join('.');
    expect(new RawCodeKeys([other, key]).decrypt(old)).toBe('old');
    expect(() => new RawCodeKeys([other]).decrypt(old)).toThrow(failure('raw-code-undecipherable'));
    expect(keyIdIn(old)).toBeNull();
  });

  it('cannot be read without its key, which the error names', () => {
    expect(() => new RawCodeKeys([other]).decrypt(keys.encrypt('a'))).toThrow(
      failure('raw-code-key-missing'),
    );
    expect(() => new RawCodeKeys([other]).decrypt(keys.encrypt('a'))).toThrow(keys.ids[0]);
  });

  it('cannot be read once any part of it was altered, cut off or swapped', () => {
    const [version, id, iv, tag, text] = keys.encrypt('const a = 1;').split('.') as [
      string,
      string,
      string,
      string,
      string,
    ];
    const flipped = (part: string) => {
      const bytes = Buffer.from(part, 'base64');
      bytes[0]! ^= 1;
      return bytes.toString('base64');
    };
    const shortTag = Buffer.from(tag, 'base64').subarray(0, 4).toString('base64');
    for (const altered of [
      [version, id, flipped(iv), tag, text],
      [version, id, iv, flipped(tag), text],
      [version, id, iv, tag, flipped(text)],
      [version, id, iv, tag, ''],
      [version, id, iv, shortTag, text],
      [version, id, iv, tag, text, text],
      ['v3', id, iv, tag, text],
      [version, id, iv],
      ['const a = 1;'],
    ]) {
      expect(() => keys.decrypt(altered.join('.'))).toThrow(failure('raw-code-undecipherable'));
    }
  });

  it('is not repeated in the message about it', () => {
    const encrypted = keys.encrypt('const secret = 1;');
    try {
      new RawCodeKeys([other]).decrypt(encrypted);
    } catch (error) {
      expect((error as Error).message).not.toContain('secret');
      expect((error as Error).message).not.toContain(encrypted);
    }
    expect.assertions(2);
  });
});
