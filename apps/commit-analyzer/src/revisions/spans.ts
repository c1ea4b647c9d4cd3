import type { OffsetRange } from '@lineprint/event-log';

/** Records between two that are wanted are read as well: beyond so many offsets another read is cheaper. */
const LONGEST_SPAN = 500;

/**
 * Ranges that hold all the positions, to be read one list after the other: in each of them a partition has one range at
 * most, and its later ranges come in later lists.
 *
 * @param positions in the order of partition and offset
 */
export function spansOf(
  positions: readonly { readonly partition: number; readonly offset: number }[],
): OffsetRange[][] {
  const byPartition = new Map<number, OffsetRange[]>();
  for (const { partition, offset } of positions) {
    const spans = byPartition.get(partition) ?? [];
    byPartition.set(partition, spans);
    const last = spans.at(-1);
    if (last && offset < last.from + LONGEST_SPAN) spans[spans.length - 1] = { ...last, to: offset + 1 };
    else spans.push({ partition, from: offset, to: offset + 1 });
  }
  const rounds = Math.max(0, ...[...byPartition.values()].map((spans) => spans.length));
  return Array.from({ length: rounds }, (_, round) =>
    [...byPartition.values()].flatMap((spans) => spans[round] ?? []),
  );
}
