/** The file of a commit in which a line was added. */
export interface LineOrigin {
  /** SHA of the commit. */
  readonly commit: string;
  /** The file's name in it. */
  readonly path: string;
}

/** Lines that stand one below the other and were added so, by one commit to one file. */
export interface LineRun {
  /** Undefined where the lines are older than all commits that are known. */
  readonly origin: LineOrigin | undefined;
  /** Number of the first one in the file in which it was added, from 0; 0 without an origin. */
  readonly line: number;
  readonly count: number;
}

/** Where the lines of a file were added, blank ones included, from the first line to the last. */
export type FileLineage = readonly LineRun[];

/** `oldLines` lines from `oldStart` are replaced by `newLines` lines from `newStart`, all numbered from 0. */
export interface LineEdit {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

/** What a file was in one parent of a commit, and the edits between the two, ascending. */
export interface LineageSource {
  readonly before: FileLineage;
  readonly edits: readonly LineEdit[];
}

/** Added lines that stood elsewhere in the first parent. */
export interface InheritedLineage {
  /** Number of the first one in the new file, from 0. */
  readonly start: number;
  readonly lines: FileLineage;
}

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/**
 * The lineage of a file after a commit. A line is as old as in the first of the parents that has it, as `git blame`
 * has it; what none has is the commit's own, but for what is inherited.
 *
 * @param sources one for each parent that has the file, or from which it was renamed; at least one, whose `before` is
 * empty where the file is new
 * @param own origin of the lines that are the commit's own
 */
export function fileLineage(
  sources: readonly LineageSource[],
  own: LineOrigin,
  inherited: readonly InheritedLineage[] = [],
): FileLineage {
  const placed: { start: number; run: LineRun }[] = [];
  const place = (start: number, runs: FileLineage) => {
    let at = start;
    for (const run of runs) {
      placed.push({ start: at, run });
      at += run.count;
    }
  };
  let open: Stretch[] = [{ start: 0, end: newLength(sources) }];
  for (const { before, edits } of sources) {
    const still: Stretch[] = [];
    for (const stretch of open) {
      let at = stretch.start;
      for (const kept of keptLines(edits, stretch)) {
        if (kept.start > at) still.push({ start: at, end: kept.start });
        place(kept.start, sliceLineage(before, kept.oldStart, kept.end - kept.start));
        at = kept.end;
      }
      if (stretch.end > at) still.push({ start: at, end: stretch.end });
    }
    open = still;
  }
  for (const { start, lines } of inherited) {
    const end = start + linesIn(lines);
    const left = open.flatMap((stretch) => without(stretch, { start, end }));
    // Only what the commit added can be inherited by it.
    if (lengthOf(open) - lengthOf(left) !== end - start) continue;
    place(start, lines);
    open = left;
  }
  for (const { start, end } of open) place(start, [{ origin: own, line: start, count: end - start }]);
  placed.sort((a, b) => a.start - b.start);
  return joined(placed.map(({ run }) => run));
}

/** `count` lines from `start`, numbered from 0; lines beyond the end have no origin. */
export function sliceLineage(lineage: FileLineage, start: number, count: number): FileLineage {
  const slice: LineRun[] = [];
  const end = start + count;
  let at = 0;
  for (const { origin, line, count: length } of lineage) {
    const from = Math.max(start, at);
    const to = Math.min(end, at + length);
    if (from < to) slice.push({ origin, line: origin ? line + from - at : 0, count: to - from });
    at += length;
    if (at >= end) break;
  }
  const missing = end - Math.max(start, at);
  return missing > 0 ? [...slice, { origin: undefined, line: 0, count: missing }] : slice;
}

export function linesIn(lineage: FileLineage): number {
  return lineage.reduce((sum, { count }) => sum + count, 0);
}

function newLength(sources: readonly LineageSource[]): number {
  const lengths = sources.map(({ before, edits }) => {
    const last = edits.at(-1);
    const known = linesIn(before);
    if (!last) return known;
    // The edits may know of more lines than the lineage.
    const rest = Math.max(0, known - (last.oldStart + last.oldLines));
    return last.newStart + last.newLines + rest;
  });
  return Math.max(0, ...lengths);
}

/** The parts of a stretch of the new file that the edits leave as they were, and where they stood. */
function* keptLines(
  edits: readonly LineEdit[],
  { start, end }: Stretch,
): Generator<Stretch & { oldStart: number }> {
  let newAt = 0;
  let oldAt = 0;
  const part = (to: number) => {
    const from = Math.max(start, newAt);
    const until = Math.min(end, to);
    return from < until ? [{ start: from, end: until, oldStart: oldAt + from - newAt }] : [];
  };
  for (const { oldStart, oldLines, newStart, newLines } of edits) {
    if (newAt >= end) return;
    yield* part(newStart);
    newAt = newStart + newLines;
    oldAt = oldStart + oldLines;
  }
  yield* part(Infinity);
}

function without(stretch: Stretch, taken: Stretch): Stretch[] {
  if (taken.end <= stretch.start || taken.start >= stretch.end) return [stretch];
  return [
    { start: stretch.start, end: taken.start },
    { start: taken.end, end: stretch.end },
  ].filter(({ start, end }) => start < end);
}

function lengthOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { start, end }) => sum + end - start, 0);
}

function joined(runs: readonly LineRun[]): FileLineage {
  const result: LineRun[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    const continues =
      isSameOrigin(last?.origin, run.origin) && (!run.origin || last!.line + last!.count === run.line);
    if (last && continues) result[result.length - 1] = { ...last, count: last.count + run.count };
    else result.push(run);
  }
  return result;
}

function isSameOrigin(a: LineOrigin | undefined, b: LineOrigin | undefined): boolean {
  return a === b || (a?.commit === b?.commit && a?.path === b?.path);
}

/** Whether two lineages are the same, run by run. */
export function isSameLineage(a: FileLineage, b: FileLineage): boolean {
  return a.length === b.length && a.every((run, i) => isSameRun(run, b[i]!));
}

export function isSameRun(a: LineRun, b: LineRun): boolean {
  return a.line === b.line && a.count === b.count && isSameOrigin(a.origin, b.origin);
}
