const NEWLINE = 10;

/** One line of output without its line end. A longer line than the limit comes cut, and marked. */
export interface OutputLine {
  readonly bytes: Buffer;
  readonly cut: boolean;
}

/** Cuts a byte stream into lines, holding at most `maxBytes` of an unfinished one. */
export class LineSplitter {
  private parts: Buffer[] = [];
  private held = 0;
  private cut = false;

  constructor(private readonly maxBytes: number) {}

  *push(chunk: Buffer): Generator<OutputLine> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, end);
      from = end + 1;
      if (this.parts.length === 0 && piece.length <= this.maxBytes) {
        yield { bytes: piece, cut: false };
        continue;
      }
      this.hold(piece);
      const line = { bytes: Buffer.concat(this.parts), cut: this.cut };
      this.parts = [];
      this.held = 0;
      this.cut = false;
      yield line;
    }
    if (from < chunk.length) this.hold(chunk.subarray(from));
  }

  private hold(piece: Buffer): void {
    const kept = piece.subarray(0, this.maxBytes - this.held);
    if (kept.length < piece.length) this.cut = true;
    this.parts.push(kept);
    this.held += kept.length;
  }
}
