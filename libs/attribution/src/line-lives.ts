import { AttributionError } from './attribution-error';
import { type FileLineage, isSameRun, type LineOrigin } from './lineage';
import type { TreeChange, TreeLineage } from './tree-lineage';

/** `count` neighbouring lines from `first` that one commit added to one file, numbered as there. */
export interface LineStretch {
  readonly origin: LineOrigin;
  readonly first: number;
  readonly count: number;
}

/** Which lines a commit brings to the tip of its branch, and which it takes from there. */
export interface TipChange {
  readonly born: readonly LineStretch[];
  readonly died: readonly LineStretch[];
}

/**
 * What a change does to the lines of a tree, whichever file they stand in: one that is renamed or moved stays, a second
 * copy is born. Lines of unknown origin are left out.
 */
export function tipChange(tree: TreeLineage, change: TreeChange): TipChange {
  const differences = new Map<string, { origin: LineOrigin; steps: [line: number, by: number][] }>();
  const add = (lineage: FileLineage, by: number) => {
    for (const { origin, line, count } of lineage) {
      if (!origin) continue;
      const key = originKey(origin);
      let difference = differences.get(key);
      if (!difference) differences.set(key, (difference = { origin, steps: [] }));
      difference.steps.push([line, by], [line + count, -by]);
    }
  };
  for (const [path, after = []] of change) {
    const before = tree.get(path) ?? [];
    const most = Math.min(before.length, after.length);
    let start = 0;
    while (start < most && isSameRun(before[start]!, after[start]!)) start++;
    let end = 0;
    while (end < most - start && isSameRun(before.at(-1 - end)!, after.at(-1 - end)!)) end++;
    add(before.slice(start, before.length - end), -1);
    add(after.slice(start, after.length - end), 1);
  }
  const born: LineStretch[] = [];
  const died: LineStretch[] = [];
  for (const { origin, steps } of differences.values()) {
    for (const { first, count, by } of steadyStretches(steps)) {
      for (let copy = 0; copy < Math.abs(by); copy++) (by > 0 ? born : died).push({ origin, first, count });
    }
  }
  return { born, died };
}

/** Where the sum of the steps up to a line is the same from one line to another, and not 0. */
function steadyStretches(
  steps: readonly (readonly [line: number, by: number])[],
): { first: number; count: number; by: number }[] {
  const at = new Map<number, number>();
  for (const [line, by] of steps) at.set(line, (at.get(line) ?? 0) + by);
  const stretches: { first: number; count: number; by: number }[] = [];
  let from = 0;
  let sum = 0;
  for (const [line, by] of [...at].filter(([, step]) => step !== 0).sort(([a], [b]) => a - b)) {
    if (sum !== 0) stretches.push({ first: from, count: line - from, by: sum });
    from = line;
    sum += by;
  }
  return stretches;
}

/** Lines that stood at a branch's tip together, from one of its first-parent commits on. */
export interface Life extends LineStretch {
  /** Of the commit that brought them. */
  readonly bornDepth: number;
  /** Milliseconds since 1970, by the ledger's clock. */
  readonly bornAt: number;
}

/** Lines that do not stand any more. */
export interface EndedLife extends Life {
  /** Of the first commit without them. */
  readonly diedDepth: number;
  readonly diedAt: number;
}

/** A life as it is stored. */
export interface StoredLife extends Life {
  readonly id: number;
}

/** The lives of some lines at a branch's tip, while commits come to it. */
export class LineLives {
  private readonly open = new Map<string, Life[]>();
  private readonly ended: EndedLife[] = [];
  private readonly cut = new Set<number>();

  /** @param stored all that stand, of the origins of whatever will die */
  constructor(stored: Iterable<StoredLife>) {
    for (const life of stored) this.add(life);
  }

  /**
   * Of two copies the younger dies, as of a file that was copied and is then deleted: the lines stand on.
   * @throws AttributionError `lines-not-reconciled` where lines die that do not stand
   */
  advance(depth: number, at: number, { born, died }: TipChange): void {
    for (const stretch of died) this.end(stretch, depth, at);
    for (const stretch of born) this.add({ ...stretch, bornDepth: depth, bornAt: at });
  }

  /** What differs from what is stored: ids of lives that are gone, and those that are new. */
  changes(): { gone: readonly number[]; standing: readonly Life[]; ended: readonly EndedLife[] } {
    const standing = [...this.open.values()].flat().filter((life) => idOf(life) === undefined);
    return { gone: [...this.cut], standing, ended: this.ended };
  }

  private add(life: Life): void {
    const key = originKey(life.origin);
    const lives = this.open.get(key);
    if (lives) lives.push(life);
    else this.open.set(key, [life]);
  }

  private end(stretch: LineStretch, diedDepth: number, diedAt: number): void {
    const key = originKey(stretch.origin);
    const youngestFirst = [...(this.open.get(key) ?? [])].sort((a, b) => b.bornDepth - a.bornDepth);
    let left: readonly { first: number; count: number }[] = [stretch];
    const still: Life[] = [];
    for (const life of youngestFirst) {
      const parts = left.flatMap((part) => overlap(part, life));
      if (parts.length === 0) {
        still.push(life);
        continue;
      }
      const id = idOf(life);
      if (id !== undefined) this.cut.add(id);
      const { origin, bornDepth, bornAt } = life;
      const piece = { origin, bornDepth, bornAt };
      for (const part of parts) this.ended.push({ ...piece, ...part, diedDepth, diedAt });
      for (const part of without([life], parts)) still.push({ ...piece, ...part });
      left = without(left, parts);
    }
    if (left.length > 0) {
      const { commit, path } = stretch.origin;
      throw new AttributionError(
        'lines-not-reconciled',
        `lines of ${path} in ${commit} leave that are not there`,
      );
    }
    this.open.set(key, still);
  }
}

type Range = Pick<LineStretch, 'first' | 'count'>;

function overlap(a: Range, b: Range): Range[] {
  const first = Math.max(a.first, b.first);
  const end = Math.min(a.first + a.count, b.first + b.count);
  return first < end ? [{ first, count: end - first }] : [];
}

function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  return taken.reduce<Range[]>(
    (left, { first, count }) =>
      left.flatMap((range) => {
        const end = range.first + range.count;
        return [
          { first: range.first, count: Math.min(end, first) - range.first },
          { first: Math.max(range.first, first + count), count: end - Math.max(range.first, first + count) },
        ].filter((part) => part.count > 0);
      }),
    ranges.map(({ first, count }) => ({ first, count })),
  );
}

function idOf(life: Life): number | undefined {
  return 'id' in life ? (life as StoredLife).id : undefined;
}

function originKey({ commit, path }: LineOrigin): string {
  return `${commit} ${path}`;
}
