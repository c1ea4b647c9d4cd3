import { LINE_PRINT_VERSION, type LinePrint } from './line-print';
import {
  decodeCurrentLinePrints,
  decodeLinePrints,
  encodeLinePrints,
  LinePrintFormatError,
  linePrintsFromBase64,
  linePrintsToBase64,
  printedLinesFromBase64,
} from './line-print-codec';

const print = (line: number, change: Partial<LinePrint> = {}): LinePrint => ({
  line,
  h1: 0x0123_4567_89ab_cdefn,
  h2: 0xffff_ffff_ffff_ffffn,
  h3: 0x0123_4567_89ab_cdefn,
  bloom: 1n << 63n,
  tokens: 255,
  ...change,
});
const prints = [print(0), print(1, { h3: 0n }), print(64), print(100_000, { tokens: 0 }), print(2 ** 31 - 1)];

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
  } catch (error) {
    if (error instanceof LinePrintFormatError) return error.code;
    throw error;
  }
  return undefined;
};

describe('packed line prints', () => {
  it('come back as they were', () => {
    expect(decodeLinePrints(encodeLinePrints(prints))).toEqual(prints);
    expect(decodeLinePrints(encodeLinePrints([]))).toEqual([]);
  });

  it('tell their lines without being unpacked', () => {
    const lines = printedLinesFromBase64(linePrintsToBase64(prints));
    expect([...lines]).toEqual(prints.map(({ line }) => line));
    expect(codeOf(() => printedLinesFromBase64(linePrintsToBase64(prints).slice(0, -4)))).toBe(
      'line_prints_truncated',
    );
  });

  it('come back from the middle of a buffer', () => {
    const bytes = encodeLinePrints(prints);
    const around = new Uint8Array(bytes.length + 7);
    around.set(bytes, 3);
    expect(decodeLinePrints(around.subarray(3, 3 + bytes.length))).toEqual(prints);
  });

  it('take 26 bytes a line, and 8 more where H3 differs', () => {
    expect(encodeLinePrints([])).toHaveLength(2);
    expect(encodeLinePrints([print(0)])).toHaveLength(2 + 26);
    expect(encodeLinePrints([print(0, { h3: 0n })])).toHaveLength(2 + 34);
  });

  it('begin with their version, and another version is refused', () => {
    const bytes = encodeLinePrints(prints);
    expect(bytes[0]).toBe(LINE_PRINT_VERSION);
    for (const version of [0, LINE_PRINT_VERSION - 1, LINE_PRINT_VERSION + 1, 255]) {
      bytes[0] = version;
      expect(codeOf(() => decodeLinePrints(bytes))).toBe('line_prints_version');
    }
  });

  it('that were stored under another version are none', () => {
    const bytes = encodeLinePrints(prints);
    expect(decodeCurrentLinePrints(bytes)).toEqual(prints);
    bytes[0] = LINE_PRINT_VERSION - 1;
    expect(decodeCurrentLinePrints(bytes)).toBeNull();
  });

  it('are refused when cut anywhere or continued', () => {
    const bytes = encodeLinePrints(prints);
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => decodeLinePrints(bytes.subarray(0, length)))).toBe('line_prints_truncated');
    }
    expect(codeOf(() => decodeLinePrints(Uint8Array.of(...bytes, 0)))).toBe('line_prints_malformed');
  });

  it.each([
    ['a huge count', [LINE_PRINT_VERSION, 0xff, 0xff, 0xff, 0xff, 0x0f], 'line_prints_truncated'],
    [
      'an endless count',
      [LINE_PRINT_VERSION, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
      'line_prints_malformed',
    ],
    [
      'a print without a line',
      [LINE_PRINT_VERSION, 1, 0, ...new Array<number>(25).fill(0)],
      'line_prints_malformed',
    ],
    [
      'a line beyond all files',
      [LINE_PRINT_VERSION, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, ...new Array<number>(25).fill(0)],
      'line_prints_malformed',
    ],
  ])('are refused with %s', (_what, bytes, code) => {
    expect(codeOf(() => decodeLinePrints(Uint8Array.from(bytes)))).toBe(code);
  });

  it('cannot be packed out of order', () => {
    expect(codeOf(() => encodeLinePrints([print(1), print(1)]))).toBe('line_prints_order');
    expect(codeOf(() => encodeLinePrints([print(-1)]))).toBe('line_prints_order');
    expect(codeOf(() => encodeLinePrints([print(0.5)]))).toBe('line_prints_order');
  });
});

describe('line prints in base64', () => {
  it('are the base64 of the packed bytes, at every length', () => {
    for (let count = 0; count <= prints.length; count++) {
      const some = prints.slice(0, count);
      expect(linePrintsToBase64(some)).toBe(Buffer.from(encodeLinePrints(some)).toString('base64'));
      expect(linePrintsFromBase64(linePrintsToBase64(some))).toEqual(some);
    }
  });

  it.each(['AQA', 'AQ*=', 'A===', '=', 'AQ\u0141='])('are refused in "%s"', (text) => {
    expect(codeOf(() => linePrintsFromBase64(text))).toBe('line_prints_base64');
  });
});
