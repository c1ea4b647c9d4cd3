import { spawn } from 'node:child_process';
import type { CaptureState } from './capture-state';
import { isHeld } from './sender-lock';
import { Spool } from './spool';

/** An event as it waits to be read. */
export interface KeptEvent {
  readonly assistant: string;
  /** What the assistant wrote to the hook's standard input. */
  readonly event: unknown;
}

export interface HookOptions {
  readonly state: CaptureState;
  /** The script that reads and sends in a process of its own; without it the next `sendSpool` does. */
  readonly senderScript?: string;
  /** The Node that runs it: assistants of one file are no Node, whatever they say. Default: what runs here. */
  readonly node?: string;
  /** Its variables. Default: this process's own. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly now: number;
}

/**
 * What an assistant's hook does: puts the event aside and lets another process do the rest, since reading an edit takes
 * longer cold than an assistant may be held up. Never throws: what goes wrong is in the log.
 */
export function runHook(assistant: string, input: string, options: HookOptions): void {
  const { state, now } = options;
  try {
    if (!state.isEnrolled()) {
      state.log(`${assistant}: an edit was not captured: run \`lineprint login\``, now);
      return;
    }
    // Not parsed, which is the sender's work: a KeptEvent if the input is JSON, as `hookScript` writes it.
    const kept = `{"assistant":${JSON.stringify(assistant)},"event":${input.replace(/[\r\n]/g, ' ')}}`;
    new Spool(state.inboxDirectory).append([kept], now);
    startSender(options);
  } catch (error) {
    state.log(`${assistant}: an edit was not captured: ${String(error)}`, now);
  }
}

/** Starts the process that reads and sends, unless one is at work. */
export function startSender(options: HookOptions): void {
  const { state, senderScript, node = process.execPath, environment, now } = options;
  if (senderScript === undefined || isHeld(state.lockPath)) return;
  const child = spawn(node, [senderScript, '--state', state.directory], {
    detached: true,
    stdio: 'ignore',
    windowsHide: true,
    ...(environment && { env: environment }),
  });
  child.on('error', (error) => state.log(`the sender did not start: ${error.message}`, now));
  child.unref();
}
