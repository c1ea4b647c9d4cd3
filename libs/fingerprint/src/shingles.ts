import { mix32 } from './min-hash';
import { WORDS_FROM_LENGTH } from './text-signature';

const FNV_OFFSET = 0x811c_9dc5 | 0;
const FNV_PRIME = 0x0100_0193;

/** 1 for the characters of a word: ASCII letters, digits and `_`, as in the seed's scheme. */
const wordCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
);

// Bound once: a look-up of a global is slow where scripts run in a context of their own (tests, some editors).
const { imul } = Math;

/** Hash of three in a row; the order counts. */
const hashOfThree = (first: number, second: number, third: number): number =>
  mix32(imul(imul(imul(first, 0x85eb_ca6b) ^ second, 0xc2b2_ae35) ^ third, 0x27d4_eb2f));

/**
 * The shingles of a text as the seed cuts them (three characters below 200 UTF-16 units, three words from there on),
 * each as one 32-bit hash, in one pass and without cutting strings out: what `universalSignature` and
 * `onePermutationSignature` take. Repetitions stay in; the hashes are not the seed's.
 */
export function textShingles(text: string): Uint32Array {
  return text.length < WORDS_FROM_LENGTH ? characterShingles(text) : wordShingles(text);
}

function characterShingles(text: string): Uint32Array {
  const shingles = new Uint32Array(Math.max(0, text.length - 2));
  for (let i = 0; i < shingles.length; i++) {
    shingles[i] = hashOfThree(text.charCodeAt(i), text.charCodeAt(i + 1), text.charCodeAt(i + 2));
  }
  return shingles;
}

/** Where shingles are gathered before their number is known; only ever as long as the longest text needs. */
let gathered = new Uint32Array(1024);

function wordShingles(text: string): Uint32Array {
  const { length } = text;
  if (gathered.length < length >>> 1) gathered = new Uint32Array(length);
  const shingles = gathered;
  let count = 0;
  let words = 0;
  let first = 0;
  let second = 0;
  let hash = FNV_OFFSET;
  // One step more than there are characters ends the last word.
  for (let at = 0; at <= length; at++) {
    const code = at < length ? text.charCodeAt(at) : 0;
    if (code < 128 && wordCharacters[code] === 1) hash = imul(hash ^ code, FNV_PRIME);
    else if (hash !== FNV_OFFSET) {
      if (++words > 2) shingles[count++] = hashOfThree(first, second, hash);
      first = second;
      second = hash;
      hash = FNV_OFFSET;
    }
  }
  return shingles.slice(0, count);
}
