import type { LogRecord } from './log';

/**
 * The newest records of an embedded log, as they were appended: a reader that keeps up needs not ask the database for
 * them, nor unpack them. Records never change, so what is here is what is stored, for as long as it is kept there.
 */
export class RecentRecords {
  /** By topic and partition: records without a gap, the last appended at the end. */
  private readonly runs = new Map<string, LogRecord[]>();
  /** In the order in which they came. */
  private readonly order: string[] = [];
  private bytes = 0;

  /** @param maxBytes of values that are held; the oldest records go first */
  constructor(private readonly maxBytes: number) {}

  /** Takes a record that has been stored. */
  add(record: LogRecord): void {
    const name = nameOf(record.topic, record.partition);
    const last = this.runs.get(name)?.at(-1);
    // Another process has appended meanwhile: what it wrote is not here.
    if (last !== undefined && last.offset + 1 !== record.offset) this.clear();
    const run = this.runs.get(name);
    if (run) run.push(record);
    else this.runs.set(name, [record]);
    this.order.push(name);
    this.bytes += record.value.length;
    while (this.bytes > this.maxBytes)
      this.bytes -= this.runs.get(this.order.shift()!)!.shift()!.value.length;
  }

  /** The records from `offset` on, if they are here; none otherwise. */
  from(topic: string, partition: number, offset: number, maxRecords: number): LogRecord[] {
    const run = this.runs.get(nameOf(topic, partition));
    const first = run?.[0]?.offset;
    if (!run || first === undefined || offset < first) return [];
    return run.slice(offset - first, offset - first + maxRecords);
  }

  clear(): void {
    this.runs.clear();
    this.order.length = 0;
    this.bytes = 0;
  }
}

function nameOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
