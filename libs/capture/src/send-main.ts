// The program that reads and sends in the background: `node send.cjs [--state DIRECTORY]`. A hook starts it and is gone.
import { setPriority } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { CaptureState } from './capture-state';
import { sendSpool } from './sender';
import { stateOption } from './state-option';

/** Assistants edit in bursts: what follows at once goes with the first. */
const GATHER_MS = 250;

async function main(): Promise<void> {
  const state = new CaptureState(stateOption(process.argv));
  // The developer's compiler goes first.
  setPriority(10);
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => stop.abort());
  try {
    await wait(GATHER_MS, undefined, { signal: stop.signal });
    await sendSpool(state, { signal: stop.signal });
  } catch (error) {
    if (!stop.signal.aborted) state.log(`the sender failed: ${String(error)}`, Date.now());
  }
}

void main();
