export interface Opcode {
  readonly tag: 'equal' | 'insert' | 'delete' | 'replace';
  readonly i1: number;
  readonly i2: number;
  readonly j1: number;
  readonly j2: number;
}

interface Block {
  readonly i: number;
  readonly j: number;
  readonly size: number;
}

/** How Python's difflib.SequenceMatcher turns one list of lines into another (longest common block first). */
export function opcodes(a: readonly string[], b: readonly string[]): Opcode[] {
  const blocks = matchingBlocks(a, b).concat({ i: a.length, j: b.length, size: 0 });
  const codes: Opcode[] = [];
  let i = 0;
  let j = 0;
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

function matchingBlocks(a: readonly string[], b: readonly string[]): Block[] {
  const places = new Map<string, number[]>();
  b.forEach((line, j) => {
    const at = places.get(line);
    if (at) at.push(j);
    else places.set(line, [j]);
  });
  // difflib ignores lines that make up more than a hundredth of a long text when it looks for a block to start.
  if (b.length >= 200) {
    const limit = Math.floor(b.length / 100) + 1;
    for (const [line, at] of places) if (at.length > limit) places.delete(line);
  }
  const blocks: Block[] = [];
  const open: (readonly [number, number, number, number])[] = [[0, a.length, 0, b.length]];
  for (let part = open.pop(); part; part = open.pop()) {
    const [fromA, toA, fromB, toB] = part;
    const block = longestBlock(a, b, places, fromA, toA, fromB, toB);
    if (block.size === 0) continue;
    blocks.push(block);
    open.push([fromA, block.i, fromB, block.j]);
    open.push([block.i + block.size, toA, block.j + block.size, toB]);
  }
  return blocks.sort((x, y) => x.i - y.i);
}

function longestBlock(
  a: readonly string[],
  b: readonly string[],
  places: ReadonlyMap<string, readonly number[]>,
  fromA: number,
  toA: number,
  fromB: number,
  toB: number,
): Block {
  let best = { i: fromA, j: fromB, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = fromA; i < toA; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(a[i]!) ?? []) {
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
