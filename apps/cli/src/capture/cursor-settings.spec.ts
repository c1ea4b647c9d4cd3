import { cursorSettings } from './cursor-settings';
import type { JsonObject } from './hook-settings';

const COMMAND = '/home/ada/.lineprint/bin/lineprint-hook cursor';
const others: JsonObject = {
  version: 1,
  hooks: { afterFileEdit: [{ command: './format.sh' }], stop: [{ command: './say.sh' }], sessionStart: [] },
};

describe("Cursor's hooks file", () => {
  it('gets our command for edits, tool calls and completions, beside the hooks that are there', () => {
    expect(cursorSettings.add({}, COMMAND)).toEqual({
      version: 1,
      hooks: {
        afterFileEdit: [{ command: COMMAND }],
        postToolUse: [{ command: COMMAND }],
        afterTabFileEdit: [{ command: COMMAND }],
      },
    });
    expect(cursorSettings.add(others, COMMAND)).toMatchObject({
      hooks: {
        afterFileEdit: [{ command: './format.sh' }, { command: COMMAND }],
        stop: [{ command: './say.sh' }],
      },
    });
  });

  it('has our command once, however often it is installed', () => {
    const once = cursorSettings.add(others, COMMAND.replace('/home/ada', '/opt/old'));
    expect(cursorSettings.add(once, COMMAND)).toEqual(cursorSettings.add(others, COMMAND));
  });

  it('is as before without it', () => {
    expect(cursorSettings.remove(cursorSettings.add(others, COMMAND))).toEqual(others);
    for (const settings of [{}, others, { version: 1, hooks: 'none' }] satisfies JsonObject[]) {
      expect(cursorSettings.remove(settings)).toEqual(settings);
    }
  });
});
