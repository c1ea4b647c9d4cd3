import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeAtomically } from '@lineprint/capture';
import { LineprintError } from '@lineprint/platform';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export interface JsonObject {
  [name: string]: Json;
}

/** How one assistant's settings name the command that it runs after an edit. */
export interface HookSettings {
  readonly assistant: string;
  /** The file, below the home directory or a project's. */
  readonly file: string;
  /** The settings with the command in them, everything else as it was. Our own of an earlier time is gone. */
  add(settings: JsonObject, command: string): JsonObject;
  /** The settings without our command. */
  remove(settings: JsonObject): JsonObject;
}

/** The program that `install` makes where there is a shell. */
export const HOOK_SCRIPT = 'lineprint-hook';

/** Whether a command is one that `install` writes, with a shell's program or Node's. */
export function isOurCommand(command: Json | undefined, assistant: string): boolean {
  if (typeof command !== 'string' || !command.split(' ').includes(assistant)) return false;
  return command.includes(HOOK_SCRIPT) || command.includes('hook.cjs');
}

/** What stood in a file before we wrote to it, so that removal gives it back to the letter. */
interface InstallRecord {
  readonly path: string;
  /** Null when there was no file. */
  readonly before: string | null;
  readonly after: string;
}

export type InstallOutcome = 'installed' | 'unchanged' | 'removed' | 'not-installed';

/**
 * Puts the command into an assistant's settings. Doing it again changes nothing.
 * @param records folder in which is remembered what stood there before
 * @throws LineprintError `settings-unreadable` when the file is not a JSON object: it is left alone
 */
export function installHook(
  hook: HookSettings,
  { path, command, records }: { path: string; command: string; records: string },
): InstallOutcome {
  const file = targetOf(path);
  const before = textOf(file);
  const settings = parse(before, file);
  const after = serialise(hook.add(settings, command));
  if (before !== null && serialise(settings) === after) return 'unchanged';
  const known = recordOf(records, file);
  // Over an installation of our own, what stood before it is to be restored.
  const original = known?.after === before ? known.before : withoutOurs(hook, before, settings);
  writeAtomically(recordPath(records, file), JSON.stringify({ path: file, before: original, after }));
  write(file, after);
  return 'installed';
}

/**
 * Takes the command out again: the file is as before, or, where somebody has changed it since, without our command.
 * @throws LineprintError `settings-unreadable`
 */
export function removeHook(
  hook: HookSettings,
  { path, records }: { path: string; records: string },
): InstallOutcome {
  const file = targetOf(path);
  const current = textOf(file);
  const known = recordOf(records, file);
  rmSync(recordPath(records, file), { force: true });
  if (current === null) return 'not-installed';
  const settings = parse(current, file);
  const without = known?.after === current ? known.before : withoutOurs(hook, current, settings);
  if (without === current) return 'not-installed';
  if (without === null) rmSync(file);
  else write(file, without);
  return 'removed';
}

/** The same text where there was nothing of ours in it. */
function withoutOurs(hook: HookSettings, text: string | null, settings: JsonObject): string | null {
  const without = serialise(hook.remove(settings));
  return text === null || without === serialise(settings) ? text : without;
}

/** Settings are often links into a folder that is under version control: the link stays. */
function targetOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function parse(text: string | null, file: string): JsonObject {
  if (text === null || text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as Json;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Said below, with the file's name.
  }
  throw new LineprintError(
    'settings-unreadable',
    `${file} is not a JSON object: mend it, or add the hook by hand.`,
  );
}

const serialise = (settings: JsonObject): string => `${JSON.stringify(settings, null, 2)}\n`;

function write(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644;
  writeAtomically(file, text, mode & 0o777);
}

function recordPath(records: string, file: string): string {
  return join(records, `${createHash('sha256').update(file).digest('hex').slice(0, 16)}.json`);
}

function recordOf(records: string, file: string): InstallRecord | undefined {
  const path = recordPath(records, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as InstallRecord) : undefined;
}
