import type { Adapter, CapturedEdit } from './adapter';
import { patchedFiles } from './apply-patch';
import { type Fields, isFields, jsonLines, optionalText } from './fields';
import { patchSides } from './replacement';
import { unifiedDiffSides } from './unified-diff';

type Change = Pick<CapturedEdit, 'path' | 'kind' | 'before' | 'after'>;

/**
 * Rollouts of the Codex CLI: `~/.codex/sessions/…/rollout-*.jsonl`. Of a patch that was applied tells
 * `item_completed` with a `FileChange`, in versions before 0.171 `patch_apply_end`.
 */
export const codex: Adapter = {
  name: 'codex',

  editsOfTranscript(text) {
    const applied = new Set<string>();
    const ended = new Set<string>();
    const lines = [...jsonLines(text)].filter((line) => isFields(line['payload']));
    for (const { payload } of lines as { payload: Fields }[]) {
      const end = endOf(payload);
      if (end) ended.add(end.id);
    }
    let session: Fields = {};
    let turn: Fields = {};
    const calls = new Map<string, readonly Change[]>();
    return lines.flatMap((line) => {
      const payload = line['payload'] as Fields;
      if (line['type'] === 'session_meta') session = payload;
      if (line['type'] === 'turn_context') turn = payload;
      const proposed = proposedChanges(payload);
      if (proposed) calls.set(callOf(payload), proposed);
      const end = endOf(payload);
      const id = end?.id ?? callOf(payload);
      // What the program says of its own files is exact; what the model asked for is all that older rollouts have.
      const changes = end ? end.changes : !ended.has(id) && saysSuccess(payload) ? calls.get(id) : undefined;
      const time = Date.parse(optionalText(line, 'timestamp') ?? '');
      const sessionId = optionalText(session, 'id');
      if (!changes || applied.has(id) || sessionId === undefined || Number.isNaN(time)) return [];
      applied.add(id);
      const model = optionalText(turn, 'model');
      const cwd = optionalText(turn, 'cwd') ?? optionalText(session, 'cwd');
      const parent = optionalText(session, 'parent_thread_id');
      return changes.map((change): CapturedEdit => ({
        ...change,
        source: 'agent',
        sessionId,
        ...(parent !== undefined && { parentSessionId: parent }),
        toolCallId: id,
        ...(model !== undefined && { model }),
        ...(cwd !== undefined && { cwd }),
        time,
      }));
    });
  },

  modelOfTranscript(text) {
    let model: string | undefined;
    for (const line of jsonLines(text)) {
      if (line['type'] === 'turn_context' && isFields(line['payload'])) {
        model = optionalText(line['payload'], 'model') ?? model;
      }
    }
    return model;
  },
};

const callOf = (payload: Fields): string => optionalText(payload, 'call_id') ?? '';

/** What the program says when a patch has ended, well (then with its changes) or not. */
function endOf(payload: Fields): { readonly id: string; readonly changes?: readonly Change[] } | undefined {
  if (payload['type'] === 'patch_apply_end') {
    return { id: callOf(payload), ...(payload['success'] === true && appliedChanges(payload)) };
  }
  const item = payload['type'] === 'item_completed' && isFields(payload['item']) ? payload['item'] : {};
  if (item['type'] !== 'FileChange') return undefined;
  return {
    id: optionalText(item, 'id') ?? '',
    ...(item['status'] === 'completed' && appliedChanges(item)),
  };
}

function appliedChanges({ changes }: Fields): { readonly changes: readonly Change[] } {
  const byPath = isFields(changes) ? Object.entries(changes) : [];
  return {
    changes: byPath.flatMap(([path, change]) => (isFields(change) ? appliedChange(path, change) : [])),
  };
}

function appliedChange(path: string, change: Fields): Change[] {
  const { type } = change;
  if (type !== 'add' && type !== 'update') return [];
  const content = optionalText(change, 'content');
  const diff = optionalText(change, 'unified_diff');
  const texts =
    type === 'add' && content !== undefined
      ? { before: '', after: content }
      : diff !== undefined && unifiedDiffSides(diff);
  if (!texts) return [];
  const kind = type === 'add' ? 'write' : 'patch';
  return [{ path: optionalText(change, 'move_path') ?? path, kind, ...texts }];
}

/** What a call of `apply_patch` asks for, in either form that a model calls it. */
function proposedChanges(payload: Fields): Change[] | undefined {
  if (payload['name'] !== 'apply_patch') return undefined;
  const patch =
    payload['type'] === 'custom_tool_call' ? optionalText(payload, 'input') : patchOfArguments(payload);
  if (patch === undefined) return undefined;
  return patchedFiles(patch)
    .filter(({ type }) => type !== 'delete')
    .map(({ path, movePath, type, lines }) => ({
      path: movePath ?? path,
      kind: type === 'add' ? 'write' : 'patch',
      ...patchSides(lines),
    }));
}

function patchOfArguments(payload: Fields): string | undefined {
  try {
    const parsed: unknown = JSON.parse(optionalText(payload, 'arguments') ?? '');
    if (!isFields(parsed)) return undefined;
    return optionalText(parsed, 'patch') ?? optionalText(parsed, 'input');
  } catch {
    return undefined;
  }
}

function saysSuccess(payload: Fields): boolean {
  if (payload['type'] !== 'function_call_output' && payload['type'] !== 'custom_tool_call_output')
    return false;
  const said = payload['output'];
  const text = typeof said === 'string' ? said : JSON.stringify(said ?? '');
  return /"exit_code"\s*:\s*0\b|^Exit code: 0\b|^Success\b/m.test(text);
}
