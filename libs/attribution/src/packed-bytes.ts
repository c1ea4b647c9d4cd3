import { AttributionError } from './attribution-error';

/** Writes numbers and texts one behind the other. */
export class ByteWriter {
  private bytes = Buffer.alloc(256);
  private length = 0;

  /** An integer from 0 to 2^53 − 1: seven bits a byte, the low ones first. */
  count(value: number): void {
    let left = value;
    this.reserve(8);
    while (left >= 0x80) {
      this.bytes[this.length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.bytes[this.length++] = left;
  }

  /** An integer of either sign; small ones are short. */
  difference(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  text(text: string): void {
    this.chunk(Buffer.from(text, 'utf8'));
  }

  /** Lower-case hexadecimal digits, an even number of them. */
  hex(digits: string): void {
    this.chunk(Buffer.from(digits, 'hex'));
  }

  finish(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.bytes, 0, this.length);
  }

  private chunk(bytes: Uint8Array): void {
    this.count(bytes.length);
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  private reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = Buffer.alloc(Math.max(2 * this.bytes.length, this.length + more));
    grown.set(this.bytes);
    this.bytes = grown;
  }
}

/** The inverse. Its methods throw AttributionError `lineage-malformed` at the end of the bytes. */
export class ByteReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  count(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.bytes[this.at++];
      if (byte === undefined) throw new AttributionError('lineage-malformed', 'the bytes end too early');
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) return value;
    }
  }

  difference(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    return this.chunk().toString('utf8');
  }

  hex(): string {
    return this.chunk().toString('hex');
  }

  /** So many of what `read` reads. */
  list<T>(read: () => T): T[] {
    const length = this.count();
    const items: T[] = [];
    for (let i = 0; i < length; i++) items.push(read());
    return items;
  }

  private chunk(): Buffer {
    const length = this.count();
    const chunk = this.bytes.subarray(this.at, this.at + length);
    if (chunk.length < length) throw new AttributionError('lineage-malformed', 'the bytes end too early');
    this.at += length;
    return chunk;
  }
}
