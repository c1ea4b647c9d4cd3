import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { adapters } from './adapters';
import type { Adapter, CapturedEdit } from './adapters/adapter';
import { isFields } from './adapters/fields';
import type { CaptureState } from './capture-state';
import type { KeptEvent } from './hook';
import { fingerprintEdits } from './recorder';
import { Spool } from './spool';
import { VERSION } from './version';

/** The end of a transcript, which names the model that is at work. */
const TAIL_BYTES = 64 * 1024;
/** As large as a file is whose content commits carry. */
const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Turns the events that hooks put aside into fingerprints in the spool. An event's segment takes its name, so that one
 * that is read again after a crash is not there twice.
 * @param now in milliseconds since 1970
 * @returns how many events could not be read; the log says why
 * @throws NotEnrolled; the events then stay
 */
export function readInbox(state: CaptureState, now: number): number {
  const inbox = new Spool(state.inboxDirectory);
  const spool = new Spool(state.spoolDirectory);
  let unreadable = inbox.enforceLimits(now);
  for (const { name, time } of inbox.segments()) {
    const settings = state.settings();
    const fingerprints: string[] = [];
    try {
      for (const record of inbox.read(name)) {
        const { assistant, event } = JSON.parse(record) as KeptEvent;
        const edits = editsOf(assistant, event, time);
        const client = { name: assistant, version: VERSION };
        fingerprints.push(
          ...fingerprintEdits(edits, settings, { client }).map((item) => JSON.stringify(item)),
        );
      }
    } catch (error) {
      unreadable++;
      const code = (error as { code?: unknown }).code;
      state.log(`an event was not understood: ${String(error)}${code ? ` (${String(code)})` : ''}`, now);
    }
    if (fingerprints.length > 0) spool.write(name, fingerprints);
    inbox.remove(name);
  }
  return unreadable;
}

function editsOf(assistant: string, event: unknown, time: number): CapturedEdit[] {
  const adapter = adapters[assistant];
  if (!adapter?.editsOfEvent) throw new Error(`there is no hook for ${assistant}`);
  const path = adapter.fileOfEvent?.(event);
  const fileText = path === undefined ? undefined : textOf(path);
  return adapter.editsOfEvent(event, time, fileText).map((edit) => withModel(edit, adapter, event));
}

/** What a file holds now; nothing when it is gone, or so large that no person works on it. */
function textOf(path: string): string | undefined {
  const file = isAbsolute(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return file?.isFile() && file.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : undefined;
}

function withModel(edit: CapturedEdit, adapter: Adapter, event: unknown): CapturedEdit {
  const path = isFields(event) && event['transcript_path'];
  if (edit.model !== undefined || typeof path !== 'string' || !adapter.modelOfTranscript) return edit;
  const model = adapter.modelOfTranscript(endOf(path));
  return model === undefined ? edit : { ...edit, model };
}

/** The last bytes of a file; empty when it cannot be read. */
function endOf(path: string): string {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
      return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
}
