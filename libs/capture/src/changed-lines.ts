import { diff } from 'fast-myers-diff';

/** Lines `first` to `last` of a text, both counted from 0 and both included. */
export interface LineSpan {
  first: number;
  last: number;
}

/**
 * Lines in which two texts may differ, before and after together, for an exact diff. Its time is quadratic
 * when nothing is alike: 10,000 lines take about two seconds, and an acceptance must not wait longer.
 */
const MAX_EXACT_LINES = 10_000;

/** Lines without their ends; what follows the last line end is a line only if it is not empty. */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Runs of lines of `after` that are not in `before`, in order. Line ends do not matter. */
export function addedSpans(before: string, after: string): LineSpan[] {
  const numbers = new Map<string, number>();
  const numbered = (text: string) =>
    linesOf(text).map((line) => {
      const number = numbers.get(line) ?? numbers.size;
      numbers.set(line, number);
      return number;
    });
  const old = numbered(before);
  const now = numbered(after);
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const oldMiddle = old.slice(head, old.length - tail);
  const newMiddle = now.slice(head, now.length - tail);
  const spans =
    oldMiddle.length === 0 || oldMiddle.length + newMiddle.length > MAX_EXACT_LINES
      ? newOccurrences(oldMiddle, newMiddle)
      : exactSpans(oldMiddle, newMiddle);
  return spans.map(({ first, last }) => ({ first: first + head, last: last + head }));
}

function exactSpans(old: number[], now: number[]): LineSpan[] {
  const spans: LineSpan[] = [];
  for (const [, , start, end] of diff(old, now)) {
    if (end > start) spans.push({ first: start, last: end - 1 });
  }
  return spans;
}

/** Takes for added what occurs more often than before, wherever it stands: linear, blind to order. */
function newOccurrences(old: number[], now: number[]): LineSpan[] {
  const left = new Map<number, number>();
  for (const line of old) left.set(line, (left.get(line) ?? 0) + 1);
  const spans: LineSpan[] = [];
  now.forEach((line, index) => {
    const count = left.get(line) ?? 0;
    if (count > 0) {
      left.set(line, count - 1);
      return;
    }
    const open = spans.at(-1);
    if (open?.last === index - 1) open.last = index;
    else spans.push({ first: index, last: index });
  });
  return spans;
}
