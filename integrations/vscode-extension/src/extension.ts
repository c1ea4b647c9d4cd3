import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import {
  CaptureState,
  captureStatus,
  enrol,
  explainFingerprint,
  findWorkingTree,
  lastRecord,
  loadProgress,
  requestBody,
  runHook,
  Spool,
  startSender,
  statusText,
} from '@lineprint/capture';
import type { CodeFingerprint } from '@lineprint/contracts';
import * as vscode from 'vscode';
import { type Acceptance, Acceptances, type Clock } from './acceptances';
import { SessionReports } from './session-reports';

/** For extensions that provide completions: only they know what they show. */
export interface LineprintApi {
  /** Completions were shown in a file. @param path absolute */
  suggestionsShown(path: string, count: number): void;
}

const SCHEME = 'lineprint';
const REPORT_EVERY_MS = 60_000;
const LEVELS = ['error', 'info', 'debug'] as const;

let running: Lineprint | undefined;

/** @param state where capture keeps its data: beside that of the command line */
export function activate(context: vscode.ExtensionContext, state = new CaptureState()): LineprintApi {
  const lineprint = new Lineprint(state);
  running = lineprint;
  context.subscriptions.push(...lineprint.start());
  return { suggestionsShown: (path, count) => lineprint.suggestionsShown(path, count) };
}

export function deactivate(): void {
  running?.stop();
  running = undefined;
}

const clock: Clock = {
  now: () => Date.now(),
  later(ms, action) {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
};

/** What binds the editor to the rest. Nothing here fails in the editor's way: what goes wrong is in the log. */
class Lineprint {
  private readonly output = vscode.window.createOutputChannel('Lineprint');
  private readonly statusBar = vscode.window.createStatusBarItem();
  private readonly pages = new Pages();
  private readonly acceptances = new Acceptances(clock, {
    accepted: (acceptance) => this.quietly('a completion was not captured', () => this.capture(acceptance)),
    checked: (path, afterSeconds, survival) =>
      this.quietly('a check was not counted', () => {
        this.reports.count(path, clock.now(), (totals) => totals.survived(afterSeconds, survival));
        const { wordSimilarity, stillInCode } = survival;
        const result = `${stillInCode ? 'in code' : 'gone'}, ${Math.round(wordSimilarity * 100)} % of its words`;
        this.log('debug', `after ${afterSeconds} s: ${result}`);
      }),
    skipped: (why) => this.log('debug', `a completion was not captured: ${why}`),
  });
  private acceptanceCount = 0;

  constructor(
    private readonly state: CaptureState,
    private readonly reports = new SessionReports(state, randomUUID),
  ) {}

  start(): vscode.Disposable[] {
    const openVisible = (editors: readonly vscode.TextEditor[]) =>
      editors.forEach(({ document }) =>
        this.quietly('a document is not followed', () => this.open(document)),
      );
    openVisible(vscode.window.visibleTextEditors);
    const timer = setInterval(() => void this.report(), REPORT_EVERY_MS);
    this.showEnrolment();
    void this.report();
    return [
      this.output,
      this.statusBar,
      this.pages,
      { dispose: () => clearInterval(timer) },
      vscode.window.onDidChangeVisibleTextEditors(openVisible),
      vscode.workspace.onDidChangeTextDocument((event) =>
        this.quietly('a change is not followed', () => this.changed(event)),
      ),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.acceptances.close(uri.toString())),
      vscode.commands.registerCommand('lineprint.accepted', (argument) =>
        this.quietly('a completion was not captured', () => this.accepted(argument === 'part')),
      ),
      vscode.commands.registerCommand('lineprint.showStatus', () => this.showStatus()),
      vscode.commands.registerCommand('lineprint.explainLast', () => this.explainLast()),
      vscode.commands.registerCommand('lineprint.logIn', () => this.logIn()),
    ];
  }

  /** Puts on the disk what is not there yet; whoever starts next sends it. */
  stop(): void {
    this.quietly('what was counted last is lost', () => {
      this.acceptances.dispose();
      if (this.state.isEnrolled()) this.reports.save(clock.now());
    });
  }

  suggestionsShown(path: string, count: number): void {
    this.quietly('a shown completion was not counted', () =>
      this.reports.count(path, clock.now(), (totals) => totals.shown(count)),
    );
  }

  private open(document: vscode.TextDocument): void {
    const path = fileOf(document);
    if (path === undefined) return;
    this.acceptances.open({ id: document.uri.toString(), path, getText: () => document.getText() });
  }

  private changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
    this.acceptances.edited(document.uri.toString(), {
      changes: contentChanges.map(({ rangeOffset, rangeLength, text }) => ({
        offset: rangeOffset,
        removed: rangeLength,
        text,
      })),
      isUndo: reason !== undefined,
    });
  }

  private accepted(partially: boolean): void {
    const document = vscode.window.activeTextEditor?.document;
    if (document && isEnabled(document.uri)) this.acceptances.accepted(document.uri.toString(), partially);
  }

  private capture(acceptance: Acceptance): void {
    const now = clock.now();
    const { path, before, after, kind, partially, characters } = acceptance;
    if (!this.state.isEnrolled()) return this.log('info', 'a completion was not captured: not logged in');
    const sessionId = this.reports.count(path, now, (totals) => totals.accepted(characters));
    if (sessionId === undefined) return this.log('info', 'a completion was not captured: in no repository');
    const acceptanceId = String(this.acceptanceCount++);
    const event = { path, before, after, sessionId, acceptanceId, kind, partially };
    runHook('vscode', JSON.stringify(event), this.sender(now));
    this.log('info', `captured ${characters} characters${partially ? ', a part of a completion' : ''}`);
  }

  private sender(now: number) {
    return {
      state: this.state,
      senderScript: join(__dirname, 'send.cjs'),
      // The editor's own program is a Node only when it is told so.
      environment: { ...process.env, ELECTRON_RUN_AS_NODE: '1' },
      now,
    };
  }

  /** Sends what was counted, and has sent what was captured while there was no server. */
  private async report(): Promise<void> {
    const now = clock.now();
    try {
      this.showEnrolment();
      if (!this.state.isEnrolled()) return;
      const { nextTryAt = 0 } = loadProgress(this.state.progressPath);
      const waits = [this.state.inboxDirectory, this.state.spoolDirectory];
      if (nextTryAt <= now && waits.some((directory) => new Spool(directory).segments().length > 0)) {
        startSender(this.sender(now));
      }
      this.reports.save(now);
      await this.reports.send(now);
    } catch (error) {
      this.log('info', `not sent, tried again later: ${String(error)}`);
    }
  }

  private showEnrolment(): void {
    if (this.state.isEnrolled()) return this.statusBar.hide();
    this.statusBar.text = 'Lineprint: not logged in';
    this.statusBar.tooltip = 'Accepted completions are not captured until this machine is logged in.';
    this.statusBar.command = 'lineprint.logIn';
    this.statusBar.show();
  }

  private showStatus(): Promise<void> {
    return this.show('status', async () => statusText(await captureStatus(this.state)));
  }

  private explainLast(): Promise<void> {
    return this.show('last capture', () => {
      const record = lastRecord(this.state);
      if (record === undefined) return Promise.resolve('Nothing was captured yet.');
      const words = explainFingerprint(JSON.parse(record) as CodeFingerprint);
      return Promise.resolve(`${words}\n\nExactly this is sent:\n\n${requestBody([record])}`);
    });
  }

  private async show(name: string, text: () => Promise<string>): Promise<void> {
    try {
      await this.pages.show(name, await text());
    } catch (error) {
      await vscode.window.showErrorMessage(`Lineprint: ${messageOf(error)}`);
    }
  }

  private async logIn(): Promise<void> {
    const title = 'Lineprint: Log in';
    const url = vscode.workspace.getConfiguration('lineprint').get('serverUrl', '');
    if (url === '') {
      await vscode.window.showErrorMessage('Lineprint: set `lineprint.serverUrl` first.');
      return;
    }
    const apiKey = await vscode.window.showInputBox({
      title,
      prompt: `An API key of ${url}`,
      password: true,
      ignoreFocusOut: true,
    });
    if (!apiKey) return;
    const active = vscode.window.activeTextEditor && fileOf(vscode.window.activeTextEditor.document);
    const email = active === undefined ? undefined : findWorkingTree(active)?.userEmail;
    const userId = await vscode.window.showInputBox({
      title,
      prompt: 'Who your completions count for where a repository names nobody: the address in your commits',
      value: email ?? userInfo().username,
      ignoreFocusOut: true,
    });
    if (!userId) return;
    try {
      const { orgId } = await enrol(this.state, { url, apiKey, userId });
      this.showEnrolment();
      await vscode.window.showInformationMessage(`Lineprint: logged in as ${userId} of ${orgId}.`);
    } catch (error) {
      await vscode.window.showErrorMessage(`Lineprint: ${messageOf(error)}`);
    }
  }

  private quietly(what: string, action: () => unknown): void {
    try {
      action();
    } catch (error) {
      this.log('error', `${what}: ${messageOf(error)}`);
      this.state.log(`vscode: ${what}: ${String(error)}`, clock.now());
    }
  }

  private log(level: (typeof LEVELS)[number], what: string): void {
    const wanted = vscode.workspace.getConfiguration('lineprint').get<string>('logLevel', 'info');
    if (LEVELS.indexOf(level) > LEVELS.findIndex((name) => name === wanted)) return;
    this.output.appendLine(`${new Date(clock.now()).toISOString()} ${level} ${what}`);
  }
}

/** Texts to read, not files: closing one asks for nothing. */
class Pages implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changes = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changes.event;
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  async show(name: string, text: string): Promise<void> {
    const uri = vscode.Uri.parse(`${SCHEME}:Lineprint ${name}`);
    this.texts.set(uri.toString(), `${text}\n`);
    this.changes.fire(uri);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
  }

  dispose(): void {
    this.registration.dispose();
    this.changes.dispose();
  }
}

/** The file that a document is, or is a cell of. None for what is in no file: untitled ones, diffs, output. */
function fileOf(document: vscode.TextDocument): string | undefined {
  const { uri } = document;
  const notebook =
    uri.scheme === 'vscode-notebook-cell'
      ? vscode.workspace.notebookDocuments.find((candidate) =>
          candidate.getCells().some((cell) => cell.document.uri.toString() === uri.toString()),
        )
      : undefined;
  const file = notebook?.uri ?? uri;
  return file.scheme === 'file' && isAbsolute(file.fsPath) ? file.fsPath : undefined;
}

function isEnabled(uri: vscode.Uri): boolean {
  return vscode.workspace.getConfiguration('lineprint', uri).get('enabled', true);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
