import type { ReactNode } from 'react';

export interface Column<R> {
  readonly head: ReactNode;
  readonly cell: (row: R) => ReactNode;
  /** Numbers stand at the right, so that their digits line up. */
  readonly numeric?: boolean;
  /** Takes the room that is left. */
  readonly grows?: boolean;
}

interface DataTableProps<R> {
  readonly caption: string;
  readonly columns: readonly Column<R>[];
  readonly rows: readonly R[];
  readonly rowKey: (row: R) => string;
}

/** A table whose first column names its rows. The caption is read out, and the panel's title shows it. */
export function DataTable<R>({ caption, columns, rows, rowKey }: DataTableProps<R>) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={caption}>
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, index) => (
              <th key={index} scope="col" className={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column, index) =>
                index === 0 ? (
                  <th key={index} scope="row" className={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={index} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function classOf<R>({ numeric, grows }: Column<R>): string | undefined {
  return [numeric ? 'numeric' : '', grows ? 'grows' : ''].filter(Boolean).join(' ') || undefined;
}
