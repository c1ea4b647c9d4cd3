/** With the figures beside it a row has 80 columns. */
const MAX_NAME = 32;

/** Rows under a head and a rule: the first column to the left, the others to the right, unless said otherwise. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], left = 1): string {
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (i < left ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** A name that leaves the figures their place. */
export function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}

export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
