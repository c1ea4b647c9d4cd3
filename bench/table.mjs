/**
 * Rows as aligned text: the first column to the left, the others to the right.
 *
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
  return [line(head), widths.map((width) => '─'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** Rounded to so many decimals, as a number; null where there is nothing to divide by. */
export function round(value, decimals) {
  return Number.isFinite(value) ? Math.round(value * 10 ** decimals) / 10 ** decimals : null;
}
