import { type HookSettings, isOurCommand, type Json, type JsonObject } from './hook-settings';

const ASSISTANT = 'claude-code';
const MATCHER = 'Edit|Write|MultiEdit|NotebookEdit';
/** Seconds after which Claude Code ends the hook, which takes a fraction of one. */
const TIMEOUT_S = 10;

/** `hooks.PostToolUse` of Claude Code: groups of a matcher and its commands. */
export const claudeCodeSettings: HookSettings = {
  assistant: ASSISTANT,
  file: '.claude/settings.json',

  add(settings, command) {
    const { hooks, groups } = others(settings);
    const ours = { matcher: MATCHER, hooks: [{ type: 'command', command, timeout: TIMEOUT_S }] };
    return { ...settings, hooks: { ...hooks, PostToolUse: [...groups, ours] } };
  },

  remove(settings) {
    const { hooks, groups } = others(settings);
    const { PostToolUse, ...otherHooks } = hooks;
    if (PostToolUse === undefined) return settings;
    const { hooks: _hooks, ...otherSettings } = settings;
    const left = groups.length > 0 ? { ...hooks, PostToolUse: groups } : otherHooks;
    return Object.keys(left).length > 0 ? { ...settings, hooks: left } : otherSettings;
  },
};

/** The hooks there are, and the groups after an edit that are left without our command. */
function others(settings: JsonObject): { hooks: JsonObject; groups: Json[] } {
  const hooks = isObject(settings['hooks']) ? settings['hooks'] : {};
  const groups = Array.isArray(hooks['PostToolUse']) ? hooks['PostToolUse'] : [];
  return { hooks, groups: groups.flatMap(withoutOurs) };
}

function withoutOurs(group: Json): Json[] {
  if (!isObject(group) || !Array.isArray(group['hooks'])) return [group];
  const left = group['hooks'].filter((hook) => !isObject(hook) || !isOurCommand(hook['command'], ASSISTANT));
  if (left.length === group['hooks'].length) return [group];
  return left.length > 0 ? [{ ...group, hooks: left }] : [];
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
