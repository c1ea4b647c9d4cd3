/** The kernels of libs/fingerprint against the first design document's client code, on this repository's files. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  computeLinePrints,
  deriveLineKey,
  languageOf,
  onePermutationSignature,
  structureHash,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { root } from '../tools/setup.mjs';
import * as seed from './seed-minhash.mjs';
import { round, table } from './table.mjs';

const WINDOWS = 400;
const MIN_LINES = 20;
const MAX_LINES = 60;
const ROUNDS = 7;
/** Fast kernels repeat their pass until a round takes about as long as the baseline's shortest. */
const ROUND_MS = 250;

export async function measure() {
  const samples = sourceWindows();
  const checked = assertEqualToSeed(samples);
  const key = deriveLineKey(Buffer.alloc(32, 7), 'bench');
  const shingles = samples.map(({ text }) => hashedShingles(text));
  const kernels = [
    ['seed client code', 'baseline', ({ text }) => seed.computeMinHashSignature(text)],
    ['text signature, 128 hashes', 'same numbers', ({ text }) => textSignature(text)],
    ['one permutation, from text', 'shingled as the seed', ({ text }) => onePermutationOf(text)],
    ['one permutation', 'from shingle hashes', (_, i) => onePermutationSignature(shingles[i])],
    ['line prints', 'from text', ({ text, language }) => computeLinePrints(text, language, key)],
  ];
  const rates = timeAll(
    samples,
    kernels.map(([, , kernel]) => kernel),
  );
  const lines = samples.reduce((sum, { lines }) => sum + lines, 0);
  return {
    input: {
      windows: samples.length,
      lines,
      lineRange: [MIN_LINES, MAX_LINES],
      shinglesPerWindow: round(shingles.reduce((sum, { length }) => sum + length, 0) / samples.length, 1),
    },
    bitEqualTexts: checked,
    rounds: ROUNDS,
    kernels: kernels.map(([name, note], i) => ({
      name,
      note,
      perSecond: round(rates[i].median, 0),
      slowestRound: round(rates[i].lowest, 0),
      fastestRound: round(rates[i].highest, 0),
      ratio: round(rates[i].median / rates[0].median, 1),
    })),
  };
}

export function render({ input, bitEqualTexts, rounds, kernels }) {
  return [
    `${input.windows} windows of ${input.lineRange.join('–')} lines (${input.lines} lines, ${input.shinglesPerWindow} shingles each); median of ${rounds} rounds`,
    `Signature, bands and structure hash equal the baseline's in ${bitEqualTexts} of ${bitEqualTexts} texts.`,
    '',
    table(
      ['kernel', '', 'windows/s', 'slowest', 'fastest', 'ratio'],
      kernels.map(({ name, note, perSecond, slowestRound, fastestRound, ratio }) => [
        name,
        note,
        ...[perSecond, slowestRound, fastestRound].map((rate) => rate.toLocaleString('en-US')),
        `${ratio.toFixed(1)} ×`,
      ]),
    ),
  ].join('\n');
}

/** Code of this repository in windows of 20 to 60 lines, spread over its files: the same for one commit. */
function sourceWindows() {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '');
  const windows = [];
  for (const path of files) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n');
    for (let from = 0; ;) {
      const size = MIN_LINES + ((windows.length * 7) % (MAX_LINES - MIN_LINES + 1));
      if (from + size > lines.length) break;
      windows.push({
        text: lines.slice(from, from + size).join('\n'),
        language: languageOf(path),
        lines: size,
      });
      from += size;
    }
  }
  const step = Math.max(1, windows.length / WINDOWS);
  return Array.from({ length: Math.min(WINDOWS, windows.length) }, (_, i) => windows[Math.floor(i * step)]);
}

/**
 * Compares every window, and a short start of it for the rule for short texts, with the baseline.
 *
 * @returns {number} how many texts were compared
 */
function assertEqualToSeed(samples) {
  const texts = samples.flatMap(({ text }) => [text, text.slice(0, 150)]);
  for (const text of texts) {
    const theirs = seed.computeMinHashSignature(text);
    const ours = textSignature(text);
    const same =
      equal(ours, theirs) &&
      equal(textBands(ours), seed.computeLshBuckets(theirs)) &&
      structureHash(text) === seed.computeStructureHash(text);
    if (!same) throw new Error(`libs/fingerprint and the baseline differ on this text:\n${text}`);
  }
  return texts.length;
}

function equal(a, b) {
  return a.length === b.length && b.every((value, i) => value === a[i]);
}

/** The seed's shingles of a text, each hashed once. */
function hashedShingles(text) {
  const shingles = text.length < 200 ? seed.charShingles(text, 3) : seed.wordShingles(text, 3);
  return Uint32Array.from(shingles, (shingle) => seed.fnv1aHash(shingle, seed.SEED_BASE));
}

function onePermutationOf(text) {
  return onePermutationSignature(hashedShingles(text));
}

/** Rounds of all kernels in turn, so that a busy machine slows all of them alike. */
function timeAll(samples, kernels) {
  const passes = kernels.map((kernel) => {
    const once = timePass(samples, kernel, 1);
    return Math.max(1, Math.round(ROUND_MS / once));
  });
  kernels.forEach((kernel, i) => timePass(samples, kernel, passes[i]));
  const rates = kernels.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    kernels.forEach((kernel, i) => {
      const ms = timePass(samples, kernel, passes[i]);
      rates[i].push((1000 * passes[i] * samples.length) / ms);
    });
  }
  return rates.map((list) => {
    const sorted = list.sort((a, b) => a - b);
    return { median: sorted[sorted.length >> 1], lowest: sorted[0], highest: sorted.at(-1) };
  });
}

function timePass(samples, kernel, times) {
  let consumed = 0;
  const started = performance.now();
  for (let time = 0; time < times; time++) {
    samples.forEach((sample, i) => {
      consumed += kernel(sample, i).length;
    });
  }
  const ms = performance.now() - started;
  // Without a use of the results an optimiser may leave the work out.
  if (consumed === 0) throw new Error('The kernel returned nothing');
  return ms;
}
