import { randomBytes } from 'node:crypto';
import { decryptRawCode, encryptRawCode } from './raw-code';

const key = randomBytes(32);
const undecipherable = expect.objectContaining({
  code: 'raw-code-undecipherable',
  transient: false,
}) as Error;

describe('raw code', () => {
  it.each(['', 'const a = 1;\r\n', 'naïve ☃ 😀', '\u0000', 'x'.repeat(1_000_000)])(
    'comes back as it was encrypted (case %#)',
    (code) => {
      expect(decryptRawCode(encryptRawCode(code, key), key)).toBe(code);
    },
  );

  it('never looks the same twice', () => {
    expect(encryptRawCode('a', key)).not.toBe(encryptRawCode('a', key));
  });

  it('cannot be read with another key', () => {
    expect(() => decryptRawCode(encryptRawCode('a', key), randomBytes(32))).toThrow(undecipherable);
  });

  it('cannot be read once any part of it was altered, cut off or swapped', () => {
    const encrypted = encryptRawCode('const a = 1;', key);
    const [version, iv, tag, text] = encrypted.split('.') as [string, string, string, string];
    const flipped = (part: string) => {
      const bytes = Buffer.from(part, 'base64');
      bytes[0]! ^= 1;
      return bytes.toString('base64');
    };
    const shortTag = Buffer.from(tag, 'base64').subarray(0, 4).toString('base64');
    for (const altered of [
      [version, flipped(iv), tag, text],
      [version, iv, flipped(tag), text],
      [version, iv, tag, flipped(text)],
      [version, iv, tag, ''],
      [version, iv, shortTag, text],
      ['v2', iv, tag, text],
      [version, iv],
      ['const a = 1;'],
    ]) {
      expect(() => decryptRawCode(altered.join('.'), key)).toThrow(undecipherable);
    }
  });

  it('is not repeated in the message about it', () => {
    const encrypted = encryptRawCode('const secret = 1;', key);
    try {
      decryptRawCode(encrypted, randomBytes(32));
    } catch (error) {
      expect((error as Error).message).not.toContain('secret');
      expect((error as Error).message).not.toContain(encrypted);
    }
    expect.assertions(2);
  });
});
