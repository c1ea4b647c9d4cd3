const WIDTH = 28;
const REDRAW_MS = 100;

/** A bar with rate and estimate on one line of a terminal; elsewhere a line every few seconds. */
export class ProgressBar {
  private started = performance.now();
  private drawnAt = 0;
  private lastLine = '';

  constructor(
    private readonly label: string,
    private readonly total: number,
    private readonly unit: string,
    private readonly stream: NodeJS.WriteStream = process.stderr,
    /** What was done before; by default the first number that is seen, which may be late by then. */
    private since?: number,
  ) {}

  update(done: number, note = ''): void {
    this.begin(done);
    const now = performance.now();
    if (now - this.drawnAt < (this.stream.isTTY ? REDRAW_MS : 5000)) return;
    this.drawnAt = now;
    this.draw(done, note);
  }

  finish(done: number, note = ''): void {
    this.begin(done);
    this.draw(done, note);
    if (this.stream.isTTY) this.stream.write('\n');
  }

  private begin(done: number): void {
    if (this.since !== undefined) return;
    this.since = done;
    this.started = performance.now();
  }

  private draw(done: number, note: string): void {
    const line = progressLine(this.label, done, this.total, this.unit, {
      seconds: (performance.now() - this.started) / 1000,
      since: this.since ?? 0,
      note,
      // A line that wraps cannot be redrawn: each redraw would leave its first row behind.
      ...(this.stream.isTTY ? { columns: this.stream.columns } : {}),
    });
    if (line === this.lastLine) return;
    this.lastLine = line;
    this.stream.write(this.stream.isTTY ? `\r\x1b[2K${line}` : `${line}\n`);
  }
}

/** `label [####    ] 120/400 commits · 55.1/s · 5 s left`, with a shorter bar where `columns` are few */
export function progressLine(
  label: string,
  done: number,
  total: number,
  unit: string,
  at: { seconds: number; since?: number; note?: string; columns?: number },
): string {
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const rate = at.seconds > 0 ? (done - (at.since ?? 0)) / at.seconds : 0;
  const left = rate > 0 ? (total - done) / rate : Infinity;
  const parts = [`${done}/${total} ${unit}`];
  if (rate > 0) parts.push(`${rate.toFixed(1)}/s`);
  if (done < total && Number.isFinite(left)) parts.push(`${duration(left)} left`);
  if (at.note) parts.push(at.note);
  const text = parts.join(' · ');
  const columns = at.columns || Infinity;
  const width = Math.max(0, Math.min(WIDTH, columns - `${label} [] ${text}`.length - 1));
  const filled = Math.round(share * width);
  return `${label} [${'█'.repeat(filled)}${'░'.repeat(width - filled)}] ${text}`.slice(0, columns);
}

/** `42 s`, `3 min 05 s`, `2 h 10 min` */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${Math.floor(whole / 3600)} h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')} min`;
}
