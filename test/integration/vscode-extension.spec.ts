import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { addedSpans, CaptureState, readInbox, requestBody, Spool, type Survival } from '@lineprint/capture';
import { codeFingerprintSchema, codeGenStatsSchema, type CodeGenStats } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import { listCommits, openRepository, sendHistory } from '@lineprint/git';
import {
  type Acceptance,
  Acceptances,
  type Clock,
  MAX_DOCUMENT,
} from '../../integrations/vscode-extension/src/acceptances';
import type { LineprintApi } from '../../integrations/vscode-extension/src/extension';
import { embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { LINE_KEY } from '../programs';

jest.setTimeout(120_000);

const EXTENSION = join(__dirname, '../../integrations/vscode-extension');
const MANIFEST = JSON.parse(readFileSync(join(EXTENSION, 'package.json'), 'utf8')) as {
  version: string;
  contributes: {
    keybindings: { key: string; command: string; args: { commands: unknown[] }; when: string }[];
  };
};

interface ContentChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

interface RecordedStep {
  readonly afterMs: number;
  readonly changes?: readonly ContentChange[];
  readonly reason?: number;
  /** The command has run: it takes all of the completion, or a part. */
  readonly accepted?: 'whole' | 'part';
  /** The document as the editor had it then. */
  readonly text?: string;
}

/** What an editor told of a document, step by step, while completions of a provider were accepted in it. */
interface Recording {
  readonly name: string;
  readonly before: string;
  readonly steps: readonly RecordedStep[];
}

const { recordings } = JSON.parse(readFileSync(join(EXTENSION, 'fixtures/recorded-edits.json'), 'utf8')) as {
  recordings: Recording[];
};
const recordingOf = (name: string) => recordings.find((recording) => recording.name === name)!;

const applied = (text: string, { rangeOffset, rangeLength, text: added }: ContentChange) =>
  text.slice(0, rangeOffset) + added + text.slice(rangeOffset + rangeLength);
const insertion = (rangeOffset: number, text: string): ContentChange => ({
  rangeOffset,
  rangeLength: 0,
  text,
});
const removal = (rangeOffset: number, rangeLength: number): ContentChange => ({
  rangeOffset,
  rangeLength,
  text: '',
});

describe('completions, by what an editor tells of its documents', () => {
  let time: number;
  let timers: { at: number; action: () => void }[];
  const clock: Clock = {
    now: () => time,
    later(ms, action) {
      const timer = { at: time + ms, action };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  const pass = (ms: number) => {
    const end = time + ms;
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      time = next.at;
      timers = timers.filter((timer) => timer !== next);
      next.action();
    }
    time = end;
  };

  let accepted: Acceptance[];
  let checks: [afterSeconds: number, survival: Survival][];
  let skipped: string[];
  let acceptances: Acceptances;
  let text: string;
  beforeEach(() => {
    time = 1_790_000_000_000;
    timers = [];
    accepted = [];
    checks = [];
    skipped = [];
    acceptances = new Acceptances(clock, {
      accepted: (acceptance) => accepted.push(acceptance),
      checked: (_path, afterSeconds, survival) => checks.push([afterSeconds, survival]),
      skipped: (why) => skipped.push(why),
    });
  });

  const open = (before: string) => {
    text = before;
    acceptances.open({ id: 'doc', path: '/repo/a.ts', getText: () => text });
  };
  const edit = (...changes: ContentChange[]) => change(changes);
  const change = (changes: readonly ContentChange[], isUndo = false) => {
    text = changes.reduce(applied, text);
    acceptances.edited('doc', {
      isUndo,
      changes: changes.map(({ rangeOffset, rangeLength, text: added }) => ({
        offset: rangeOffset,
        removed: rangeLength,
        text: added,
      })),
    });
  };
  const accept = (partially = false) => acceptances.accepted('doc', partially);
  const replay = ({ before, steps }: Recording) => {
    open(before);
    for (const step of steps) {
      pass(step.afterMs);
      if (step.changes) change(step.changes, step.reason !== undefined);
      if (step.accepted) {
        expect(text).toBe(step.text);
        accept(step.accepted === 'part');
      }
    }
    pass(5000);
  };
  const addedLines = ({ before, after }: Acceptance) => {
    const lines = after.split(/\r?\n/);
    return addedSpans(before, after).flatMap(({ first, last }) => lines.slice(first, last + 1));
  };

  const FLOOD = [
    'export function isFlood(now: Tide, before: Tide): boolean {',
    '  return now.heightCm > before.heightCm;',
    '}',
  ];

  describe('as it was recorded', () => {
    it.each([
      ['of several lines, in place of what was typed of it', 'whole', FLOOD, 'insert'],
      ['in the moment after more of it was typed', 'through', FLOOD, 'insert'],
      ['in a file with CRLF', 'crlf', FLOOD, 'insert'],
      [
        'with tab stops, which goes in by two edits, but not what is typed at the stops',
        'snippet',
        ['for (const berth of berths) {', '  moor(berth, );', '})'],
        'replace',
      ],
      ['in the middle of a line', 'replace', ['let depthCm = sounding.depthCm + tide.heightCm;'], 'insert'],
      [
        'that adds an import by a command: the completion, not the import',
        'command',
        ['import me please, harbour master'],
        'insert',
      ],
      [
        'in an indented line, whose end the editor had closed',
        'indent',
        ['    if (tide.isSpring) {', '    gates.open();', '  }'],
        'replace',
      ],
      [
        'taken by two words and then whole, once',
        'words',
        ['const ebbMinutes = flood.durationMinutes - slack.durationMinutes;'],
        'insert',
      ],
    ])('one %s', (_, name, lines, kind) => {
      replay(recordingOf(name));
      expect(accepted.map(addedLines)).toEqual([lines]);
      expect(accepted[0]).toMatchObject({ path: '/repo/a.ts', kind, partially: false });
      expect(skipped).toEqual([]);
    });

    it('and nothing of what was typed, pasted and undone', () => {
      replay(recordingOf('paste'));
      expect(accepted).toEqual([]);
    });
  });

  it('are told of as partial when somebody takes the next words only, together, after a pause', () => {
    open('const a = ;\n');
    edit(insertion(10, 'tide'));
    accept(true);
    pass(30);
    edit(insertion(14, '.'));
    accept(true);
    pass(1900);
    expect(accepted).toEqual([]);
    pass(200);
    expect(accepted).toEqual([
      expect.objectContaining({
        before: 'const a = ;\n',
        after: 'const a = tide.;\n',
        partially: true,
        characters: 5,
      }),
    ]);
  });

  it('are two when something is typed between their parts', () => {
    open('\n');
    edit(insertion(0, 'tide'));
    accept(true);
    pass(500);
    edit(insertion(4, '('));
    pass(500);
    edit(insertion(5, 'now'));
    accept(true);
    pass(2500);
    expect(accepted.map(({ before, after }) => [before, after])).toEqual([
      ['\n', 'tide\n'],
      ['tide(\n', 'tide(now\n'],
    ]);
  });

  it('are two when a second one is taken elsewhere while the first has parts', () => {
    open('one\ntwo\n');
    edit(insertion(3, ' moored'));
    accept(true);
    pass(500);
    edit(insertion(14, ' adrift'));
    accept();
    expect(accepted.map(({ partially, characters }) => [partially, characters])).toEqual([
      [true, 7],
      [false, 7],
    ]);
  });

  it('are none when the command put nothing there: no edit, an old one, an undo, a removal', () => {
    open('const a = 1;\n');
    accept();
    edit(insertion(0, 'typed long ago'));
    pass(1500);
    accept();
    change([insertion(0, 'undone')], true);
    accept();
    edit(removal(0, 5));
    accept();
    expect(accepted).toEqual([]);
    expect(skipped).toHaveLength(4);
  });

  it('are counted once though the command is told of twice', () => {
    open('\n');
    edit(insertion(0, 'const a = 1;'));
    accept();
    accept();
    expect(accepted).toHaveLength(1);
  });

  it('are known after thousands of edits before them', () => {
    open('\n');
    for (let i = 0; i < 5000; i++) {
      edit(insertion(i, String(i % 10)));
      pass(10);
    }
    edit(insertion(5000, ' + sounding'));
    accept();
    expect(accepted[0]!.before).toBe(`${Array.from({ length: 5000 }, (_, i) => i % 10).join('')}\n`);
  });

  it('are not captured in a document larger than a commit carries', () => {
    open('x'.repeat(MAX_DOCUMENT + 1));
    edit(insertion(0, 'const a = 1;'));
    accept();
    acceptances.close('doc');
    open('x'.repeat(MAX_DOCUMENT));
    edit(insertion(0, 'const a = 1;'));
    accept();
    expect(accepted).toEqual([]);
    expect(new Set(skipped)).toEqual(new Set(['the document is too large, or in no file']));
  });

  it('are not captured where the document is not what its changes make of it, and are after that', () => {
    open('a\n');
    text = 'somebody changed it unseen\n';
    edit(insertion(0, 'const a = 1;'));
    accept();
    expect(accepted).toEqual([]);
    edit(insertion(0, 'const b = 2;'));
    accept();
    expect(accepted).toHaveLength(1);
  });

  describe('after their acceptance', () => {
    const COMPLETION = 'const free = berths.filter((berth) => berth.isFree(tide));\n';
    const take = (before = 'import a;\n\nexport default free;\n') => {
      open(before);
      edit(insertion(10, COMPLETION));
      accept();
    };
    const seconds = () => checks.map(([afterSeconds]) => afterSeconds);
    const stillIn = () => checks.map(([, { stillInCode }]) => stillInCode);

    it('are looked at 15 and 30 seconds, 2, 5 and 10 minutes later, and never again', () => {
      take();
      pass(14_999);
      expect(seconds()).toEqual([]);
      pass(1);
      expect(seconds()).toEqual([15]);
      pass(3_600_000);
      expect(seconds()).toEqual([15, 30, 120, 300, 600]);
      expect(checks.every(([, { wordSimilarity }]) => wordSimilarity === 1)).toBe(true);
      expect(timers).toEqual([]);
    });

    it('are found where they moved to with what was written, pasted and removed above', () => {
      take(`import a;\n\n${'// old\n'.repeat(200)}`);
      edit(insertion(0, '// licence\n'.repeat(500)));
      edit(removal(3, 11));
      edit(insertion(text.length, '// more\n'));
      pass(600_000);
      expect(stillIn()).toEqual([true, true, true, true, true]);
      expect(checks.at(-1)![1]).toEqual({ wordSimilarity: 1, charSimilarity: 1, stillInCode: true });
    });

    it('are gone once they are removed, and were there before', () => {
      take();
      pass(20_000);
      edit(removal(10, COMPLETION.length));
      pass(600_000);
      expect(stillIn()).toEqual([true, false, false, false, false]);
    });

    it('stand while at most half of their words are others, and less of them by characters', () => {
      take();
      edit(
        { rangeOffset: 16, rangeLength: 4, text: 'open' },
        { rangeOffset: text.indexOf('tide'), rangeLength: 4, text: 'hour' },
      );
      pass(15_000);
      const [[, survival]] = checks as [[number, Survival]];
      expect(survival.stillInCode).toBe(true);
      expect(survival.wordSimilarity).toBeLessThan(1);
      expect(survival.charSimilarity).toBeLessThan(1);
    });

    it('are looked at no more when their document is closed', () => {
      take();
      pass(20_000);
      acceptances.close('doc');
      pass(600_000);
      expect(seconds()).toEqual([15]);
      expect(timers).toEqual([]);
    });

    it('are followed from the part that was taken first, while further parts come and others write', () => {
      open('\n\n');
      edit(insertion(1, 'const free = '));
      accept(true);
      pass(500);
      edit(insertion(14, 'berths.filter(isFree);'));
      accept(true);
      edit(insertion(0, '// above\n'.repeat(100)));
      pass(2000 + 600_000);
      expect(accepted).toHaveLength(1);
      expect(checks.map(([, { charSimilarity }]) => charSimilarity)).toEqual([1, 1, 1, 1, 1]);
    });

    it('are taken as they are when the editor ends before a pause', () => {
      open('\n');
      edit(insertion(0, 'tide'));
      accept(true);
      acceptances.dispose();
      expect(accepted).toEqual([expect.objectContaining({ partially: true })]);
      expect(timers).toEqual([]);
    });
  });
});

interface FakeDocument {
  readonly uri: FakeUri;
  text: string;
  getText(): string;
}

interface FakeUri {
  readonly scheme: string;
  readonly path: string;
  readonly fsPath: string;
  toString(): string;
}

/** An editor without a window: the part of its API that the extension uses, driven by a test. */
class FakeEditor {
  readonly documents: FakeDocument[] = [];
  readonly settings = new Map<string, unknown>();
  readonly answers: string[] = [];
  readonly said: string[] = [];
  readonly output: string[] = [];
  readonly commands = new Map<string, (argument?: unknown) => unknown>();
  readonly notebooks: { uri: FakeUri; getCells(): { document: FakeDocument }[] }[] = [];
  readonly statusBar = { text: '', tooltip: '', command: '', isShown: false };
  readonly context = { subscriptions: [] as { dispose(): unknown }[] };
  shown: FakeDocument | undefined;
  private readonly changed = new Listeners();
  private readonly closed = new Listeners();
  private readonly visible = new Listeners();
  private provider: { provideTextDocumentContent(uri: FakeUri): string } | undefined;

  static uri(text: string): FakeUri {
    const [scheme, rest] = [text.slice(0, text.indexOf(':')), text.slice(text.indexOf(':') + 1)];
    const path = rest.replace(/^\/\//, '').replace(/#.*/, '');
    return { scheme, path, fsPath: path, toString: () => text };
  }

  /** What `require('vscode')` gives. */
  get api(): object {
    const [changed, closed, visible] = [this.changed, this.closed, this.visible];
    const openDocuments = () => this.documents.map((document) => ({ document }));
    const active = () => (this.shown ? { document: this.shown } : undefined);
    return {
      EventEmitter: class {
        readonly event = () => ({ dispose: () => undefined });
        fire = () => undefined;
        dispose = () => undefined;
      },
      Uri: { parse: FakeEditor.uri },
      workspace: {
        notebookDocuments: this.notebooks,
        onDidChangeTextDocument: changed.add,
        onDidCloseTextDocument: closed.add,
        getConfiguration: () => ({
          get: (name: string, otherwise: unknown) => this.settings.get(name) ?? otherwise,
        }),
        registerTextDocumentContentProvider: (_: string, provider: typeof this.provider) => {
          this.provider = provider;
          return { dispose: () => undefined };
        },
        openTextDocument: (uri: FakeUri) =>
          Promise.resolve({ uri, text: this.provider!.provideTextDocumentContent(uri) }),
      },
      window: {
        get activeTextEditor() {
          return active();
        },
        get visibleTextEditors() {
          return openDocuments();
        },
        onDidChangeVisibleTextEditors: visible.add,
        createOutputChannel: () => ({
          appendLine: (line: string) => this.output.push(line),
          dispose: () => undefined,
        }),
        createStatusBarItem: () =>
          Object.assign(this.statusBar, {
            show: () => (this.statusBar.isShown = true),
            hide: () => (this.statusBar.isShown = false),
            dispose: () => undefined,
          }),
        showTextDocument: (document: FakeDocument) => {
          this.said.push(document.text);
          return Promise.resolve({ document });
        },
        showInputBox: () => Promise.resolve(this.answers.shift()),
        showInformationMessage: (message: string) => Promise.resolve(void this.said.push(message)),
        showErrorMessage: (message: string) => Promise.resolve(void this.said.push(message)),
      },
      commands: {
        registerCommand: (name: string, action: () => unknown) => {
          this.commands.set(name, action);
          return { dispose: () => this.commands.delete(name) };
        },
      },
    };
  }

  open(uri: string, text: string): FakeDocument {
    const document = {
      uri: FakeEditor.uri(uri),
      text,
      getText() {
        return this.text;
      },
    };
    this.documents.push(document);
    this.shown = document;
    this.visible.tell(this.documents.map((open) => ({ document: open })));
    return document;
  }

  close(document: FakeDocument): void {
    this.documents.splice(this.documents.indexOf(document), 1);
    this.closed.tell(document);
  }

  edit(document: FakeDocument, contentChanges: readonly ContentChange[], reason?: number): void {
    document.text = contentChanges.reduce(applied, document.text);
    this.changed.tell({ document, contentChanges, reason });
  }

  /** A completion of some provider is accepted by its key. */
  complete(document: FakeDocument, text: string): void {
    this.shown = document;
    this.edit(document, [insertion(document.text.length, text)]);
    this.commands.get('lineprint.accepted')!('whole');
  }

  replay(document: FakeDocument, { steps }: Recording): void {
    this.shown = document;
    for (const { changes, reason, accepted } of steps) {
      if (changes) this.edit(document, changes, reason);
      if (accepted) this.commands.get('lineprint.accepted')!(accepted);
    }
  }

  /** The window is closed. */
  end(): void {
    this.context.subscriptions.forEach((subscription) => subscription.dispose());
  }
}

class Listeners {
  private readonly all = new Set<(event: unknown) => unknown>();

  readonly add = (listener: (event: unknown) => unknown) => {
    this.all.add(listener);
    return { dispose: () => this.all.delete(listener) };
  };

  tell(event: unknown): void {
    this.all.forEach((listener) => listener(event));
  }
}

interface ExportedCommit {
  readonly sha: string;
  readonly files: readonly {
    readonly lines: readonly { start: number; count: number; kind: string; result: number }[];
    readonly results: readonly { match_source: string | null }[];
  }[];
}

/** Sends a repository's commits as `lineprint backfill` does. */
async function pushAll(organisation: Organisation, repository: string): Promise<void> {
  const opened = await openRepository(repository);
  const { refused } = await sendHistory(await listCommits(opened), {
    repository: opened,
    name: organisation.orgId,
    sink: organisation.client,
    lineKey: deriveLineKey(LINE_KEY, organisation.keyId),
    declarations: [],
  });
  expect(refused).toEqual([]);
}

interface ExtensionModule {
  activate(context: object, state: CaptureState): LineprintApi;
  deactivate(): void;
}

/** The extension as an editor starts it. @param main its file */
async function load(main: string, editor: FakeEditor): Promise<ExtensionModule> {
  let extension: ExtensionModule;
  await jest.isolateModulesAsync(async () => {
    jest.doMock('vscode', () => editor.api, { virtual: true });
    extension = (await import(main)) as ExtensionModule;
  });
  return extension!;
}

const settingsOf = (url: string, apiKey = 'lp_test') => ({
  url,
  apiKey,
  userId: 'ada@example.org',
  orgId: 'harbour',
  keyId: 'key-1',
  lineKey: LINE_KEY.toString('base64'),
  enrolledAt: Date.now(),
});

describe('the extension in an editor', () => {
  const SOURCE = join(EXTENSION, 'src/extension');
  const MINUTE = 60_000;
  let folder: string;
  let editor: FakeEditor;
  let state: CaptureState;
  let extension: ExtensionModule;
  let api: LineprintApi;
  let server: Server;
  let reports: CodeGenStats[];
  let isAway: boolean;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lineprint-vscode-'));
    for (const name of ['harbour', 'fleet']) execFileSync('git', ['init', '-q', join(folder, name)]);
    execFileSync('git', ['-C', join(folder, 'fleet'), 'config', 'user.email', 'grace@example.org']);
    reports = [];
    isAway = false;
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const bytes = Buffer.concat(parts);
        const isZipped = request.headers['content-encoding'] === 'gzip';
        if (!isAway && request.url === '/telemetry/code-gen-stats') {
          const json = (isZipped ? gunzipSync(bytes) : bytes).toString('utf8');
          reports.push(JSON.parse(json) as CodeGenStats);
        }
        response.statusCode = isAway ? 503 : 200;
        response.end(request.url === '/api/v1/enrolment' ? JSON.stringify(settingsOf('')) : 'true');
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    state = new CaptureState(join(folder, 'state'));
    state.saveSettings(settingsOf(url()));
    editor = new FakeEditor();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    await start();
  });
  afterEach(async () => {
    end();
    jest.useRealTimers();
    server.close();
    await once(server, 'close');
    rmSync(folder, { recursive: true, force: true });
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const start = async () => {
    extension = await load(SOURCE, editor);
    api = extension.activate(editor.context, state);
  };
  const end = () => {
    extension.deactivate();
    editor.end();
  };
  const fileUri = (path: string) => `file://${join(folder, path)}`;
  const run = async (command: string) => {
    await editor.commands.get(`lineprint.${command}`)!();
    return editor.said.at(-1);
  };
  /** Waits for what goes over the network, while the editor's time stands still. */
  const until = async (condition: () => boolean) => {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve));
  };
  const records = () => {
    readInbox(state, Date.now());
    const spool = new Spool(state.spoolDirectory);
    return spool.segments().flatMap(({ name }) => spool.read(name));
  };
  const captured = () => records().map((record) => codeFingerprintSchema.parse(JSON.parse(record)));
  const areReportsSent = () => new Spool(join(state.directory, 'sessions')).segments().length === 0;

  it('captures what is accepted in each folder’s repository as tab, for who commits there', () => {
    editor.replay(editor.open(fileUri('harbour/a.ts'), '\n'), recordingOf('whole'));
    editor.complete(editor.open(fileUri('fleet/b.ts'), ''), 'const anchored = speedKnots < 0.5;\n');
    const [fleet, harbour] = captured().sort((a, b) => (a.repository! < b.repository! ? -1 : 1));
    expect(harbour).toMatchObject({ repository: 'harbour', userId: 'ada@example.org', lineCount: 3 });
    expect(fleet).toMatchObject({ repository: 'fleet', userId: 'grace@example.org', lineCount: 1 });
    expect(harbour).toMatchObject({ source: 'tab', client: { name: 'vscode' } });
    expect(harbour!.sessionId).not.toBe(fleet!.sessionId);
  });

  it('captures nothing in untitled documents, other schemes, folders without a repository, and where it is off', () => {
    editor.complete(editor.open('untitled:Untitled-1', ''), 'const a = 1;');
    editor.complete(editor.open('git:/harbour/a.ts', ''), 'const a = 1;');
    mkdirSync(join(folder, 'loose'));
    editor.complete(editor.open(fileUri('loose/a.ts'), ''), 'const a = 1;');
    const document = editor.open(fileUri('harbour/a.ts'), '');
    editor.settings.set('enabled', false);
    editor.complete(document, 'const off = 1;\n');
    expect(captured()).toEqual([]);
    editor.settings.set('enabled', true);
    editor.complete(document, 'const on = 1;\n');
    expect(captured()).toHaveLength(1);
  });

  it('captures the cells of a notebook that is a file, under its path, and no others', () => {
    const cellsOf = (notebook: string, scheme: string) => {
      const document = editor.open(`vscode-notebook-cell:${notebook}#cell-1`, '');
      editor.notebooks.push({
        uri: FakeEditor.uri(`${scheme}:${notebook}`),
        getCells: () => [{ document }],
      });
      editor.close(document);
      return editor.open(document.uri.toString(), '');
    };
    editor.complete(cellsOf(join(folder, 'harbour/tides.py'), 'file'), 'tide = sounding.depth_cm\n');
    editor.complete(cellsOf('Untitled-1.ipynb', 'untitled'), 'tide = sounding.depth_cm\n');
    expect(captured()).toEqual([expect.objectContaining({ language: 'python', repository: 'harbour' })]);
  });

  it('reports counts and survival of each repository and day, without code', async () => {
    const document = editor.open(fileUri('harbour/a.ts'), '');
    editor.complete(document, 'const free = berths.filter(isFree);\n');
    editor.complete(document, 'const taken = berths.filter(isTaken);\n');
    api.suggestionsShown(join(folder, 'harbour/a.ts'), 7);
    jest.advanceTimersByTime(MINUTE);
    await until(() => reports.length === 1 && areReportsSent());
    editor.edit(document, [removal(0, document.text.indexOf('const taken'))]);
    jest.advanceTimersByTime(2 * MINUTE);
    await until(() => reports.length === 2 && areReportsSent());
    const stats = codeGenStatsSchema.parse(reports[1]);
    expect(stats).toEqual(reports[1]);
    expect(stats).toMatchObject({ userId: 'ada@example.org', repository: 'harbour' });
    expect(stats.tab).toEqual({
      suggestionsShown: 7,
      suggestionsAccepted: 2,
      charsAccepted: 74,
      fingerprints: [],
      survival: [
        { afterSeconds: 15, checks: 2, stillInCode: 2, wordSimilarity: 1, charSimilarity: 1 },
        { afterSeconds: 30, checks: 2, stillInCode: 2, wordSimilarity: 1, charSimilarity: 1 },
        expect.objectContaining({ afterSeconds: 120, checks: 2 }),
      ],
    });
    jest.setSystemTime(Date.now() + 86_400_000);
    editor.complete(document, 'const next = berths[0];\n');
    jest.advanceTimersByTime(MINUTE);
    await until(() => reports.some(({ sessionId }) => sessionId !== stats.sessionId));
    expect(JSON.stringify(reports)).not.toMatch(/berth|isFree|a\.ts/);
  });

  it('keeps its reports while the server is away and when the window closes, and the next window sends them', async () => {
    isAway = true;
    editor.complete(editor.open(fileUri('harbour/a.ts'), ''), 'const a = tide;\n');
    jest.advanceTimersByTime(MINUTE);
    await until(() => editor.output.some((line) => line.includes('not sent')));
    end();
    isAway = false;
    editor = new FakeEditor();
    await start();
    await until(() => reports.length === 1);
    expect(reports[0]!.tab).toMatchObject({ suggestionsAccepted: 1 });
    await until(areReportsSent);
  });

  it('shows the status as the command line does', async () => {
    editor.complete(editor.open(fileUri('harbour/a.ts'), ''), 'const a = tide;\n');
    captured();
    await run('showStatus');
    expect(editor.said.at(-1)).toMatch(/^captured +1\nsent +0\nspooled +1\nrefused +0\ndropped +0\n/);
    expect(editor.said.at(-1)).toContain(`server     ${url()} answers`);
  });

  it('explains the last capture by exactly what is sent', async () => {
    expect(await run('explainLast')).toBe('Nothing was captured yet.\n');
    editor.complete(editor.open(fileUri('harbour/a.ts'), ''), 'const a = tide;\n');
    const [record] = records();
    expect(await run('explainLast')).toContain(requestBody([record!]));
  });

  it('says that nobody is logged in, captures nothing, and logs in as the command line does', async () => {
    end();
    rmSync(state.directory, { recursive: true });
    editor = new FakeEditor();
    await start();
    expect(editor.statusBar).toMatchObject({ isShown: true, command: 'lineprint.logIn' });
    const document = editor.open(fileUri('harbour/a.ts'), '');
    editor.complete(document, 'const a = tide;\n');
    expect(existsSync(state.inboxDirectory)).toBe(false);
    expect(await run('logIn')).toContain('lineprint.serverUrl');
    editor.settings.set('serverUrl', url());
    editor.answers.push('lp_key', 'ada@example.org');
    expect(await run('logIn')).toBe('Lineprint: logged in as ada@example.org of harbour.');
    expect(editor.statusBar.isShown).toBe(false);
    expect(state.settings()).toMatchObject({ url: url(), apiKey: 'lp_key', keyId: 'key-1' });
    editor.complete(document, 'const b = tide;\n');
    expect(captured()).toHaveLength(1);
  });

  it('says in its log what went wrong, and lets the editor go on', () => {
    const document = editor.open(fileUri('harbour/a.ts'), '');
    writeFileSync(state.inboxDirectory, 'a file where a folder should be');
    editor.complete(document, 'const a = tide;\n');
    expect(readFileSync(state.logPath, 'utf8')).toContain('vscode: an edit was not captured');
    expect(() => editor.commands.get('lineprint.accepted')!({ no: 'argument of ours' })).not.toThrow();
  });

  it('says no more in its output than asked for, and never code', () => {
    const document = editor.open(fileUri('harbour/a.ts'), '');
    editor.settings.set('logLevel', 'error');
    editor.complete(document, 'const a = tide;\n');
    expect(editor.output).toEqual([]);
    editor.settings.set('logLevel', 'debug');
    editor.complete(document, 'const b = tide;\n');
    jest.advanceTimersByTime(15_000);
    expect(editor.output.join('\n')).toContain('captured 16 characters');
    expect(editor.output.join('\n')).toContain('after 15 s: in code, 100 % of its words');
    expect(editor.output.join('\n')).not.toContain('tide');
  });
});

/** The files of a zip. */
function unzipped(file: string): Map<string, Buffer> {
  const bytes = readFileSync(file);
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  const files = new Map<string, Buffer>();
  let entry = bytes.readUInt32LE(end + 16);
  for (let left = bytes.readUInt16LE(end + 10); left > 0; left--) {
    const nameLength = bytes.readUInt16LE(entry + 28);
    const header = bytes.readUInt32LE(entry + 42);
    const begin = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const content = inflateRawSync(bytes.subarray(begin, begin + bytes.readUInt32LE(entry + 20)));
    files.set(bytes.toString('utf8', entry + 46, entry + 46 + nameLength), content);
    entry += 46 + nameLength + bytes.readUInt16LE(entry + 30) + bytes.readUInt16LE(entry + 32);
  }
  return files;
}

describe('the package of the extension', () => {
  const pack = () => {
    const printed = execFileSync(process.execPath, [join(EXTENSION, 'package.mjs')], { encoding: 'utf8' });
    expect(printed).toMatch(/^\S+\.vsix \d+ bytes\n$/);
    return join(EXTENSION, 'dist', `lineprint-vscode-${MANIFEST.version}.vsix`);
  };
  let file: string;
  let files: Map<string, Buffer>;
  beforeAll(() => {
    file = pack();
    files = unzipped(file);
  });

  it('holds the extension, its sender and its pages, and nothing else', () => {
    expect([...files.keys()]).toEqual([
      'extension.vsixmanifest',
      '[Content_Types].xml',
      ...['package.json', 'extension.js', 'send.cjs', 'README.md', 'LICENSE.txt'].map(
        (name) => `extension/${name}`,
      ),
    ]);
    expect(files.get('extension/package.json')!.toString()).toBe(
      readFileSync(join(EXTENSION, 'package.json'), 'utf8'),
    );
  });

  it('is small, has no source map and names no folder of the machine that made it', () => {
    expect(readFileSync(file).length).toBeLessThan(150_000);
    for (const content of files.values()) {
      expect(content.includes('sourceMappingURL')).toBe(false);
      expect(content.includes(join(__dirname, '../..'))).toBe(false);
      expect(content.includes('node_modules')).toBe(false);
    }
  });

  it('is described as editors read it', () => {
    const manifest = files.get('extension.vsixmanifest')!.toString();
    expect(manifest).toContain(
      `<Identity Language="en-US" Id="lineprint-vscode" Version="${MANIFEST.version}" Publisher="lineprint"/>`,
    );
    for (const [, path] of manifest.matchAll(/<Asset [^>]*Path="([^"]+)"/g))
      expect([...files.keys()]).toContain(path);
    const types = files.get('[Content_Types].xml')!.toString();
    for (const name of files.keys()) {
      if (name !== '[Content_Types].xml') expect(types).toContain(`Extension=".${name.split('.').at(-1)}"`);
    }
  });

  it('is the same to the byte when it is made again', () => {
    const before = readFileSync(file);
    expect(readFileSync(pack()).equals(before)).toBe(true);
  });

  it('runs the editor’s own command first and waits for nothing of ours when a key accepts', () => {
    const { keybindings } = MANIFEST.contributes;
    expect(keybindings.map(({ command, args: { commands } }) => [command, commands[0]])).toEqual([
      ['runCommands', 'editor.action.inlineSuggest.commit'],
      ['runCommands', 'editor.action.inlineSuggest.commit'],
      ['runCommands', 'editor.action.inlineSuggest.acceptNextWord'],
    ]);
    for (const { when } of keybindings) {
      expect(when).toMatch(/inlineSuggestionVisible|inlineEditIsVisible/);
      expect(when).toContain('config.lineprint.enabled');
    }
  });

  describe('unpacked and run', () => {
    const MOORING_FEE = [
      'export function mooringFee(vessel: Vessel, nights: number): number {',
      '  const perMetre = tariff.centsPerMetre * seasonFactor(vessel.arrivesAt);',
      '  return Math.ceil(vessel.lengthMetres) * perMetre * nights;',
      '}\n',
    ].join('\n');
    let pipeline: Pipeline;
    let folder: string;
    beforeAll(async () => {
      pipeline = await embeddedPipeline();
      folder = mkdtempSync(join(tmpdir(), 'lineprint-vsix-'));
    });
    afterAll(async () => {
      await pipeline?.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('has what was accepted found in the commit: kept lines as tab, and a person’s own', async () => {
      for (const [name, content] of files) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), content);
      }
      const organisation = await Organisation.create(pipeline, 'harbour');
      const repository = join(folder, 'harbour');
      // What is accepted now is of no commit that was made before.
      const commit = (name: string, content: string) => {
        writeFileSync(join(repository, name), content);
        const git = (...args: string[]) =>
          execFileSync('git', ['-C', repository, '-c', 'user.name=Ada', ...args], {
            encoding: 'utf8',
            env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
          });
        git('add', '-A');
        git('-c', 'user.email=ada@example.org', 'commit', '-qm', name);
        return git('rev-parse', 'HEAD').trim();
      };
      execFileSync('git', ['init', '-q', '-b', 'main', repository]);
      commit('tide.ts', 'export interface Tide {\n  heightCm: number;\n}\n');
      const state = new CaptureState(join(folder, 'state'));
      state.saveSettings({
        ...settingsOf(pipeline.ingestUrl, organisation.apiKey),
        ...{ orgId: organisation.orgId, keyId: organisation.keyId },
      });

      const editor = new FakeEditor();
      const extension = await load(join(folder, 'extension/extension.js'), editor);
      extension.activate(editor.context, state);
      const document = editor.open(`file://${join(repository, 'flood.ts')}`, '\n');
      editor.replay(document, recordingOf('whole'));
      editor.complete(document, MOORING_FEE);
      editor.edit(document, [
        insertion(document.text.length, 'export const springTides = almanac.springTides(harbourMaster);\n'),
      ]);
      // Its own process reads it and sends it.
      await organisation.settled(0, 2);
      extension.deactivate();
      editor.end();

      const sha = commit('flood.ts', document.text);
      await pushAll(organisation, repository);
      await organisation.settled(2, 2);
      const found = (await organisation.export())
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row) as ExportedCommit)
        .find((row) => row.sha === sha)!;
      const [exported] = found.files;
      const origins = exported!.lines.flatMap(({ count, kind, result }) =>
        Array.from({ length: count }, () => [kind, exported!.results[result]!.match_source]),
      );
      expect(origins.map(([, source]) => source)).toEqual([...Array.from({ length: 7 }, () => 'tab'), null]);
      // Three short lines alone are too little evidence to be counted.
      expect(origins.slice(3).map(([kind]) => kind)).toEqual(['P', 'P', 'P', 'P', 'H']);

      const next = new FakeEditor();
      (await load(join(folder, 'extension/extension.js'), next)).activate(next.context, state);
      const daily = async () =>
        JSON.parse(
          await organisation.get(
            '/api/v1/stats/ai-attribution?scope=personal&user_id=ada@example.org&period=30d',
          ),
        ) as {
          breakdown: { tab: { suggestions_accepted: number; suggestions_shown: number } };
        };
      while ((await daily()).breakdown.tab.suggestions_accepted === 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await daily()).breakdown.tab).toMatchObject({ suggestions_accepted: 2, suggestions_shown: 2 });
      next.end();
    });
  });
});
