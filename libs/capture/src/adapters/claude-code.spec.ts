import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedSpans, linesOf } from '../changed-lines';
import type { CapturedEdit } from './adapter';
import { claudeCode } from './claude-code';

const NOW = 1_790_000_000_000;
const read = (name: string) => readFileSync(join(__dirname, 'fixtures/claude-code', name), 'utf8');
const event = (name: string) => JSON.parse(read(name)) as Record<string, unknown>;
const editsOf = (value: unknown) => claudeCode.editsOfEvent!(value, NOW);
const one = (value: unknown): CapturedEdit => {
  const edits = editsOf(value);
  expect(edits).toHaveLength(1);
  return edits[0]!;
};
const added = ({ before, after }: CapturedEdit) => {
  const lines = linesOf(after);
  return addedSpans(before, after).flatMap(({ first, last }) => lines.slice(first, last + 1));
};

describe('PostToolUse of Claude Code', () => {
  it('gives an edit with the whole file before and after', () => {
    const edit = one(event('edit.json'));
    expect(edit).toMatchObject({
      path: '/home/ada/shop/src/basket.ts',
      cwd: '/home/ada/shop',
      kind: 'replace',
      source: 'agent',
      sessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11',
      toolCallId: 'toolu_01EditBasketTotal',
      time: NOW,
    });
    expect(edit.after).toContain('export const EMPTY');
    expect(added(edit)).toEqual([
      '  const amounts = basket.items.map((item) => item.price * item.quantity);',
      '  return amounts.reduce((sum, amount) => sum + amount, 0);',
    ]);
  });

  it('takes every line of a created file, and of an overwritten one those that differ', () => {
    expect(added(one(event('write-create.json')))).toHaveLength(7);
    expect(added(one(event('write-update.json')))).toEqual([
      '',
      'func Gross(net int) int {',
      '\treturn net + net*vatPercent/100',
      '}',
    ]);
  });

  it('applies all edits of a MultiEdit, one on the result of the other', () => {
    expect(added(one(event('multi-edit.json')))).toEqual([
      'export const total = (order: Order) => sumOf(order.items.map(({ price }) => price));',
      'export const isHeavy = (order: Order) => sumOf(order.items.map(({ weight }) => weight)) > HEAVY_GRAMS;',
    ]);
  });

  it('takes what was proposed, not what a person made of it, and says that a person changed it', () => {
    const edit = one(event('edit-user-modified.json'));
    expect(edit.userModified).toBe(true);
    expect(added(edit)).toEqual([
      'export const LIMIT = Number.parseInt(settings.limit, 10);',
      'export const RETRIES = settings.retries.filter((retry) => retry.afterSeconds > LIMIT);',
    ]);
  });

  it('gives the lines of a notebook’s file, and without the file those of the cell as the file has them', () => {
    const source = [
      String.raw`"weekly = sales.resample('W').sum()\n",`,
      `"weekly.plot(title='Sales a week')"`,
    ];
    expect(added(one(event('notebook-edit.json'))).map((line) => line.trim())).toEqual([
      ...['"cells": [', '{', '"cell_type": "code",', '"id": "b7c1",', '"source": ['],
      ...source,
      ...[']', '}', '],'],
    ]);
    const cell = event('notebook-edit.json');
    cell['tool_response'] = {};
    expect(added(one(cell))).toEqual([source[0], `${source[1]},`]);
  });

  it('falls back to the patch, and then to the replaced text, where the file is not in the event', () => {
    const edit = event('edit.json');
    const response = edit['tool_response'] as Record<string, unknown>;
    response['originalFile'] = null;
    const expected = added(one(event('edit.json')));
    expect(added(one(edit))).toEqual(expected);
    response['structuredPatch'] = [];
    expect(added(one(edit))).toEqual(expected);
  });

  it('finds the edited place in files with CRLF, and where the tool forgave other quotes', () => {
    const edit = event('edit.json');
    const response = edit['tool_response'] as Record<string, string>;
    const expected = added(one(event('edit.json')));
    response['originalFile'] = response['originalFile']!.replaceAll('\n', '\r\n');
    expect(added(one(edit))).toEqual(expected);
    (edit['tool_input'] as Record<string, string>)['old_string'] = 'export function total(“basket”)';
    expect(added(one(edit))).toEqual(expected);
  });

  it('gives what a shell command appends to a file by a here document', () => {
    const bash = {
      ...event('edit.json'),
      tool_name: 'Bash',
      tool_input: { command: "cat >> src/basket.ts <<'EOF'\nexport const SIZE = 3;\nEOF" },
    };
    expect(one(bash)).toMatchObject({ path: 'src/basket.ts', cwd: '/home/ada/shop', kind: 'insert' });
    expect(added(one(bash))).toEqual(['export const SIZE = 3;']);
  });

  it('gives nothing for tools that change no file, for other events, and for calls that failed', () => {
    expect(editsOf({ ...event('edit.json'), tool_name: 'Read' })).toEqual([]);
    expect(editsOf({ ...event('edit.json'), hook_event_name: 'PreToolUse' })).toEqual([]);
    expect(editsOf({ ...event('edit.json'), tool_response: 'Error: not found' })).toEqual([]);
    const notebook = event('notebook-edit.json');
    expect(editsOf({ ...notebook, tool_response: { error: 'no such cell' } })).toEqual([]);
  });

  it('does not take an overwritten file for new when its old text is unknown', () => {
    const write = event('write-update.json');
    write['tool_response'] = { type: 'update' };
    expect(() => editsOf(write)).toThrow(expect.objectContaining({ code: 'before-unknown' }));
  });

  it('refuses what is no event, and says which field is wrong', () => {
    for (const wrong of [null, 3, [], { hook_event_name: 'PostToolUse' }]) {
      expect(() => editsOf(wrong)).toThrow(expect.objectContaining({ code: 'event-malformed' }));
    }
    expect(() => editsOf({ ...event('edit.json'), tool_input: {} })).toThrow('file_path is not a text');
  });

  it('tells a sub-agent from the session that started it', () => {
    expect(one({ ...event('edit.json'), agent_id: 'a1' })).toMatchObject({
      sessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11/a1',
      parentSessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11',
    });
  });
});

describe('a transcript of Claude Code', () => {
  const edits = claudeCode.editsOfTranscript!(read('transcript.jsonl'));

  it('gives each tool use that succeeded once, with its time and model', () => {
    expect(edits.map(({ toolCallId, time, model }) => [toolCallId, time, model])).toEqual([
      ['toolu_01EditBasketTotal', Date.UTC(2026, 10, 2, 9, 0, 2), 'claude-sonnet-4-5-20250929'],
      ['toolu_01WriteShipping', Date.UTC(2026, 10, 2, 9, 0, 8), 'claude-sonnet-4-5-20250929'],
    ]);
    expect(edits[1]).toMatchObject({
      sessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11/a1b2c3d4',
      parentSessionId: '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11',
    });
  });

  it('gives what the hook gave: the same call, texts and session', () => {
    const { model: _model, time: _time, ...imported } = edits[0]!;
    const { time: _now, ...hooked } = one(event('edit.json'));
    expect(imported).toEqual(hooked);
  });

  it('gives what a sub-agent wrote, which its parent’s transcript tells as progress', () => {
    const told = claudeCode.editsOfTranscript!(read('transcript-sub-agent.jsonl'));
    const session = '5b0c3f0e-6d0c-4a53-9b5e-0f6f2f1f7c11';
    for (const edit of told) {
      expect(edit).toMatchObject({
        sessionId: `${session}/a9f8e7d`,
        parentSessionId: session,
        model: 'claude-opus-4-5-20251101',
        cwd: '/home/ada/shop',
      });
    }
    // What the overwritten file was before is not told, and the edit that failed wrote nothing.
    expect(told.map(({ toolCallId, time }) => [toolCallId, time])).toEqual([
      ['toolu_02Edit', Date.UTC(2026, 10, 2, 9, 1, 2)],
      ['toolu_02Write', Date.UTC(2026, 10, 2, 9, 1, 4)],
    ]);
    expect(told.map(added)).toEqual([
      [
        '  const prices = basket.items.map(({ price }) => price);',
        '  return prices.reduce((sum, price) => sum + price, 0);',
      ],
      [
        'VAT_PERCENT = 19',
        '',
        '',
        'def gross(net_cents):',
        '    return net_cents + net_cents * VAT_PERCENT // 100',
      ],
    ]);
  });

  it('names the model that its end names', () => {
    expect(claudeCode.modelOfTranscript!(read('transcript.jsonl'))).toBe('claude-sonnet-4-5-20250929');
    expect(claudeCode.modelOfTranscript!('{"type":"user"}\n')).toBeUndefined();
  });
});
