/**
 * The baseline: attribution as the project's first design document gives it (its sections 6.4 to 6.6), in the
 * text lane: signature of each hunk, look-up by bands, full similarity, one ladder of thresholds, line diff.
 * Signatures come from libs/fingerprint, which `npm run bench -- kernels` holds bit-equal to the document's code.
 */
import { textBands, textSignature } from '@lineprint/fingerprint';

/** Above it a match counts; the document calls it LOW from here and HIGH from .85. */
const COUNTED_FROM = 0.55;

export class SeedIndex {
  #byBand = new Map();
  #entries = [];

  add({ id, text, time }) {
    const signature = textSignature(text);
    const entry = this.#entries.push({ id, text, time, signature }) - 1;
    textBands(signature).forEach((bucket, band) => {
      const key = `${band}:${bucket}`;
      const held = this.#byBand.get(key);
      if (held) held.push(entry);
      else this.#byBand.set(key, [entry]);
    });
  }

  /** @returns the most similar snippet of those that share a band and existed at `time`, if there is one */
  best(text, time) {
    const signature = textSignature(text);
    const found = new Set();
    textBands(signature).forEach((bucket, band) => {
      for (const entry of this.#byBand.get(`${band}:${bucket}`) ?? []) found.add(entry);
    });
    let best;
    for (const index of found) {
      const entry = this.#entries[index];
      if (entry.time > time) continue;
      const similarity = share(signature, entry.signature);
      if (!best || similarity > best.similarity) best = { ...entry, similarity };
    }
    return best;
  }
}

/** Share of equal hashes. */
function share(a, b) {
  let equal = 0;
  for (let i = 0; i < a.length; i++) if (a[i] === b[i]) equal++;
  return equal / a.length;
}

/**
 * @param {{start: number, lines: string[]}[]} hunks the added lines
 * @returns {{labels: Map<number, 'P' | 'M'>, weighted: number, total: number}} labels by line number, and the
 *   document's own figures, which credit deleted AI lines and may therefore exceed the total
 */
export function attributeAsSeed(index, hunks, time) {
  const labels = new Map();
  let weighted = 0;
  let total = 0;
  for (const { start, lines } of hunks) {
    total += lines.length;
    const match = index.best(lines.join('\n'), time);
    if (!match || match.similarity <= COUNTED_FROM) continue;
    for (const { tag, i1, i2, j1, j2 } of opcodes(match.text.split('\n'), lines)) {
      if (tag === 'equal') {
        weighted += i2 - i1;
        for (let j = j1; j < j2; j++) labels.set(start + j, 'P');
      } else {
        weighted += 0.5 * (i2 - i1);
        // Of a replaced block as many new lines are changed AI lines as it had before; the rest is human.
        for (let j = j1; j < Math.min(j2, j1 + i2 - i1); j++) labels.set(start + j, 'M');
      }
    }
  }
  return { labels, weighted, total };
}

/** How Python's difflib.SequenceMatcher turns one list of lines into another (longest common block first). */
export function opcodes(a, b) {
  const blocks = matchingBlocks(a, b).concat({ i: a.length, j: b.length, size: 0 });
  const codes = [];
  let [i, j] = [0, 0];
  for (const block of blocks) {
    if (i < block.i || j < block.j) {
      const tag = i === block.i ? 'insert' : j === block.j ? 'delete' : 'replace';
      codes.push({ tag, i1: i, i2: block.i, j1: j, j2: block.j });
    }
    [i, j] = [block.i + block.size, block.j + block.size];
    if (block.size > 0) codes.push({ tag: 'equal', i1: block.i, i2: i, j1: block.j, j2: j });
  }
  return codes;
}

function matchingBlocks(a, b) {
  const places = new Map();
  b.forEach((line, j) => places.set(line, [...(places.get(line) ?? []), j]));
  // difflib ignores lines that make up more than a hundredth of a long text when it looks for a block to start.
  if (b.length >= 200) {
    const limit = Math.floor(b.length / 100) + 1;
    for (const [line, at] of places) if (at.length > limit) places.delete(line);
  }
  const blocks = [];
  const open = [[0, a.length, 0, b.length]];
  while (open.length > 0) {
    const [fromA, toA, fromB, toB] = open.pop();
    const block = longestBlock(a, b, places, fromA, toA, fromB, toB);
    if (block.size === 0) continue;
    blocks.push(block);
    open.push([fromA, block.i, fromB, block.j]);
    open.push([block.i + block.size, toA, block.j + block.size, toB]);
  }
  return blocks.sort((x, y) => x.i - y.i);
}

function longestBlock(a, b, places, fromA, toA, fromB, toB) {
  let best = { i: fromA, j: fromB, size: 0 };
  let lengths = new Map();
  for (let i = fromA; i < toA; i++) {
    const next = new Map();
    for (const j of places.get(a[i]) ?? []) {
      if (j < fromB || j >= toB) continue;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { i: i - size + 1, j: j - size + 1, size };
    }
    lengths = next;
  }
  let { i, j, size } = best;
  while (i > fromA && j > fromB && a[i - 1] === b[j - 1]) {
    i--;
    j--;
    size++;
  }
  while (i + size < toA && j + size < toB && a[i + size] === b[j + size]) size++;
  return { i, j, size };
}
