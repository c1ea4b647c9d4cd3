/** What the checks of the deployment came to: passed, failed, and what could not be checked in this place. */

/** Something that a check needs and does not come from this project cannot be had here: no defect, and no proof either. */
export class Unavailable extends Error {}

/** Ends what runs: programs are killed, no further check begins, and what was begun is no outcome. */
export const interruption = new AbortController();

const outcomes = { passed: 0, failed: 0 };

/** @returns {{passed: number, failed: number}} so far */
export const totals = () => ({ ...outcomes });

const wordsOf = (error) => String(error.stderr || error.stdout || error.message).trim();

const secondsSince = (start) => (performance.now() - start) / 1000;

function say(state, name, seconds) {
  console.log(`${state.padEnd(4)} ${name.padEnd(52)} ${seconds.toFixed(1).padStart(6)} s`);
}

function refuseInterrupted() {
  if (interruption.signal.aborted) throw new Unavailable('it was stopped');
}

/** Runs a check and says how it ended. What is unavailable is the caller's to report. */
export async function check(name, work) {
  const start = performance.now();
  refuseInterrupted();
  try {
    await work();
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    refuseInterrupted();
    outcomes.failed++;
    say('FAIL', name, secondsSince(start));
    console.log((wordsOf(error) || String(error)).replace(/^/gm, '     '));
    return;
  }
  outcomes.passed++;
  say('ok', name, secondsSince(start));
}

/** A wrong line of these tools must not pass for a lack of the place. */
const isMistake = (error) =>
  error instanceof ReferenceError ||
  error instanceof SyntaxError ||
  (error instanceof TypeError && !error.cause);

/** So much of what a program said is repeated. */
const LAST_LINES = 5;

/**
 * Gets ready what checks need from elsewhere: tried again once, since networks have moments.
 *
 * @template T
 * @param {string} name
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 * @throws {Unavailable}
 */
export async function provide(name, work) {
  const start = performance.now();
  for (let attempt = 1; ; attempt++) {
    refuseInterrupted();
    try {
      const result = await work();
      say('', name, secondsSince(start));
      return result;
    } catch (error) {
      if (error instanceof Unavailable || isMistake(error)) throw error;
      if (attempt < 2) continue;
      const words = wordsOf(error).split('\n').slice(-LAST_LINES).join('\n     ');
      throw new Unavailable(`${name}: ${words}`);
    }
  }
}

/**
 * One part of the checks; what it lacks is said and counts neither way.
 *
 * @param {string} name
 * @param {() => Promise<void>} work
 */
export async function part(name, work) {
  console.log(`── ${name}`);
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    console.log(`skipped: ${name}: ${error.message}`);
  }
}

/** Fails a check with words. */
export function expect(isTrue, words) {
  if (!isTrue) throw new Error(words);
}

/** Asks until the answer is `true`; other answers are words for what is missing. */
export async function until(what, isTrue, limitMs = 300_000) {
  const end = performance.now() + limitMs;
  for (;;) {
    const words = await isTrue();
    if (words === true) return;
    refuseInterrupted();
    if (performance.now() > end) throw new Error(`${what}: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
