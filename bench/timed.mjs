/** How long something takes when it is done again and again. */
import { round } from './table.mjs';

/**
 * @param {(n: number) => Promise<unknown>} work
 * @param {number} times
 * @param {number} warmUp so many before them do not count
 * @returns {Promise<{p50Ms: number, p95Ms: number}>}
 */
export async function timed(work, times, warmUp) {
  for (let n = 0; n < warmUp; n++) await work(n);
  const milliseconds = [];
  for (let n = 0; n < times; n++) {
    const started = performance.now();
    await work(n);
    milliseconds.push(performance.now() - started);
    // What takes seconds is known well enough after a few.
    if (milliseconds.length >= 5 && milliseconds[0] > 1000) break;
  }
  milliseconds.sort((a, b) => a - b);
  const at = (share) => round(milliseconds[Math.ceil(milliseconds.length * share) - 1], 1);
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}
