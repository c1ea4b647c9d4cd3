import { unifiedDiffSides } from './unified-diff';

describe('unifiedDiffSides', () => {
  it('ends a hunk where its header says, so that `--- x` may be a removed line', () => {
    const diff = '--- a\n+++ b\n@@ -1,2 +1,2 @@ f()\n keep\n--- x\n+++ x\n@@ -9 +9,0 @@\n-last\n';
    expect(unifiedDiffSides(diff)).toEqual({ before: 'keep\n-- x\nlast\n', after: 'keep\n++ x\n' });
  });

  it('knows empty lines without their mark, CRLF and missing line ends', () => {
    const diff = '@@ -1,3 +1,3 @@\r\n a\r\n\r\n-b\r\n\\ No newline at end of file\r\n+c\r\n';
    expect(unifiedDiffSides(diff)).toEqual({ before: 'a\n\nb\n', after: 'a\n\nc\n' });
  });

  it('gives nothing for a text without hunks', () => {
    expect(unifiedDiffSides('Binary files differ\n')).toEqual({ before: '', after: '' });
  });
});
