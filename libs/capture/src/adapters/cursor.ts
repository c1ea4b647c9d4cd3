import { sha256Hex } from '@lineprint/fingerprint';
import { type Adapter, AdapterError, type CapturedEdit } from './adapter';
import { fieldsOf, type Fields, isFields, listOf, optionalText, textOf } from './fields';
import { applyReplacements, type Replacement, unixLineEnds } from './replacement';

/** Hooks of Cursor: `postToolUse`, and `afterFileEdit` and `afterTabFileEdit`. */
export const cursor: Adapter = {
  name: 'cursor',

  editsOfEvent(event, now, fileText) {
    const fields = fieldsOf(event, 'the event');
    const hook = optionalText(fields, 'hook_event_name');
    const edit = editOf(hook, fields);
    if (!edit) return [];
    const replacements = edit.replacements.filter(({ oldText, newText }) => oldText !== newText);
    if (replacements.length === 0) return [];
    const generation = optionalText(fields, 'generation_id') ?? '';
    const [root] = Array.isArray(fields['workspace_roots']) ? (fields['workspace_roots'] as unknown[]) : [];
    const model = optionalText(fields, 'model');
    return [
      {
        path: edit.path,
        ...(typeof root === 'string' && { cwd: root }),
        ...textsOf(replacements, edit.lines, fileText),
        kind: replacements.every(({ oldText }) => oldText === '') ? 'insert' : 'replace',
        source: hook === 'afterTabFileEdit' ? 'tab' : 'agent',
        sessionId: textOf(fields, 'conversation_id'),
        // One edit is told of by two hooks, under no name of its own: it is known by what it does.
        toolCallId: sha256Hex(JSON.stringify([generation, edit.path, replacements])),
        ...(model !== undefined && { model }),
        time: now,
      },
    ];
  },

  fileOfEvent(event) {
    const fields = fieldsOf(event, 'the event');
    return editOf(optionalText(fields, 'hook_event_name'), fields)?.path;
  },
};

interface FileEdit {
  readonly path: string;
  readonly replacements: readonly Replacement[];
  /** Whole lines before and after, where the event has them. */
  readonly lines?: readonly Replacement[];
}

function editOf(hook: string | undefined, fields: Fields): FileEdit | undefined {
  if (hook === 'afterFileEdit' || hook === 'afterTabFileEdit') {
    const edits = listOf(fields['edits']);
    const hasLines = edits.every((edit) => 'old_line' in edit && 'new_line' in edit);
    return {
      path: textOf(fields, 'file_path'),
      replacements: edits.map((edit) => replacementOf(edit, 'old_string', 'new_string')),
      ...(hasLines && { lines: edits.map((edit) => replacementOf(edit, 'old_line', 'new_line')) }),
    };
  }
  if (hook !== 'postToolUse' || !isFields(fields['tool_input'])) return undefined;
  const input = fields['tool_input'];
  const path = optionalText(input, 'file_path');
  if (path === undefined) return undefined;
  const edits = 'edits' in input ? listOf(input['edits']) : 'old_string' in input ? [input] : [];
  if (edits.length > 0) {
    return { path, replacements: edits.map((edit) => replacementOf(edit, 'old_string', 'new_string')) };
  }
  // `afterFileEdit` tells of the same edit with what was there before.
  if ('content' in input || 'contents' in input) {
    throw new AdapterError(
      'before-unknown',
      'the event does not say what the file was before it was written',
    );
  }
  return undefined;
}

function replacementOf(edit: Fields, oldName: string, newName: string): Replacement {
  return {
    oldText: textOf(edit, oldName),
    newText: textOf(edit, newName),
    all: edit['replace_all'] === true,
  };
}

/**
 * The whole file, if it still has what was put there, with the replacements undone; else whole lines, else what was
 * replaced by what.
 */
function textsOf(
  replacements: readonly Replacement[],
  lines: readonly Replacement[] | undefined,
  fileText: string | undefined,
): Pick<CapturedEdit, 'before' | 'after'> {
  const undone = replacements.toReversed().map(({ oldText, newText, all }) => ({
    oldText: newText,
    newText: oldText,
    all,
  }));
  const canBeUndone = replacements.every(({ newText, all }) => newText !== '' && !all);
  const before = fileText === undefined || !canBeUndone ? undefined : applyReplacements(fileText, undone);
  if (before !== undefined && fileText !== undefined) return { before, after: unixLineEnds(fileText) };
  const pieces = lines ?? replacements;
  const joined = (texts: string[]) =>
    texts.map((text) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)).join('');
  return {
    before: joined(pieces.map(({ oldText }) => oldText)),
    after: joined(pieces.map(({ newText }) => newText)),
  };
}
