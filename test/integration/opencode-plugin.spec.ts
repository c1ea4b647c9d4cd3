import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CaptureState, loadProgress, readInbox, Spool } from '@lineprint/capture';
import { codeGenStatsSchema, type CodeFingerprint, type CodeGenStats } from '@lineprint/contracts';
import type { PluginHooks } from '../../integrations/opencode-plugin/plugin.js' with {
  'resolution-mode': 'import',
};
import { LINE_KEY, lineprintOutput } from '../programs';

jest.setTimeout(60_000);

const NOW = Date.UTC(2026, 10, 5, 9);
const MODEL = { providerID: 'anthropic', modelID: 'claude-sonnet-4-5' };
const SESSION = 'ses_main';
const CHILD = 'ses_child';

describe('the plugin for OpenCode and Kilo Code', () => {
  let folder: string;
  let state: CaptureState;
  let hooks: PluginHooks;
  let sent: CodeGenStats[];
  let sending: () => Promise<void>;

  const start = async (parents: Record<string, string> = {}) => {
    const { lineprintPlugin } = await import('../../integrations/opencode-plugin/plugin.js');
    const client = {
      sendStats: async (stats: CodeGenStats) => {
        await sending();
        sent.push(stats);
      },
    };
    const get = ({ path: { id } }: { path: { id: string } }) => {
      const parentID = parents[id];
      return Promise.resolve({ data: { id, ...(parentID && { parentID }) } });
    };
    const plugin = lineprintPlugin('opencode', { state, now: () => NOW, client });
    return plugin({ directory: join(folder, 'fleet'), client: { session: { get } } });
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lineprint-opencode-'));
    execFileSync('git', ['init', '-q', join(folder, 'fleet')]);
    state = new CaptureState(join(folder, 'state'));
    state.saveSettings({
      ...{ url: 'http://127.0.0.1:9', apiKey: 'lp_test', userId: 'ada@example.org', orgId: 'fleet' },
      ...{ keyId: 'key-1', lineKey: LINE_KEY.toString('base64'), enrolledAt: NOW },
    });
    sent = [];
    sending = () => Promise.resolve();
    hooks = await start();
    await hooks['chat.message']({ sessionID: SESSION, model: MODEL });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const path = (name: string) => join(folder, 'fleet', name);
  const call = async (
    tool: string,
    callID: string,
    args: Record<string, unknown>,
    metadata: unknown,
    sessionID = SESSION,
  ) => {
    await hooks['tool.execute.before']({ tool, sessionID, callID }, { args });
    if (tool === 'write') writeFileSync(args['filePath'] as string, args['content'] as string);
    await hooks['tool.execute.after']({ tool, sessionID, callID, args }, { title: '', output: '', metadata });
  };
  const write = (name: string, content: string, sessionID = SESSION) => {
    const filePath = path(name);
    return call('write', `write_${name}`, { filePath, content }, { filepath: filePath }, sessionID);
  };
  const edit = (name: string, before: string, oldString: string, newString: string) => {
    const filePath = path(name);
    writeFileSync(filePath, before);
    const filediff = { file: filePath, patch: '', additions: 1, deletions: 1 };
    return call('edit', `edit_${name}`, { filePath, oldString, newString }, { diff: '', filediff });
  };
  const idle = (sessionID = SESSION) =>
    hooks.event({ event: { type: 'session.idle', properties: { sessionID } } });
  const created = (id: string, parentID?: string) =>
    hooks.event({ event: { type: 'session.created', properties: { info: { id, parentID } } } });
  const captured = () => {
    readInbox(state, NOW);
    const spool = new Spool(state.spoolDirectory);
    return spool
      .segments()
      .flatMap(({ name }) => spool.read(name).map((record) => JSON.parse(record) as CodeFingerprint))
      .sort((a, b) => (a.codeId < b.codeId ? -1 : 1));
  };
  const log = () => {
    try {
      return readFileSync(state.logPath, 'utf8');
    } catch {
      return '';
    }
  };

  it('captures the lines that a write adds to the file that it found, with the model of the last message', async () => {
    writeFileSync(path('pilot.go'), 'package fleet\n');
    await write('pilot.go', 'package fleet\n\nfunc Pilot(v Vessel) string {\n\treturn v.pilot.Name()\n}\n');
    expect(captured()).toEqual([
      expect.objectContaining({
        sessionId: SESSION,
        userId: 'ada@example.org',
        repository: 'fleet',
        source: 'chat',
        model: 'anthropic/claude-sonnet-4-5',
        lineCount: 4,
        client: expect.objectContaining({ name: 'opencode' }),
      }),
    ]);
  });

  it('captures edits and new files, and nothing of other tools', async () => {
    await write('new.go', 'package fleet\n');
    await edit('old.go', 'a := 1\nb := 2\n', 'b := 2', 'b := tonnage(a)');
    await call('bash', 'call_bash', { command: 'ls' }, { output: '' });
    expect(captured().map(({ lineCount }) => lineCount)).toEqual([1, 1]);
    expect(log()).toBe('');
  });

  it("captures a sub-agent's patch as an agent's, under the session that it is", async () => {
    await created(CHILD, SESSION);
    const files = [
      { filePath: path('a.go'), type: 'add', patch: '@@ -0,0 +1,1 @@\n+package a\n' },
      { filePath: path('b.go'), type: 'move', movePath: path('c.go'), patch: '@@ -1,1 +1,1 @@\n-x\n+y\n' },
      { filePath: path('d.go'), type: 'delete', patch: '@@ -1,1 +0,0 @@\n-x\n' },
    ];
    await call('apply_patch', 'patch', { patchText: '' }, { diff: '', files }, CHILD);
    const sessions = captured().map(({ sessionId, parentSessionId, source }) => [
      sessionId,
      parentSessionId,
      source,
    ]);
    expect(sessions).toEqual([
      [CHILD, SESSION, 'agent'],
      [CHILD, SESSION, 'agent'],
    ]);
  });

  it('asks for the parent of a session that it has not seen begin', async () => {
    hooks = await start({ [CHILD]: SESSION });
    await write('a.go', 'package a\n', CHILD);
    expect(captured()[0]).toMatchObject({
      sessionId: CHILD,
      parentSessionId: SESSION,
      source: 'agent',
    });
  });

  it('sums a session up when it comes to rest: its own edits as chat, those of its sub-agents as agent', async () => {
    await created(CHILD, SESSION);
    await created('ses_grandchild', CHILD);
    await edit('old.go', 'a := 1\nb := 2\n', 'b := 2', 'b := tonnage(a)\nc := b');
    await write('a.go', 'package a\n\nvar A = 1\n', CHILD);
    await write('b.go', 'package b\n', 'ses_grandchild');
    await idle(CHILD);
    expect(sent).toEqual([]);
    await idle();
    const [stats] = sent;
    expect(codeGenStatsSchema.parse(stats)).toEqual(stats);
    expect(stats).toMatchObject({
      sessionId: SESSION,
      userId: 'ada@example.org',
      repository: 'fleet',
      timestamp: NOW,
      chat: { edits: 1, additions: 2, deletions: 1 },
      agent: { tasks: 2, additions: 4, deletions: 0 },
    });
    const ids = [...stats!.chat!.fingerprints, ...stats!.agent!.fingerprints];
    expect(ids.sort()).toEqual(captured().map(({ codeId }) => codeId));
  });

  it('sends running totals, and again what a server that was away did not get', async () => {
    sending = () => Promise.reject(new Error('away'));
    await write('a.go', 'package a\n');
    await idle();
    expect(log()).toContain('a session was not summed up: Error: away');
    sending = () => Promise.resolve();
    await write('b.go', 'package b\n');
    await idle();
    expect(sent).toEqual([
      expect.objectContaining({ chat: expect.objectContaining({ edits: 2, additions: 2 }) }),
    ]);
    expect(sent[0]!.chat!.fingerprints.toSorted()).toEqual(captured().map(({ codeId }) => codeId));
  });

  it('says nothing of a session that wrote nothing', async () => {
    await idle();
    expect(sent).toEqual([]);
  });

  it('fails no call of the assistant, whatever it cannot read, and says so in its log', async () => {
    mkdirSync(path('folder'));
    await call('edit', 'call_odd', { filePath: path('x') }, null);
    await hooks['tool.execute.before'](
      { tool: 'write', sessionID: SESSION, callID: 'call_folder' },
      { args: { filePath: path('folder'), content: 'x\n' } },
    );
    await hooks['tool.execute.after'](
      {
        tool: 'write',
        sessionID: SESSION,
        callID: 'call_folder',
        args: { filePath: path('folder'), content: 'x\n' },
      },
      { title: '', output: '', metadata: { exists: true } },
    );
    await hooks.event({ event: { type: 'session.idle' } });
    expect(captured()).toEqual([]);
    expect(log()).toContain('a file could not be read');
    expect(log()).toContain('an event was not understood');
    expect(loadProgress(state.progressPath).sent).toBe(0);
  });

  it('captures nothing on a machine that is not enrolled, and says how to enrol it', async () => {
    state = new CaptureState(join(folder, 'elsewhere'));
    hooks = await start();
    await write('a.go', 'package a\n');
    await idle();
    expect(sent).toEqual([]);
    expect(log()).toContain('lineprint login');
  });
});

describe('lineprint capture install opencode', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'lineprint-home-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));
  const run = (...args: string[]) => lineprintOutput(['capture', 'install', ...args], { HOME: home });

  it('names a plugin that loads by itself, and takes it out again', async () => {
    await run('opencode');
    const path = join(home, '.config/opencode/plugins/lineprint.js');
    const script = `const { LineprintPlugin } = await import(${JSON.stringify(path)});
      process.stdout.write(Object.keys(await LineprintPlugin({ directory: '/' })).join());`;
    const hooks = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(hooks).toBe('chat.message,tool.execute.before,tool.execute.after,event');
    await run('opencode', '--uninstall');
    expect(existsSync(path)).toBe(false);
  });

  it("leaves somebody else's plugin of that name alone", async () => {
    const path = join(home, '.config/kilo/plugins/lineprint.js');
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'export const Mine = async () => ({});\n');
    for (const args of [['kilo'], ['kilo', '--uninstall']]) {
      await expect(run(...args)).rejects.toThrow('plugin-foreign');
    }
    expect(readFileSync(path, 'utf8')).toContain('Mine');
  });
});
