/** A part of the lines under two policies. */
export interface SplitChange {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly lines: number;
}

interface Figures {
  readonly lines: number;
  readonly ratio: number;
}

/** A split's AI shares under two policies; what changes most comes first, then what is larger. */
export function splitChanges(split: Readonly<Record<string, { from: Figures; to: Figures }>>): SplitChange[] {
  return Object.entries(split)
    .map(([key, { from, to }]) => ({ key, from: from.ratio, to: to.ratio, lines: from.lines }))
    .sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from) || b.lines - a.lines);
}

/** The thresholds that differ, by name. */
export function thresholdChanges(
  from: Readonly<Record<string, number>>,
  to: Readonly<Record<string, number>>,
): { name: string; from: number | string; to: number | string }[] {
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])].sort();
  return names
    .filter((name) => from[name] !== to[name])
    .map((name) => ({ name, from: from[name] ?? 'none', to: to[name] ?? 'none' }));
}
