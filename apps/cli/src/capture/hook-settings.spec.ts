import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claudeCodeSettings } from './claude-code-settings';
import { installHook, removeHook } from './hook-settings';

const COMMAND = '/home/ada/.lineprint/bin/lineprint-hook claude-code';
/** As a person writes it, not as a program would. */
const SETTINGS = `{
    "model": "opus",
    "hooks": { "PreToolUse": [ {"matcher": "Bash", "hooks": []} ],
      "PostToolUse": [ {"matcher": "Edit", "hooks": [ {"type": "command", "command": "prettier"} ]} ] }
}`;

describe('the hook in the settings of Claude Code', () => {
  let folder: string;
  let path: string;
  let records: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lineprint-settings-'));
    path = join(folder, '.claude/settings.json');
    records = join(folder, 'records');
    mkdirSync(join(folder, '.claude'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const install = (command = COMMAND) => installHook(claudeCodeSettings, { path, command, records });
  const remove = () => removeHook(claudeCodeSettings, { path, records });
  const text = () => readFileSync(path, 'utf8');
  const settings = () => JSON.parse(text()) as { hooks: Record<string, { hooks: { command: string }[] }[]> };
  const commands = () =>
    settings().hooks['PostToolUse']!.flatMap(({ hooks }) => hooks.map((hook) => hook.command));

  it('is added to what is there, and removal gives the file back to the letter', () => {
    writeFileSync(path, SETTINGS, { mode: 0o640 });
    expect(install()).toBe('installed');
    expect(commands()).toEqual(['prettier', COMMAND]);
    expect(settings()).toMatchObject({ model: 'opus', hooks: { PreToolUse: [{ matcher: 'Bash' }] } });
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(remove()).toBe('removed');
    expect(text()).toBe(SETTINGS);
  });

  it('makes a file where there is none, and removal takes it away', () => {
    expect(install()).toBe('installed');
    expect(commands()).toEqual([COMMAND]);
    expect(remove()).toBe('removed');
    expect(existsSync(path)).toBe(false);
  });

  it('is there once, however often it is installed, and with its newest command', () => {
    writeFileSync(path, SETTINGS);
    install();
    expect(install()).toBe('unchanged');
    expect(install(COMMAND.replaceAll('ada', 'eve'))).toBe('installed');
    expect(commands()).toEqual(['prettier', COMMAND.replaceAll('ada', 'eve')]);
    install('/usr/bin/node /home/ada/.lineprint/bin/hook.cjs claude-code --state /home/ada/.lineprint');
    expect(commands()).toHaveLength(2);
    remove();
    expect(text()).toBe(SETTINGS);
  });

  it('alone is removed where somebody has changed the file since', () => {
    writeFileSync(path, SETTINGS);
    install();
    writeFileSync(path, text().replace('"opus"', '"sonnet"'));
    expect(remove()).toBe('removed');
    expect(JSON.parse(text())).toEqual({ ...(JSON.parse(SETTINGS) as object), model: 'sonnet' });
    expect(remove()).toBe('not-installed');
  });

  it('is installed again over a changed file, and removed from it', () => {
    install();
    writeFileSync(path, JSON.stringify({ ...settings(), model: 'haiku' }));
    expect(install(COMMAND.replace('ada', 'eve'))).toBe('installed');
    expect(remove()).toBe('removed');
    expect(JSON.parse(text())).toEqual({ model: 'haiku' });
  });

  it('follows a link, which stays one', () => {
    const target = join(folder, 'dotfiles.json');
    writeFileSync(target, SETTINGS);
    symlinkSync(target, path);
    install();
    expect(readFileSync(target, 'utf8')).toContain('lineprint-hook');
    remove();
    expect(readFileSync(target, 'utf8')).toBe(SETTINGS);
  });

  it('leaves a file alone that it cannot read', () => {
    for (const broken of ['{ "model": ', '[]', '// comment\n{}']) {
      writeFileSync(path, broken);
      expect(install).toThrow(expect.objectContaining({ code: 'settings-unreadable' }));
      expect(text()).toBe(broken);
    }
  });

  it('is not found where it was never installed', () => {
    expect(remove()).toBe('not-installed');
    writeFileSync(path, SETTINGS);
    expect(remove()).toBe('not-installed');
    expect(text()).toBe(SETTINGS);
  });
});
