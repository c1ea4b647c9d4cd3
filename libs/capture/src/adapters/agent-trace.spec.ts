import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentTraceClaims } from './agent-trace';
import { declaredRanges } from './line-claims';

const traces = agentTraceClaims(readFileSync(join(__dirname, 'fixtures/agent-trace/traces.jsonl'), 'utf8'));
const COMMIT = 'a'.repeat(40);
const model = 'anthropic/claude-opus-4-6';

describe('Agent Trace records', () => {
  it('name the lines of a commit by their contributors, a range before its conversation', () => {
    expect(traces.get(COMMIT)!.get('src/winch.py')).toEqual([
      { first: 1, last: 5, kind: 'P', model },
      { first: 7, last: 7, kind: 'H' },
      { first: 8, last: 9, kind: 'M', model },
      { first: 4, last: 6, kind: 'P' },
    ]);
  });

  it('of one commit are taken together, each line once', () => {
    expect(
      declaredRanges(traces.get(COMMIT)!.get('src/winch.py')!).map(({ start, count, kind }) => [
        start,
        count,
        kind,
      ]),
    ).toEqual([
      [0, 5, 'P'],
      [5, 1, 'P'],
      [6, 1, 'H'],
      [7, 2, 'M'],
    ]);
  });

  it('say nothing without a git revision, of unknown contributors, or when they are cut off', () => {
    expect([...traces.keys()]).toEqual([COMMIT]);
    expect(traces.get(COMMIT)!.get('src/drum.py')).toEqual([]);
    expect(agentTraceClaims('{"files":[]}\n[]\nno json')).toEqual(new Map());
  });
});
