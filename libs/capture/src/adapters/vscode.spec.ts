import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedSpans } from '../changed-lines';
import { vscode } from './vscode';

const NOW = 1_790_000_000_000;
const editsOf = (name: string) =>
  vscode.editsOfEvent!(
    JSON.parse(readFileSync(join(__dirname, 'fixtures/vscode', name), 'utf8')) as unknown,
    NOW,
  );

describe('a completion accepted in VS Code', () => {
  it('is a tab edit of the lines that it added or ended', () => {
    const [edit] = editsOf('accepted.json');
    expect(edit).toMatchObject({
      path: '/home/ada/lighthouse/src/beam.ts',
      kind: 'insert',
      source: 'tab',
      sessionId: '0b7a7c1e-5d0c-4a55-9c39-3f1d6fd2a7e4',
      toolCallId: '1',
      time: NOW,
    });
    expect(edit).not.toHaveProperty('acceptedPartially');
    expect(addedSpans(edit!.before, edit!.after)).toEqual([{ first: 1, last: 2 }]);
  });

  it('says when a person took only the next words of it', () => {
    expect(editsOf('accepted-partially.json')).toEqual([
      expect.objectContaining({ acceptedPartially: true, toolCallId: '2' }),
    ]);
  });

  it('is refused when it is in another shape', () => {
    expect(() => vscode.editsOfEvent!({ path: 'a.ts' }, NOW)).toThrow(
      expect.objectContaining({ code: 'event-malformed' }),
    );
  });
});
