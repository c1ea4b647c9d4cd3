import { declaration, declarationPattern, defaultDeclarationPatterns } from './declaration';

const human = {
  authorName: 'Ada Example',
  authorEmail: 'ada@example.org',
  committerName: 'Ada Example',
  committerEmail: 'ada@example.org',
  message: 'feat: add a thing\n\nSigned-off-by: Ada Example <ada@example.org>\n',
};
const withTrailer = (...lines: string[]) => ({
  ...human,
  message: `subject\n\nbody\n\n${lines.join('\n')}\n`,
});

describe('declaration', () => {
  it('finds nothing in a commit by people', () => {
    expect(declaration(human)).toBeUndefined();
    expect(
      declaration({ ...human, authorName: 'Claude Monet', authorEmail: 'claude@example.org' }),
    ).toBeUndefined();
    expect(declaration({ ...human, authorName: 'Devin Smith' })).toBeUndefined();
    expect(declaration(withTrailer('Co-authored-by: Gemini Ganesan <gg@example.org>'))).toBeUndefined();
    for (const tool of ['protoc-gen-go v1.36', 'coccinelle', 'Bo Example <bo@example.org>']) {
      expect(declaration(withTrailer(`Generated-by: ${tool}`, `Assisted-by: ${tool}`))).toBeUndefined();
    }
    expect(
      declaration({ ...human, message: 'fix: claude config\n\nThis was not made by copilot.' }),
    ).toBeUndefined();
  });

  it('knows the subjects that aider once gave to its commits, and no others', () => {
    const by = (message: string) => declaration({ ...human, message })?.by;
    expect(by('aider: Split file content into words.')).toBe('subject');
    expect(by('docs: say what aider: means')).toBeUndefined();
    expect(by('aider settings: add a model')).toBeUndefined();
    expect(by('fix\n\naider: is what the subject once began with')).toBeUndefined();
  });

  it('takes the author before the committer before a trailer', () => {
    const aider = { tool: 'aider', source: 'agent' };
    expect(declaration({ ...human, authorName: 'Ada (aider)', committerName: 'Ada (aider)' })).toEqual({
      ...aider,
      by: 'author',
    });
    expect(declaration({ ...human, committerName: 'Ada (aider)' })).toEqual({ ...aider, by: 'committer' });
    expect(declaration(withTrailer('Co-authored-by: aider (openai/gpt-5.2) <aider@aider.chat>'))).toEqual({
      ...aider,
      by: 'trailer',
      model: 'openai/gpt-5.2',
    });
  });

  it.each([
    ['claude-code', 'Co-Authored-By: Claude Opus 4.6 <noreply@anthropic.com>', 'Claude Opus 4.6'],
    ['claude-code', 'Assisted-by: Claude:claude-opus-4-6', 'claude-opus-4-6'],
    ['claude-code', 'Generated-by: Claude Code', undefined],
    [
      'claude-code',
      'Co-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>',
      'Claude Opus 4.6',
    ],
    ['aider', 'Co-authored-by: aider (claude-opus-4-6) <aider@aider.chat>', 'claude-opus-4-6'],
    ['unnamed', 'Assisted-by: GPT-5.2', 'GPT-5.2'],
    ['unnamed', 'Generated-by: ChatGPT', undefined],
    ['unnamed', 'Assisted-by: Housebot:qwen3-coder', 'qwen3-coder'],
    ['cursor', 'Co-authored-by: Cursor <cursoragent@cursor.com>', undefined],
    ['copilot', 'Co-authored-by: Copilot <175728472+Copilot@users.noreply.github.com>', undefined],
    ['copilot', 'Generated-by: GitHub Copilot', undefined],
    ['codex', 'Co-authored-by: Codex <noreply@openai.com>', undefined],
    ['gemini', 'Assisted-by: Gemini CLI', undefined],
    ['opencode', 'Co-authored-by: opencode <noreply@opencode.ai>', undefined],
    ['kilo', 'Co-authored-by: Kilo Code <noreply@kilocode.ai>', undefined],
  ])('knows %s by the trailer %s', (tool, trailer, model) => {
    expect(declaration(withTrailer('Reviewed-by: Bo <bo@example.org>', trailer))).toEqual({
      tool,
      by: 'trailer',
      source: 'agent',
      ...(model !== undefined && { model }),
    });
  });

  it.each([
    ['copilot', 'copilot-swe-agent[bot]', '198982749+Copilot@users.noreply.github.com'],
    ['devin', 'devin-ai-integration[bot]', '158243242+devin-ai-integration[bot]@users.noreply.github.com'],
    ['cursor', 'Cursor Agent', 'cursoragent@cursor.com'],
    ['claude-code', 'Claude', 'noreply@anthropic.com'],
    ['jules', 'google-labs-jules[bot]', '161369871+google-labs-jules[bot]@users.noreply.github.com'],
  ])('knows %s by the author %s', (tool, authorName, authorEmail) => {
    expect(declaration({ ...human, authorName, authorEmail })).toMatchObject({ tool, by: 'author' });
  });

  it('takes patterns of a user beside the known ones', () => {
    const own = [
      ...defaultDeclarationPatterns,
      declarationPattern('house-bot', { author: '^house bot <', trailer: '^AI-Tool: *house' }),
    ];
    expect(declaration({ ...human, authorName: 'House Bot' }, own)).toMatchObject({
      tool: 'house-bot',
      by: 'author',
    });
    expect(declaration(withTrailer('AI-Tool: house 2'), own)).toMatchObject({
      tool: 'house-bot',
      by: 'trailer',
    });
    expect(() => declarationPattern('bad', { author: '(' })).toThrow(SyntaxError);
  });
});
