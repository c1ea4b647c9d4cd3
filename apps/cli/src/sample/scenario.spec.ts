import { committedLines, completeLines, editedTexts, parseStep, textOf } from './scenario';

const STEP = `author: Mara Lind <mara@harbour.example>
date: 2026-02-02T11:05:00Z
message: Say where the pilots wait
trailer: Co-Authored-By: Claude <noreply@anthropic.com>
edit a: chat opal-chat-3 s1 2026-02-02T10:20:00Z
edit b: tab quill-tab-1 s2 2026-02-02T10:30:00Z

=== old.ts -> pilots.ts
  |first();
...
h |typed before
Pa|from a, kept
-a|from a, changed
Ma|from a, changed by hand
xb|removed by b
Pb|from b
H |typed after
`;
const PARENT = ['first();', 'second();', 'removed by b'];

describe('a step of the sample', () => {
  const step = parseStep('01', STEP);
  const lines = completeLines('01', step.files[0]!, PARENT);

  it('names author, time, edits and the trailer that declares an AI', () => {
    expect(step).toMatchObject({
      author: { name: 'Mara Lind', email: 'mara@harbour.example' },
      time: Date.UTC(2026, 1, 2, 11, 5),
      message: 'Say where the pilots wait\n\nCo-Authored-By: Claude <noreply@anthropic.com>\n',
      edits: [
        { letter: 'a', source: 'chat', model: 'opal-chat-3', sessionId: 's1' },
        { letter: 'b', source: 'tab', model: 'quill-tab-1', sessionId: 's2' },
      ],
    });
    expect(step.files[0]).toMatchObject({ path: 'pilots.ts', oldPath: 'old.ts', excluded: false });
  });

  it('commits what was there, what was accepted and kept, and what people typed', () => {
    expect(committedLines(lines).map((line) => line.text)).toEqual([
      'first();',
      'second();',
      'typed before',
      'from a, kept',
      'from a, changed by hand',
      'from b',
      'typed after',
    ]);
  });

  it('shows an assistant the file without what people did later', () => {
    const before = ['first();', 'second();', 'typed before', 'removed by b'];
    const between = [
      'first();',
      'second();',
      'typed before',
      'from a, kept',
      'from a, changed',
      'removed by b',
    ];
    const after = [...between.slice(0, 5), 'from b'];
    const [a, b] = step.edits;
    expect(editedTexts(lines, step.edits, a!)).toEqual({ before: textOf(before), after: textOf(between) });
    expect(editedTexts(lines, step.edits, b!)).toEqual({ before: textOf(between), after: textOf(after) });
  });

  it('is refused where it contradicts the file it changes', () => {
    const changed = ['first();', 'second();', 'something else'];
    for (const parent of [changed, [...PARENT, 'one more']]) {
      expect(() => completeLines('01', step.files[0]!, parent)).toThrow(
        expect.objectContaining({ code: 'sample-malformed' }),
      );
    }
  });

  it('is refused where a line has no margin or an edit that does not exist', () => {
    for (const line of ['no margin', 'Pz|no such edit', '?a|no such mark']) {
      expect(() => parseStep('01', `${STEP}${line}\n`)).toThrow(
        expect.objectContaining({ code: 'sample-malformed' }),
      );
    }
  });
});
