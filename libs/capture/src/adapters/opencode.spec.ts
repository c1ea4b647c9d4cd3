import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addedSpans, linesOf } from '../changed-lines';
import type { CapturedEdit } from './adapter';
import { kilo, openCode } from './opencode';

const NOW = 1_790_000_000_000;
type Json = Record<string, unknown>;
const event = (name: string) =>
  JSON.parse(readFileSync(join(__dirname, 'fixtures/opencode', name), 'utf8')) as {
    input: { args: Json } & Json;
    output: { metadata: Json } & Json;
  } & Json;
const editsOf = (value: unknown) => openCode.editsOfEvent!(value, NOW);
const added = ({ before, after }: CapturedEdit) => {
  const lines = linesOf(after);
  return addedSpans(before, after).flatMap(({ first, last }) => lines.slice(first, last + 1));
};

describe('tool.execute.after of OpenCode and Kilo Code', () => {
  it('gives an edit with the whole file before and after, its session, model and place', () => {
    const [edit] = editsOf(event('edit.json'));
    expect(edit).toMatchObject({
      path: '/home/ada/fleet/anchored.go',
      cwd: '/home/ada/fleet',
      kind: 'replace',
      source: 'chat',
      sessionId: 'ses_7f3b2a91cffeQmR4tYbN0sLk2P',
      toolCallId: 'call_edit_anchored',
      model: 'anthropic/claude-sonnet-4-5',
      time: NOW,
    });
    expect(edit).not.toHaveProperty('parentSessionId');
    expect(added(edit!)).toEqual([
      '\tmoored := v.berth != nil',
      '\treturn !moored && v.speedKnots < anchoredBelowKnots',
    ]);
  });

  it('takes what was proposed, not what a formatter made of the whole file', () => {
    const edit = event('edit.json');
    const { metadata } = edit.output;
    metadata['diff'] =
      '@@ -1,1 +1,2 @@\n-func Name(v Vessel) string { return v.name }\n+func Name(\n+\tv Vessel)\n';
    expect(added(editsOf(edit)[0]!)).toEqual(added(editsOf(event('edit.json'))[0]!));
  });

  it('takes the text that the tool found where the old one is not in the file as it was given', () => {
    const edit = event('edit.json');
    edit.input.args['oldString'] = 'return    false';
    expect(added(editsOf(edit)[0]!)).toEqual(added(editsOf(event('edit.json'))[0]!));
  });

  it('falls back to the diff where nobody read the file before', () => {
    const edit = event('edit.json');
    delete edit['before'];
    expect(added(editsOf(edit)[0]!)).toEqual(added(editsOf(event('edit.json'))[0]!));
  });

  it('reads what versions before 1.18 tell: whole files before and after', () => {
    const { before, ...edit } = event('edit.json');
    const after = (before as string).replace(
      '\treturn false\n',
      '\treturn v.speedKnots < anchoredBelowKnots\n',
    );
    edit.output.metadata = { diff: '', filediff: { file: '/home/ada/fleet/anchored.go', before, after } };
    edit.input.args['oldString'] = 'return    false';
    expect(editsOf(edit)).toEqual([expect.objectContaining({ before, after })]);
    const patch = event('apply-patch-subagent.json');
    patch.output.metadata = {
      files: [{ filePath: '/home/ada/fleet/a.rs', type: 'update', diff: '', before: 'a\n', after: 'b\n' }],
    };
    expect(editsOf(patch)).toEqual([expect.objectContaining({ kind: 'patch', before: 'a\n', after: 'b\n' })]);
  });

  it('takes of an overwritten file the lines that differ, and every line of a new one', () => {
    const write = event('write.json');
    expect(added(editsOf(write)[0]!)).toEqual(['currency: EUR', 'minimumTonnage: 120']);
    write.output.metadata['exists'] = false;
    expect(added(editsOf(write)[0]!)).toHaveLength(3);
  });

  it('does not take an overwritten file for new when nobody read it before', () => {
    const { before: _before, ...write } = event('write.json');
    expect(() => editsOf(write)).toThrow(expect.objectContaining({ code: 'before-unknown' }));
  });

  it('gives each file of a patch that a sub-agent made, under its new name, and none that was deleted', () => {
    const edits = editsOf(event('apply-patch-subagent.json'));
    expect(edits.map(({ path, kind }) => [path, kind])).toEqual([
      ['/home/ada/fleet/quay.rs', 'write'],
      ['/home/ada/fleet/draught.rs', 'patch'],
    ]);
    expect(added(edits[1]!)).toEqual(['    depth - draught >= KEEL_CLEARANCE_M']);
    for (const edit of edits) {
      expect(edit).toMatchObject({
        source: 'agent',
        sessionId: 'ses_7f3b2a0d1ffeHw8JxUvC5dEg9Z',
        parentSessionId: 'ses_7f3b2a91cffeQmR4tYbN0sLk2P',
        toolCallId: 'call_patch_quay',
        model: 'openai/gpt-5.2-codex',
      });
    }
  });

  it('reads the same of Kilo Code', () => {
    expect(kilo.editsOfEvent!(event('edit.json'), NOW)).toEqual(editsOf(event('edit.json')));
    expect(kilo.name).toBe('kilo');
  });

  it('gives nothing for tools that change no file, and refuses what is no event', () => {
    const edit = event('edit.json');
    expect(editsOf({ ...edit, input: { ...edit.input, tool: 'bash' } })).toEqual([]);
    for (const wrong of [null, 'text', {}, { input: {} }]) {
      expect(() => editsOf(wrong)).toThrow(expect.objectContaining({ code: 'event-malformed' }));
    }
  });
});
