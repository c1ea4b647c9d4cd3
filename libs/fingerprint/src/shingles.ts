import { mix32 } from './min-hash';
import { WORDS_FROM_LENGTH } from './text-signature';

const FNV_OFFSET = 0x811c_9dc5 | 0;
const FNV_PRIME = 0x0100_0193;

/** All bits set for the characters of a word: ASCII letters, digits and `_`, as in the seed's scheme. By UTF-16 unit. */
const wordMask = new Int8Array(0x1_0000);
for (let code = 0; code < 128; code++) wordMask[code] = /\w/.test(String.fromCharCode(code)) ? -1 : 0;

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

/** Where the hashes of words are gathered before their number is known; only ever as long as the longest text needs. */
let words = new Int32Array(1024);

function wordShingles(text: string): Uint32Array {
  const count = hashWords(text);
  const shingles = new Uint32Array(Math.max(0, count - 2));
  let first = words[0]!;
  let second = words[1]!;
  for (let i = 0; i < shingles.length; i++) {
    const third = words[i + 2]!;
    shingles[i] = hashOfThree(first, second, third);
    first = second;
    second = third;
  }
  return shingles;
}

/**
 * Leaves the FNV-1a hash of each word in `words` and returns how many there are. Masks instead of conditions: where a
 * word ends cannot be foreseen, and a jump that was guessed wrong costs as much as four characters.
 */
function hashWords(text: string): number {
  const { length } = text;
  if (words.length < (length >>> 1) + 2) words = new Int32Array(length + 2);
  const hashes = words;
  let count = 0;
  let state = 0;
  let before = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    const inWord = wordMask[code]!;
    const hash = imul(state, FNV_PRIME);
    // Written at every character, and counted (less than all bits is more by one) where a word has ended.
    hashes[count] = hash;
    count -= before & ~inWord;
    state = (hash & before) ^ (FNV_OFFSET & ~before) ^ code;
    before = inWord;
  }
  if (before !== 0) hashes[count++] = imul(state, FNV_PRIME);
  return count;
}
