import { decodeLine, decodeText } from './decode-text';

const bytes = (...parts: (string | number)[]) =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))));

describe('text of files', () => {
  it('is UTF-8 where it can be', () => {
    expect(decodeText(Buffer.from('\ufeffGröße 潮\n\n'))).toBe('\ufeffGröße 潮\n\n');
    expect(decodeLine(Buffer.from('Höhe'))).toBe('Höhe');
  });

  it('is Latin-1 line by line where it is no UTF-8', () => {
    expect(decodeText(bytes('a\nGr', 0xf6, 0xdf, 'e', '\nHöhe\n'))).toBe('a\nGröße\nHöhe\n');
    expect(decodeLine(bytes('Gr', 0xf6, 0xdf, 'e'))).toBe('Größe');
  });

  it('has the lines that its bytes have, with and without a line end at the end', () => {
    for (const text of [[0xff], [0xff, '\n'], ['\n', 0xff], [0xff, '\r\n\n', 0xfe, '\n']]) {
      const all = bytes(...text);
      expect(decodeText(all).split('\n')).toHaveLength(all.toString('latin1').split('\n').length);
    }
  });

  it('keeps any two bytes apart', () => {
    expect(new Set(Array.from({ length: 256 }, (_, byte) => decodeLine(Buffer.of(byte)))).size).toBe(256);
  });
});
