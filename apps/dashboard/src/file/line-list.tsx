import { useEffect, useRef, type KeyboardEvent } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useOrganisationClock } from '../shell/organisation-clock';
import type { FileRow } from '../view/file-lines';
import { formatDay } from '../view/format';
import { KINDS } from '../view/kinds';

const ROW_PX = 22;
/** Lines that Page Up and Page Down pass. */
const PAGE_LINES = 20;

interface LineListProps {
  readonly rows: readonly FileRow[];
  /** Number of the chosen line, from 1. */
  readonly chosen: number;
  readonly onChoose: (number: number) => void;
  readonly onPoint: (row: FileRow | null) => void;
  readonly label: string;
}

/** The lines of a file: one stop of the Tab key, in which arrow keys go from line to line. Only lines in sight are in the page. */
export function LineList({ rows, chosen, onChoose, onPoint, label }: LineListProps) {
  const { timeZone } = useOrganisationClock();
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 30,
  });
  useEffect(() => virtualizer.scrollToIndex(chosen - 1, { align: 'auto' }), [virtualizer, chosen]);

  const step = (event: KeyboardEvent) => {
    const target: Readonly<Record<string, number>> = {
      ArrowDown: chosen + 1,
      ArrowUp: chosen - 1,
      PageDown: chosen + PAGE_LINES,
      PageUp: chosen - PAGE_LINES,
      Home: 1,
      End: rows.length,
    };
    const next = target[event.key];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(Math.min(Math.max(1, next), rows.length));
  };

  return (
    <div
      ref={scroller}
      className="line-list"
      role="listbox"
      tabIndex={0}
      aria-label={`Lines of ${label}`}
      aria-activedescendant={`line-${chosen}`}
      onKeyDown={step}
      onMouseLeave={() => onPoint(null)}
    >
      <div className="line-space" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const { name, letter, style } = KINDS[row.kind];
          return (
            <div
              key={row.number}
              id={`line-${row.number}`}
              role="option"
              aria-selected={row.number === chosen}
              aria-setsize={rows.length}
              aria-posinset={row.number}
              className={`line line-${style}${row.begins ? ' line-begins' : ''}`}
              style={{ transform: `translateY(${start}px)` }}
              onMouseEnter={() => onPoint(row)}
              onClick={() => onChoose(row.number)}
            >
              <span className="line-number">{row.number}</span>
              <span className={`kind-gutter kind-gutter-${style}`} aria-hidden="true" />
              <span className="line-letter" aria-hidden="true">
                {letter}
              </span>
              <span className="visually-hidden">{name}</span>
              <span className="line-who">
                {row.begins && row.range?.origin ? (
                  <>
                    <span className="line-author">{row.range.origin.author ?? 'Someone'}</span>
                    <span className="line-day">
                      {row.range.origin.at === null ? '' : formatDay(row.range.origin.at, timeZone)}
                    </span>
                  </>
                ) : null}
              </span>
              <code className="line-text">{row.text ?? ''}</code>
            </div>
          );
        })}
      </div>
    </div>
  );
}
