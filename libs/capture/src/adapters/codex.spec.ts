import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedSpans, linesOf } from '../changed-lines';
import type { CapturedEdit } from './adapter';
import { codex } from './codex';

const rollout = readFileSync(join(__dirname, 'fixtures/codex/rollout.jsonl'), 'utf8');
const edits = codex.editsOfTranscript!(rollout);
const added = ({ before, after }: CapturedEdit) => {
  const lines = linesOf(after);
  return addedSpans(before, after).flatMap(({ first, last }) => lines.slice(first, last + 1));
};
const of = (path: string) => edits.filter((edit) => edit.path.endsWith(path));

describe('a rollout of Codex', () => {
  it('gives each patch that was applied once, with its time, session, folder and the model of its turn', () => {
    const [gauge, ...more] = of('gauge.c');
    expect(more).toEqual([]);
    expect(gauge).toMatchObject({
      path: '/home/ada/gauge/src/gauge.c',
      cwd: '/home/ada/gauge',
      kind: 'patch',
      source: 'agent',
      sessionId: '019ad5c2-6f0e-7c41-9d1b-2f9f60c1a7e4',
      toolCallId: 'call_gauge',
      model: 'gpt-5.1-codex',
      time: Date.UTC(2026, 10, 3, 10, 0, 6),
    });
    expect(added(gauge!)).toEqual([
      '    int clamped = raw < GAUGE_MIN ? GAUGE_MIN : raw;',
      '    return (clamped - GAUGE_MIN) * GAUGE_STEP_MM;',
    ]);
  });

  it('takes added files by content or by diff, moved ones by their new name, and no deleted ones', () => {
    const call = edits.filter(({ toolCallId }) => toolCallId === 'call_files');
    expect(call.map(({ path, kind }) => [path.split('/').at(-1), kind])).toEqual([
      ['level.h', 'write'],
      ['pump.h', 'write'],
      ['valves.c', 'patch'],
    ]);
    expect(call.map(added)).toEqual([
      ['#pragma once', 'int level_mm(int sensor);'],
      ['#pragma once', 'void pump_start(int seconds);'],
      ['    opened = opened > 0 ? opened - 1 : 0;'],
    ]);
    expect(call[0]!.model).toBe('gpt-5.2-codex');
  });

  it('takes what the model asked for where an older rollout says only that it went well', () => {
    expect(of('alarm.c').map(({ toolCallId, kind, before }) => [toolCallId, kind, before])).toEqual([
      ['call_alarm', 'write', ''],
    ]);
    expect(added(of('alarm.c')[0]!)).toEqual([
      '#include "alarm.h"',
      '',
      'bool alarm_due(int level_mm) {',
      '    return level_mm >= ALARM_LEVEL_MM;',
      '}',
    ]);
    const freeform = rollout
      .split('\n')
      .filter((line) => !line.includes('patch_apply_end'))
      .join('\n');
    const [gauge] = codex.editsOfTranscript!(freeform).filter((edit) => edit.path === 'src/gauge.c');
    expect(added(gauge!)).toEqual(added(of('gauge.c')[0]!));
  });

  it('gives nothing of patches that failed or were refused, nor of lines that are cut off', () => {
    const ids = new Set(edits.map(({ toolCallId }) => toolCallId));
    expect([...ids]).toEqual(['call_gauge', 'call_files', 'call_alarm']);
    expect(codex.editsOfTranscript!('{"type":"event_msg"}\nno json\n')).toEqual([]);
  });

  it('counts a call once when a resumed session repeats its lines', () => {
    expect(codex.editsOfTranscript!(`${rollout}\n${rollout}`)).toEqual(edits);
  });

  it('names the model of the last turn', () => {
    expect(codex.modelOfTranscript!(rollout)).toBe('gpt-5.2-codex');
  });
});

describe('a rollout of Codex 0.171', () => {
  const edits = codex.editsOfTranscript!(
    readFileSync(join(__dirname, 'fixtures/codex/rollout-0.171-sub-agent.jsonl'), 'utf8'),
  );

  it('gives the changes of files that were completed, called as a tool or in a shell, under the parent session', () => {
    expect(edits.map(({ toolCallId, path, kind }) => [toolCallId, path, kind])).toEqual([
      ['call_float', '/home/ada/gauge/src/float.c', 'write'],
      ['call_float', '/home/ada/gauge/src/spillway.c', 'patch'],
      ['call_overflow', '/home/ada/gauge/src/overflow.h', 'write'],
    ]);
    expect(added(edits[1]!)).toEqual(['    return float_mm(ticks()) > SPILL_MM;']);
    for (const edit of edits) {
      expect(edit).toMatchObject({
        source: 'agent',
        sessionId: '01a22d9e-6b4a-7301-b583-0e0866549940',
        parentSessionId: '01a22d9e-68c1-7bc3-b1d4-9ba090792010',
        model: 'gpt-5.5',
      });
    }
  });
});
