import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedSpans, linesOf } from '../changed-lines';
import type { CapturedEdit } from './adapter';
import { cursor } from './cursor';

const NOW = 1_790_000_000_000;
type Json = Record<string, unknown>;
const event = (name: string) =>
  JSON.parse(readFileSync(join(__dirname, 'fixtures/cursor', name), 'utf8')) as Json;
const one = (value: unknown, fileText?: string): CapturedEdit => {
  const edits = cursor.editsOfEvent!(value, NOW, fileText);
  expect(edits).toHaveLength(1);
  return edits[0]!;
};
const added = ({ before, after }: CapturedEdit) => {
  const lines = linesOf(after);
  return addedSpans(before, after).flatMap(({ first, last }) => lines.slice(first, last + 1));
};
const TRIP = [
  '    due = [trip for trip in trips if trip.departs_at > now]',
  '    return min(due, key=lambda trip: trip.departs_at, default=None)',
];
const FARE = '    return base * (1 - CHILD_DISCOUNT) if age < 12 else base';

describe('hooks of Cursor', () => {
  it("give an agent's edit, of which only what differs is new", () => {
    const edit = one(event('after-file-edit.json'));
    expect(edit).toMatchObject({
      path: '/home/ada/ferry/timetable.py',
      cwd: '/home/ada/ferry',
      kind: 'replace',
      source: 'agent',
      sessionId: '3d0b9f0a-8f6e-4a55-9a34-1f4f4b4e7d21',
      model: 'claude-4.5-sonnet',
      time: NOW,
    });
    expect(added(edit)).toEqual(TRIP);
  });

  it('give one call one name, whichever hook tells of it', () => {
    expect(one(event('post-tool-use.json'))).toEqual(one(event('after-file-edit.json')));
    const other = event('after-file-edit.json');
    other['generation_id'] = 'another';
    expect(one(other).toolCallId).not.toBe(one(event('after-file-edit.json')).toolCallId);
  });

  it('give an accepted completion as tab, with the whole line that it ended', () => {
    const edit = one(event('after-tab-file-edit.json'));
    expect(edit).toMatchObject({ source: 'tab', kind: 'insert', model: 'cursor-tab' });
    expect(added(edit)).toEqual([FARE]);
  });

  it('give the whole file before and after, when it still holds what was put there', () => {
    const file = `"""Fares."""\r\n\r\n\r\ndef fare(base, age):\r\n${FARE}\r\n`;
    const name = 'after-tab-file-edit.json';
    expect(cursor.fileOfEvent!(event(name))).toBe('/home/ada/ferry/fares.py');
    const edit = one(event(name), file);
    expect(edit.before).toBe('"""Fares."""\n\n\ndef fare(base, age):\n    return base\n');
    expect(added(edit)).toEqual([FARE]);
    expect(added(one(event(name), 'edited meanwhile\n'))).toEqual([FARE]);
  });

  it('do not undo what cannot be told apart: a removal, or a replacement of every occurrence', () => {
    const edit = event('post-tool-use.json');
    (edit['tool_input'] as Json)['replace_all'] = true;
    const file = `${TRIP.join('\n')}\ndef next_trip(trips, now):\n${TRIP.join('\n')}\n`;
    expect(added(one(edit, file))).toEqual(TRIP);
    (edit['tool_input'] as Json)['new_string'] = '';
    expect(added(one(edit, file))).toEqual([]);
  });

  it('give nothing for tools that change no file, for other events, and for edits that change nothing', () => {
    const edit = event('post-tool-use.json');
    for (const value of [
      { ...edit, tool_name: 'Shell', tool_input: { command: 'ls' } },
      { ...edit, hook_event_name: 'preToolUse' },
      { ...edit, tool_input: { file_path: 'a', old_string: 'x', new_string: 'x' } },
    ]) {
      expect(cursor.editsOfEvent!(value, NOW)).toEqual([]);
    }
    expect(cursor.fileOfEvent!({ ...edit, hook_event_name: 'stop' })).toBeUndefined();
  });

  it('do not take a written file for new, and refuse what is no event', () => {
    const write = { ...event('post-tool-use.json'), tool_input: { file_path: 'a.py', content: 'x = 1\n' } };
    expect(() => one(write)).toThrow(expect.objectContaining({ code: 'before-unknown' }));
    expect(() => one(null)).toThrow(expect.objectContaining({ code: 'event-malformed' }));
    expect(() => one({ ...event('after-file-edit.json'), file_path: 7 })).toThrow('file_path is not a text');
  });
});
