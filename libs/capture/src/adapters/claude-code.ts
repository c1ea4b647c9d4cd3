import { type Adapter, AdapterError, type CapturedEdit } from './adapter';
import { fieldsOf, type Fields, isFields, jsonLines, listOf, optionalText, textOf } from './fields';
import { appendedTexts } from './here-documents';
import { applyReplacements, patchSides, type Replacement } from './replacement';

/** What a hook's event and a transcript both know of a call. */
interface ToolCall {
  readonly tool: string;
  readonly input: Fields;
  readonly response: Fields;
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly parentSessionId?: string;
  readonly cwd?: string;
  readonly model?: string;
  readonly time: number;
}

type Texts = Pick<CapturedEdit, 'before' | 'after'>;
type Change = Pick<CapturedEdit, 'path' | 'kind'> & Texts;

/** Hook `PostToolUse` and transcripts of Claude Code. */
export const claudeCode: Adapter = {
  name: 'claude-code',

  editsOfEvent(event, now) {
    const fields = fieldsOf(event, 'the event');
    if (optionalText(fields, 'hook_event_name') !== 'PostToolUse') return [];
    const tool = textOf(fields, 'tool_name');
    if (!isFields(fields['tool_response'])) return [];
    const agent = optionalText(fields, 'agent_id');
    return editsOfCall({
      tool,
      input: fieldsOf(fields['tool_input'], 'tool_input'),
      response: fields['tool_response'],
      toolCallId: textOf(fields, 'tool_use_id'),
      ...sessionOf(textOf(fields, 'session_id'), agent),
      ...optional('cwd', optionalText(fields, 'cwd')),
      time: now,
    });
  },

  editsOfTranscript(text) {
    const calls = new Map<string, { use: Fields; model?: string }>();
    const done = new Set<string>();
    const edits: CapturedEdit[] = [];
    for (const told of jsonLines(text)) {
      const line = isFields(told['data']) ? lineOfSubAgent(told, told['data']) : told;
      const message = isFields(line['message']) ? line['message'] : {};
      for (const part of listOf(message['content'])) {
        if (line['type'] === 'assistant' && part['type'] === 'tool_use') {
          calls.set(textIn(part, 'id'), { use: part, ...optional('model', modelOf(message)) });
        }
        if (line['type'] !== 'user' || part['type'] !== 'tool_result' || part['is_error'] === true) continue;
        const id = textIn(part, 'tool_use_id');
        const call = calls.get(id);
        const key = `${textIn(line, 'sessionId')} ${id}`;
        // A session that is resumed repeats its lines.
        if (!call || done.has(key)) continue;
        done.add(key);
        edits.push(...editsOfResult(line, part, call));
      }
    }
    return edits;
  },

  modelOfTranscript(text) {
    let model: string | undefined;
    for (const line of jsonLines(text)) {
      if (line['type'] === 'assistant' && isFields(line['message']))
        model = modelOf(line['message']) ?? model;
    }
    return model;
  },
};

function editsOfResult(
  line: Fields,
  result: Fields,
  { use, model }: { use: Fields; model?: string },
): CapturedEdit[] {
  const time = Date.parse(textIn(line, 'timestamp'));
  const sessionId = optionalText(line, 'sessionId');
  const response = line['toolUseResult'] ?? responseToSubAgent(result);
  if (!isFields(response) || !isFields(use['input']) || sessionId === undefined || Number.isNaN(time))
    return [];
  try {
    return editsOfCall({
      tool: textIn(use, 'name'),
      input: use['input'],
      response,
      toolCallId: textIn(result, 'tool_use_id'),
      ...sessionOf(sessionId, line['isSidechain'] === true ? optionalText(line, 'agentId') : undefined),
      ...optional('cwd', optionalText(line, 'cwd')),
      ...optional('model', model),
      time,
    });
  } catch (error) {
    if (error instanceof AdapterError) return [];
    throw error;
  }
}

/** What a sub-agent does shows in its parent's transcript as progress that wraps the line of its own. */
function lineOfSubAgent(line: Fields, data: Fields): Fields {
  if (data['type'] !== 'agent_progress' || !isFields(data['message'])) return line;
  return { ...line, ...data['message'], isSidechain: true, agentId: data['agentId'] };
}

/** The parent's transcript has of the tool's answer to a sub-agent only the text. */
function responseToSubAgent(result: Fields): Fields {
  return /^File created/.test(textIn(result, 'content')) ? { type: 'create' } : {};
}

function editsOfCall({ tool, input, response, ...call }: ToolCall): CapturedEdit[] {
  const userModified = response['userModified'] === true;
  return changesOf(tool, input, response).map((change) => ({
    ...call,
    ...change,
    source: 'agent',
    ...(userModified && { userModified }),
  }));
}

function changesOf(tool: string, input: Fields, response: Fields): Change[] {
  switch (tool) {
    case 'Edit':
      return [{ path: textOf(input, 'file_path'), kind: 'replace', ...replaced([input], response) }];
    case 'MultiEdit':
      return [
        {
          path: textOf(input, 'file_path'),
          kind: 'replace',
          ...replaced(listOf(input['edits']), response),
        },
      ];
    case 'Write':
      return [{ path: textOf(input, 'file_path'), kind: 'write', ...written(input, response) }];
    case 'NotebookEdit':
      return notebookChange(input, response);
    case 'Bash':
      return appendedTexts(textOf(input, 'command')).map(({ path, text }) => ({
        path,
        kind: 'insert',
        before: '',
        after: text,
      }));
    default:
      return [];
  }
}

function replaced(edits: readonly Fields[], response: Fields): Texts {
  const proposed = edits.map(replacementOf);
  const original = originalOf(response);
  if (original !== undefined) {
    const after =
      applyReplacements(original, proposed) ??
      // The tool forgives typographic quotes, and answers with what it really found.
      applyReplacements(original, [
        {
          oldText: optionalText(response, 'oldString') ?? '\0',
          newText: optionalText(response, 'newString') ?? '',
          all: response['replaceAll'] === true,
        },
      ]);
    if (after !== undefined) return { before: original, after };
  }
  return patched(response) ?? pieces(proposed);
}

function replacementOf(edit: Fields): Replacement {
  return {
    oldText: textOf(edit, 'old_string'),
    newText: textOf(edit, 'new_string'),
    all: edit['replace_all'] === true,
  };
}

/** Neither the file nor a patch is known: what was replaced by what, one under the other. */
function pieces(replacements: readonly Replacement[]): Texts {
  const all = (texts: string[]) => texts.map((text) => (text.endsWith('\n') ? text : `${text}\n`)).join('');
  return {
    before: all(replacements.map(({ oldText }) => oldText)),
    after: all(replacements.map(({ newText }) => newText)),
  };
}

function written(input: Fields, response: Fields): Texts {
  const after = textOf(input, 'content');
  if (response['type'] === 'create') return { before: '', after };
  const original = originalOf(response);
  if (original !== undefined) return { before: original, after };
  const texts = patched(response);
  if (texts) return texts;
  // To take the whole file for new would make everybody's lines the assistant's.
  throw new AdapterError(
    'before-unknown',
    'the event does not say what the file was before it was overwritten',
  );
}

/** A notebook is JSON, and so are the lines of it that a commit has. */
function notebookChange(input: Fields, response: Fields): Change[] {
  const mode = optionalText(input, 'edit_mode') ?? 'replace';
  if (mode === 'delete' || optionalText(response, 'error')) return [];
  const path = textOf(input, 'notebook_path');
  const kind = mode === 'insert' ? 'insert' : 'replace';
  const [before, after] = [optionalText(response, 'original_file'), optionalText(response, 'updated_file')];
  if (before !== undefined && after !== undefined) return [{ path, kind, before, after }];
  return [
    {
      path,
      kind,
      before: mode === 'insert' ? '' : jsonStrings(optionalText(response, 'old_source') ?? ''),
      after: jsonStrings(textOf(input, 'new_source')),
    },
  ];
}

/** A cell's source as notebooks write it: a list of strings, each with its line end. */
function jsonStrings(source: string): string {
  const lines = source.split('\n');
  return lines.map((line, i) => `${JSON.stringify(i < lines.length - 1 ? `${line}\n` : line)},\n`).join('');
}

function originalOf(response: Fields): string | undefined {
  return optionalText(response, 'originalFile') ?? optionalText(response, 'originalFileContents');
}

/** The two sides of the answer's patch, hunks one under the other. */
function patched(response: Fields): Texts | undefined {
  const hunks = listOf(response['structuredPatch']);
  if (hunks.length === 0) return undefined;
  return patchSides(
    hunks.flatMap(({ lines }) =>
      Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [],
    ),
  );
}

/** A sub-agent works under its parent's session id, with an id of its own beside it. */
function sessionOf(sessionId: string, agentId: string | undefined) {
  return agentId === undefined
    ? { sessionId }
    : { sessionId: `${sessionId}/${agentId}`, parentSessionId: sessionId };
}

function modelOf(message: Fields): string | undefined {
  const model = optionalText(message, 'model');
  // What the program itself says in an assistant's place has no model.
  return model === '<synthetic>' ? undefined : model;
}

const textIn = (fields: Fields, name: string): string => optionalText(fields, name) ?? '';

function optional<K extends string>(name: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<K, string>);
}
