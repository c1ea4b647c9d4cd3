import { type HookSettings, isOurCommand, type Json, type JsonObject } from './hook-settings';

const ASSISTANT = 'cursor';
/**
 * `afterFileEdit` tells of an agent's edits in every version, `postToolUse` in those that leave it out: one edit that
 * both tell of counts once. Completions have a hook of their own.
 */
const EVENTS = ['afterFileEdit', 'postToolUse', 'afterTabFileEdit'];

/** `hooks` of Cursor: commands by event. */
export const cursorSettings: HookSettings = {
  assistant: ASSISTANT,
  file: '.cursor/hooks.json',

  add(settings, command) {
    const hooks: JsonObject = { ...othersOf(settings) };
    for (const event of EVENTS) hooks[event] = [...listOf(hooks[event]), { command }];
    return { version: 1, ...settings, hooks };
  },

  remove(settings) {
    const hooks = othersOf(settings);
    return hooks ? { ...settings, hooks } : settings;
  },
};

/** The hooks that there are without our commands; an event of which only those were is gone. */
function othersOf({ hooks }: JsonObject): JsonObject | undefined {
  if (!isObject(hooks)) return undefined;
  const entries = Object.entries(hooks).flatMap(([event, commands]): [string, Json][] => {
    const ours = listOf(commands).filter(isOurs);
    if (ours.length === 0) return [[event, commands]];
    const left = listOf(commands).filter((hook) => !isOurs(hook));
    return left.length > 0 ? [[event, left]] : [];
  });
  return Object.fromEntries(entries);
}

function isOurs(hook: Json): boolean {
  return isObject(hook) && isOurCommand(hook['command'], ASSISTANT);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
