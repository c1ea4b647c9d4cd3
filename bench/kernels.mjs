/** The kernels of libs/fingerprint against the first design document's client code, on this repository's files. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  computeLinePrints,
  deriveLineKey,
  languageOf,
  onePermutationSignature,
  structureHash,
  textBands,
  textShingles,
  textSignature,
  universalSignature,
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
const WARM_UP_MS = 1000;
const PEERS = ['datasketch', 'rensa'];

export async function measure({ peers = false } = {}) {
  const samples = sourceWindows();
  const checked = assertEqualToSeed(samples);
  const key = deriveLineKey(Buffer.alloc(32, 7), 'bench');
  const seedShingles = samples.map(({ text }) => seedShinglesOf(text));
  const hashes = samples.map(({ text }) => textShingles(text));
  const kernels = [
    ['seed client code', 'text', ({ text }) => seed.computeMinHashSignature(text)],
    ['seed client code', 'shingles', (_, i) => seedSignature(seedShingles[i])],
    ['text signature (the same numbers)', 'text', ({ text }) => textSignature(text)],
    ['128 universal hashes', 'text', ({ text }) => universalSignature(textShingles(text))],
    ['128 universal hashes', 'shingle hashes', (_, i) => universalSignature(hashes[i])],
    ['one permutation', 'text', ({ text }) => onePermutationSignature(textShingles(text))],
    ['one permutation', 'shingle hashes', (_, i) => onePermutationSignature(hashes[i])],
    ['line prints', 'text', ({ text, language }) => computeLinePrints(text, language, key)],
  ];
  const rates = timeAll(
    samples,
    kernels.map(([, , kernel]) => kernel),
  );
  const [fromText, fromShingles] = rates;
  const ratioOf = (rate, start) => round(rate / (start === 'text' ? fromText : fromShingles).median, 1);
  return {
    input: {
      windows: samples.length,
      lines: samples.reduce((sum, { lines }) => sum + lines, 0),
      lineRange: [MIN_LINES, MAX_LINES],
      shinglesPerWindow: round(hashes.reduce((sum, { length }) => sum + length, 0) / samples.length, 1),
    },
    bitEqualTexts: checked,
    rounds: ROUNDS,
    kernels: kernels.map(([name, from], i) => ({
      name,
      from,
      perSecond: round(rates[i].median, 0),
      slowestRound: round(rates[i].lowest, 0),
      fastestRound: round(rates[i].highest, 0),
      ratio: ratioOf(rates[i].median, from),
    })),
    ...(peers ? { peers: measurePeers(samples, hashes, ratioOf) } : {}),
  };
}

export function render({ input, bitEqualTexts, rounds, kernels, peers }) {
  const head = ['kernel', 'from', 'windows/s', 'slowest', 'fastest', 'ratio'];
  const rows = kernels.map(({ name, from, perSecond, slowestRound, fastestRound, ratio }) => [
    name,
    from,
    ...[perSecond, slowestRound, fastestRound].map((rate) => rate.toLocaleString('en-US')),
    `${ratio.toFixed(1)} ×`,
  ]);
  const peerRows = peers?.results?.map(({ name, from, perSecond, ratio }) => [
    name,
    from,
    perSecond.toLocaleString('en-US'),
    '',
    '',
    `${ratio.toFixed(1)} ×`,
  ]);
  return [
    `${input.windows} windows of ${input.lineRange.join('–')} lines (${input.lines} lines, ${input.shinglesPerWindow} shingles each); median of ${rounds} rounds, in CPU time`,
    `Signature, bands and structure hash equal the baseline's in ${bitEqualTexts} of ${bitEqualTexts} texts.`,
    'The ratio is to the baseline from the same start: its own shingles for what begins with shingles or their hashes.',
    '',
    table(head, rows.concat(peerRows ?? [])),
    ...(peers?.skipped ? ['', `Peers skipped: ${peers.skipped}`] : []),
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

function seedShinglesOf(text) {
  return text.length < 200 ? seed.charShingles(text, 3) : seed.wordShingles(text, 3);
}

/** What the seed's client does behind its shingling, in its own words. */
function seedSignature(shingles) {
  const signature = [];
  for (let i = 0; i < 128; i++) {
    let minVal = 0xffffffff;
    for (const shingle of shingles) {
      const h = seed.fnv1aHash(shingle, seed.SEED_BASE + i);
      if (h < minVal) minVal = h;
    }
    signature.push(minVal);
  }
  return signature;
}

/** Rounds of all kernels in turn, in CPU time: a busy machine slows all of them alike. */
function timeAll(samples, kernels) {
  // A cold kernel is several times slower: how many passes make a round is asked once it is compiled.
  const passes = kernels.map((kernel) => {
    for (let ms = 0; ms < WARM_UP_MS;) ms += timePass(samples, kernel, 1);
    return Math.max(1, Math.round(ROUND_MS / timePass(samples, kernel, 1)));
  });
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

/** Milliseconds of CPU time, those of the garbage collector and the compiler included. */
function timePass(samples, kernel, times) {
  let consumed = 0;
  const started = process.cpuUsage();
  for (let time = 0; time < times; time++) {
    samples.forEach((sample, i) => {
      consumed += kernel(sample, i).length;
    });
  }
  const { user, system } = process.cpuUsage(started);
  // Without a use of the results an optimiser may leave the work out.
  if (consumed === 0) throw new Error('The kernel returned nothing');
  return (user + system) / 1000;
}

/** datasketch and rensa on the same windows, one thread each, installed for this run only. */
function measurePeers(samples, hashes, ratioOf) {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-peers-'));
  try {
    const python = join(folder, 'bin', 'python');
    const steps = [
      ['python3', ['-m', 'venv', folder], 'a Python 3 with venv'],
      [python, ['-m', 'pip', 'install', '--quiet', ...PEERS], `${PEERS.join(' and ')} from PyPI`],
    ];
    for (const [program, args, needed] of steps) {
      const { status } = spawnSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
      if (status !== 0) return { skipped: `this needs ${needed}.` };
    }
    const windows = samples.map(({ text }, i) => ({ text, hashes: [...hashes[i]] }));
    const one = { OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', RAYON_NUM_THREADS: '1' };
    const answer = execFileSync(python, [join(root, 'bench', 'peers.py')], {
      input: JSON.stringify(windows),
      env: { ...process.env, ...one },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { versions, rates } = JSON.parse(answer.toString('utf8'));
    return {
      versions,
      results: rates.map((rate) => ({ ...rate, ratio: ratioOf(rate.perSecond, rate.from) })),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
