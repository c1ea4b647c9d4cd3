import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_FILE_LINES } from '@lineprint/contracts';
import { gitAiClaims } from './git-ai';
import { declaredRanges } from './line-claims';

const note = readFileSync(join(__dirname, 'fixtures/git-ai/3.0.0.txt'), 'utf8');
const claims = gitAiClaims(note);

describe('a note of git-ai', () => {
  it('names the lines of each session with its model, and those that a person wrote', () => {
    expect(declaredRanges(claims.get('src/anchor.ts')!)).toEqual([
      { start: 0, count: 4, kind: 'P', source: 'agent', model: 'claude-opus-4-6' },
      { start: 5, count: 1, kind: 'H' },
      { start: 8, count: 1, kind: 'P', source: 'agent', model: 'claude-opus-4-6' },
    ]);
  });

  it('has quoted paths, and sessions of which it knows no more than the lines', () => {
    expect(claims.get('docs/port map.md')).toEqual([{ first: 2, last: 3, kind: 'P' }]);
  });

  it('has prompts in its older form', () => {
    expect(claims.get('src/legacy.ts')).toEqual([
      { first: 1, last: 2, kind: 'P', model: 'claude-4.5-sonnet' },
      { first: 4, last: 4, kind: 'P', model: 'gpt-5.2-codex' },
    ]);
  });

  it('says nothing in another schema, without its metadata, or in an entry that is none', () => {
    for (const other of [
      note.replace('authorship/3', 'authorship/9'),
      note.split('---')[0]!,
      '',
      'reviewed by Bo\n',
    ]) {
      expect(gitAiClaims(other)).toEqual(new Map());
    }
    const odd = note.replace('1-4,9', '0-3').replace('h_aabbccddeeff00 6', 'x_12 6').replace('2-3', '3-x');
    expect(gitAiClaims(odd).get('src/anchor.ts')).toEqual([]);
    expect(gitAiClaims(odd).get('docs/port map.md')).toEqual([]);
  });
});

describe('declaredRanges', () => {
  it('gives each line once, whatever claims overlap, in ascending order', () => {
    const ranges = declaredRanges([
      { first: 10, last: 20, kind: 'P' },
      { first: 1, last: 12, kind: 'P', model: 'a' },
      { first: 11, last: 11, kind: 'H' },
      { first: 1, last: 3, kind: 'H' },
      { first: 9, last: 8, kind: 'P' },
    ]);
    expect(ranges).toEqual([
      { start: 0, count: 12, kind: 'P', source: 'agent', model: 'a' },
      { start: 12, count: 8, kind: 'P', source: 'agent' },
    ]);
  });

  it('keeps within what a commit may carry', () => {
    const claims = Array.from({ length: 60_000 }, (_, i) => ({
      first: 2 * i + 1,
      last: 2 * i + 1,
      kind: 'P' as const,
    }));
    expect(declaredRanges(claims)).toHaveLength(MAX_FILE_LINES);
    expect(declaredRanges([{ first: 1, last: 9_999_999_999, kind: 'H' }])).toEqual([
      { start: 0, count: 2_147_483_647, kind: 'H' },
    ]);
  });
});
