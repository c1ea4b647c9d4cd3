import { SeededRandom } from '../bench/accuracy/self-made/random';

export { SeededRandom };

/** The same cases in every run, unless LINEPRINT_TEST_SEED asks for others. */
export const seed = Number(process.env['LINEPRINT_TEST_SEED'] ?? 1);

/**
 * A test of many random cases; each has a seed of its own, so that one more changes none of the others.
 *
 * @param few cases; LINEPRINT_FUZZ_ITERATIONS says how many instead
 * @param run throws where a case goes wrong
 */
export function fuzz(
  name: string,
  few: number,
  run: (random: SeededRandom, number: number) => void | Promise<void>,
): void {
  const cases = Number(process.env['LINEPRINT_FUZZ_ITERATIONS'] ?? few);
  it(`${name} (seed ${seed})`, async () => {
    for (let number = 0; number < cases; number++) {
      try {
        await run(new SeededRandom(Math.imul(seed, 0x9e37_79b1) ^ number), number);
      } catch (cause) {
        const repeat = `LINEPRINT_TEST_SEED=${seed} LINEPRINT_FUZZ_ITERATIONS=${number + 1}`;
        throw new Error(`case ${number} failed; ${repeat} repeats it: ${messageOf(cause)}`, { cause });
      }
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const times = (text: string, count: number) => text.repeat(count);

/** Texts that programs take wrongly: what is no text, looks like something else, or is longer than anyone expects. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  '\ufeff',
  '\u202e\u2066',
  '\u2028',
  '\ufffd',
  '\r',
  '\n',
  '\r\n\r\n',
  '\t\v\f',
  '../../../etc/passwd',
  '/',
  '.git/config',
  'C:\\con',
  "'; DROP TABLE commits; --",
  '%00%0a%s%n$(id)`id`${id}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  'null',
  'true',
  '🧨👩‍👩‍👧‍👦',
  'e\u0301\u0301\u0301',
  'A'.repeat(65_537),
  times('\u0301', 5_000),
];

/** JSON as others than `JSON.stringify` write it. */
const oddJson: readonly string[] = [
  'null',
  'true',
  '[]',
  '{}',
  '0',
  '-0',
  '-1',
  '0.5',
  '1e999',
  '-1e999',
  '1e-999',
  '2147483648',
  '4294967296',
  '9007199254740993',
  '253402300800000',
  times('9', 400),
  '[null]',
  '[[]]',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"length":1000000000}',
  '{"toString":1,"valueOf":null,"toJSON":"x"}',
  times('[', 200) + times(']', 200),
  times('{"a":', 60) + '1' + times('}', 60),
  `[${times('1,', 5_000)}1]`,
  `[${times('{},', 5_000)}{}]`,
  '"\\ud800"',
  '"\\u0000"',
  ...oddTexts.map((text) => JSON.stringify(text)),
];

/** What is no JSON at all. */
const brokenJson: readonly string[] = [
  'NaN',
  'undefined',
  "'a'",
  '01',
  '+1',
  '.5',
  '"\\x"',
  '[1,]',
  '"',
  '',
  '/**/1',
];

/** What is done to a place: left out, there twice, or this instead. */
type Change = 'drop' | 'double' | { readonly text: string };

/** The text of a JSON value with one to three things changed in it: numbers that are off, anything in the place of anything. */
export function mutatedJson(value: unknown, random: SeededRandom): string {
  const places = placesIn(value);
  const numbers = places.filter(({ inner }) => typeof inner === 'number');
  const changes = new Map<string, Change>();
  for (let left = random.between(1, 3); left > 0; left--) {
    const off = numbers.length > 0 && random.between(0, 1) === 0;
    const { at, inner } = random.pick(off ? numbers : places);
    changes.set(at, off ? { text: String(Number(inner) + random.pick(OFF_BY)) } : change(random));
  }
  return write(value, '', changes);
}

const OFF_BY = [-1, 1, 1, 2, 7, 1_000, 2 ** 31 - 10];

function change(random: SeededRandom): Change {
  switch (random.between(0, 9)) {
    case 0:
    case 1:
      return 'drop';
    case 2:
      return 'double';
    case 3:
      return { text: random.pick(brokenJson) };
    default:
      return { text: random.pick(oddJson) };
  }
}

/** Where something stands, as `/a/0/b`; in long lists at their ends. */
function placesIn(inner: unknown, at = ''): { at: string; inner: unknown }[] {
  if (typeof inner !== 'object' || inner === null) return [{ at, inner }];
  const entries = Object.entries(inner);
  const some = entries.length > 30 ? [...entries.slice(0, 2), ...entries.slice(-2)] : entries;
  return [{ at, inner }, ...some.flatMap(([name, member]) => placesIn(member, `${at}/${name}`))];
}

function write(value: unknown, at: string, changes: ReadonlyMap<string, Change>): string {
  const done = changes.get(at);
  if (typeof done === 'object') return done.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).flatMap(([name, member]) => {
    const inner = `${at}/${name}`;
    const text = write(member, inner, changes);
    const part = Array.isArray(value) ? text : `${JSON.stringify(name)}:${text}`;
    if (changes.get(inner) === 'drop') return [];
    return changes.get(inner) === 'double' ? [part, part] : [part];
  });
  return Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
}

const oddBytes: readonly Buffer[] = [
  Buffer.of(0),
  Buffer.of(0xff, 0xfe),
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.of(0xc0, 0x80),
  Buffer.of(0xf4, 0x90, 0x80, 0x80),
  Buffer.of(0x80),
  Buffer.from('\r\n'),
  Buffer.from('\n\n'),
  Buffer.from(':'),
  Buffer.from('"'),
  Buffer.from('\\'),
  Buffer.from('}'),
];

/** Bytes of which some are changed, lost, doubled or moved. */
export function mutatedBytes(bytes: Buffer, random: SeededRandom): Buffer {
  let result = bytes;
  for (let left = random.between(1, 4); left > 0; left--) {
    const from = random.between(0, result.length);
    const to = Math.min(result.length, from + random.between(0, 40));
    const piece = result.subarray(from, to);
    const before = result.subarray(0, from);
    const after = result.subarray(to);
    switch (random.between(0, 5)) {
      case 0:
        result = Buffer.concat([before, after]);
        break;
      case 1:
        result = Buffer.concat([before, piece, piece, after]);
        break;
      case 2:
        result = Buffer.concat([before, random.pick(oddBytes), piece, after]);
        break;
      case 3:
        result = Buffer.concat([
          before,
          Buffer.from(piece.map((byte) => byte ^ (1 << random.between(0, 7)))),
          after,
        ]);
        break;
      case 4:
        result = Buffer.concat([after, before]);
        break;
      default:
        result = before;
    }
  }
  return result;
}

/** A text of which lines and stretches are lost, doubled, nested or replaced by odd ones. */
export function mutatedText(text: string, random: SeededRandom): string {
  let result = text;
  for (let left = random.between(1, 5); left > 0; left--) {
    const from = random.between(0, result.length);
    const to = Math.min(result.length, from + random.between(0, 60));
    const piece = result.slice(from, to);
    const put = (middle: string) => result.slice(0, from) + middle + result.slice(to);
    switch (random.between(0, 6)) {
      case 0:
        result = put('');
        break;
      case 1:
        result = put(times(piece, random.between(2, 30)));
        break;
      case 2:
        result = put(random.pick(oddTexts) + piece);
        break;
      case 3:
        result = put(
          times(
            random.pick(['(', '[', '{', '<', '"', "'", '`', '/*', '${', '#', '\\']),
            random.between(1, 300),
          ),
        );
        break;
      case 4:
        result = result.slice(0, from);
        break;
      case 5:
        result = result.split('\n').reverse().join('\n');
        break;
      default:
        result = put(piece.replaceAll('\n', random.pick(['\r\n', '\r', '\u2028', ''])));
    }
  }
  return result;
}
