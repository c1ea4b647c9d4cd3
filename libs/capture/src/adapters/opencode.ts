import { type Adapter, AdapterError, type CapturedEdit } from './adapter';
import { fieldsOf, type Fields, isFields, listOf, optionalText, textOf } from './fields';
import { applyReplacements } from './replacement';
import { unifiedDiffSides } from './unified-diff';

type Change = Pick<CapturedEdit, 'path' | 'kind' | 'before' | 'after'>;

/**
 * Hook `tool.execute.after` of OpenCode's plugins, as integrations/opencode-plugin passes it on:
 * `{input: {tool, sessionID, callID, args}, output: {title, output, metadata}}` with what only the plugin can know:
 * `directory` where OpenCode works, `model` of the session's last message, `parentID` of a sub-agent's session and,
 * for `edit` and `write`, which do not tell, `before`: the file's text when the call began (empty where there was none).
 * Versions before 1.18 told of whole files (`before`, `after`) where there is a `patch` now.
 */
export const openCode: Adapter = {
  name: 'opencode',

  editsOfEvent(event, now) {
    const fields = fieldsOf(event, 'the event');
    const input = fieldsOf(fields['input'], 'input');
    const tool = textOf(input, 'tool');
    const output = isFields(fields['output']) ? fields['output'] : {};
    const changes = changesOf(
      tool,
      isFields(input['args']) ? input['args'] : {},
      isFields(output['metadata']) ? output['metadata'] : {},
      optionalText(fields, 'before'),
    );
    if (changes.length === 0) return [];
    const [parentID, model, cwd] = ['parentID', 'model', 'directory'].map((name) =>
      optionalText(fields, name),
    );
    const call = {
      // What a person asked for in a session is chat; what the session had done by another one is an agent's.
      source: parentID === undefined ? ('chat' as const) : ('agent' as const),
      sessionId: textOf(input, 'sessionID'),
      toolCallId: textOf(input, 'callID'),
      ...(parentID !== undefined && { parentSessionId: parentID }),
      ...(model !== undefined && { model }),
      ...(cwd !== undefined && { cwd }),
      time: now,
    };
    return changes.map((change) => ({ ...call, ...change }));
  },
};

/** The same plugin in Kilo Code, which is made of OpenCode. */
export const kilo: Adapter = { ...openCode, name: 'kilo' };

function changesOf(tool: string, args: Fields, metadata: Fields, before: string | undefined): Change[] {
  switch (tool) {
    case 'edit':
      return [{ path: textOf(args, 'filePath'), kind: 'replace', ...edited(args, metadata, before) }];
    case 'write':
      return [{ path: textOf(args, 'filePath'), kind: 'write', ...written(args, metadata, before) }];
    case 'apply_patch':
      return listOf(metadata['files']).flatMap(patched);
    default:
      return [];
  }
}

function edited(args: Fields, metadata: Fields, read: string | undefined) {
  const filediff = isFields(metadata['filediff']) ? metadata['filediff'] : {};
  const before = read ?? optionalText(filediff, 'before');
  const replacement = {
    oldText: textOf(args, 'oldString'),
    newText: textOf(args, 'newString'),
    all: args['replaceAll'] === true,
  };
  // What was proposed, where it can be told: a formatter that ran afterwards may have touched everybody's lines.
  const proposed = before === undefined ? undefined : applyReplacements(before, [replacement]);
  const after = proposed ?? optionalText(filediff, 'after');
  if (before !== undefined && after !== undefined) return { before, after };
  return unifiedDiffSides(textOf(metadata, 'diff'));
}

function written(args: Fields, metadata: Fields, read: string | undefined) {
  const before = metadata['exists'] === false ? '' : read;
  if (before === undefined) {
    throw new AdapterError('before-unknown', 'nobody read the file before it was overwritten');
  }
  return { before, after: textOf(args, 'content') };
}

function patched(file: Fields): Change[] {
  if (file['type'] === 'delete') return [];
  const path = optionalText(file, 'movePath') ?? textOf(file, 'filePath');
  const kind = file['type'] === 'add' ? 'write' : 'patch';
  const [before, after] = [optionalText(file, 'before'), optionalText(file, 'after')];
  if (before !== undefined && after !== undefined) return [{ path, kind, before, after }];
  return [{ path, kind, ...unifiedDiffSides(optionalText(file, 'patch') ?? textOf(file, 'diff')) }];
}
