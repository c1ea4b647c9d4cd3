import { type messages, type PGlite, protocol } from '@electric-sql/pglite';
import type { Row, SqlValue } from './database';
import { encodeParameter, parserOf } from './sql-values';

/** Statements that stay prepared; the services have fewer. */
const MOST_PREPARED = 500;

const { serialize } = protocol;

/**
 * Runs statements on PGlite's connection. Each is parsed once, and goes in one message with its parameters: PGlite's
 * own `query` parses it each time, and enters the database five times for it.
 */
export class PGliteStatements {
  /** Names of prepared statements by their text. */
  private readonly prepared = new Map<string, string>();
  private named = 0;

  constructor(private readonly pglite: PGlite) {}

  /** The rows of a statement. Throws what PGlite does. */
  run(sql: string, params: readonly SqlValue[]): Promise<Row[]> {
    return this.pglite._runExclusiveQuery(async () => {
      const known = this.prepared.get(sql);
      const name = known ?? (this.prepared.size < MOST_PREPARED ? `lineprint_${this.named++}` : '');
      try {
        const answer = await this.send([
          ...(known === undefined ? [serialize.parse({ name, text: sql })] : []),
          serialize.bind({ statement: name, values: params.map(encodeParameter) }),
          serialize.describe({ type: 'P' }),
          serialize.execute(),
        ]);
        if (name !== '') this.prepared.set(sql, name);
        return rowsOf(answer);
      } catch (error) {
        // Whether it was prepared before it failed is not known, and one that no longer fits its tables fails for good.
        this.prepared.delete(sql);
        // What counts is why it failed, also where the connection is gone.
        await this.send([serialize.close({ type: 'S', name })]).catch(() => undefined);
        throw error;
      }
    });
  }

  private send(parts: readonly Uint8Array[]) {
    return this.pglite.execProtocolStream(Buffer.concat([...parts, serialize.sync()]), { syncToFs: false });
  }
}

/** Rows by the names of their columns, read by the columns' types. */
function rowsOf(answer: readonly { readonly name: string }[]): Row[] {
  const rows: Row[] = [];
  let columns: { name: string; read: (text: string) => unknown }[] = [];
  for (const message of answer) {
    if (message.name === 'rowDescription') {
      const { fields } = message as messages.RowDescriptionMessage;
      columns = fields.map(({ name, dataTypeID }) => ({ name, read: parserOf(dataTypeID) }));
    } else if (message.name === 'dataRow') {
      const { fields } = message as messages.DataRowMessage;
      const row: Row = {};
      columns.forEach(({ name, read }, i) => {
        const text = fields[i]!;
        row[name] = text === null ? null : read(text);
      });
      rows.push(row);
    }
  }
  return rows;
}
