// The whole program of an assistant's hook: `node hook.cjs NAME [--state DIRECTORY]`, the event on standard input. Apart
// from the command line's program, because that takes longer to load than an edit may be held up.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CaptureState } from './capture-state';
import { runHook } from './hook';
import { stateOption } from './state-option';

const state = new CaptureState(stateOption(process.argv));
const now = Date.now();
try {
  const senderScript = join(__dirname, 'send.cjs');
  runHook(process.argv[2] ?? '', readFileSync(0, 'utf8'), { state, senderScript, now });
} catch (error) {
  state.log(`no event on standard input: ${String(error)}`, now);
}
