/** The part of the editor's API that is used. */
declare module 'vscode' {
  export interface Disposable {
    dispose(): unknown;
  }

  export type Event<T> = (listener: (event: T) => unknown) => Disposable;

  export class EventEmitter<T> implements Disposable {
    readonly event: Event<T>;
    fire(event: T): void;
    dispose(): void;
  }

  export class Uri {
    static parse(value: string): Uri;
    readonly scheme: string;
    readonly path: string;
    /** The path on this machine's disk. */
    readonly fsPath: string;
    toString(): string;
  }

  export interface TextDocument {
    readonly uri: Uri;
    getText(): string;
  }

  export interface TextDocumentContentChangeEvent {
    readonly rangeOffset: number;
    readonly rangeLength: number;
    readonly text: string;
  }

  export interface TextDocumentChangeEvent {
    readonly document: TextDocument;
    readonly contentChanges: readonly TextDocumentContentChangeEvent[];
    /** 1: undo, 2: redo. */
    readonly reason: number | undefined;
  }

  export interface TextEditor {
    readonly document: TextDocument;
  }

  export interface NotebookDocument {
    readonly uri: Uri;
    getCells(): readonly { readonly document: TextDocument }[];
  }

  export interface TextDocumentContentProvider {
    readonly onDidChange: Event<Uri>;
    provideTextDocumentContent(uri: Uri): string;
  }

  export interface StatusBarItem extends Disposable {
    text: string;
    tooltip: string;
    command: string;
    show(): void;
    hide(): void;
  }

  export interface OutputChannel extends Disposable {
    appendLine(line: string): void;
  }

  export interface WorkspaceConfiguration {
    get<T>(name: string, otherwise: T): T;
  }

  export interface ExtensionContext {
    readonly subscriptions: Disposable[];
  }

  export namespace workspace {
    const notebookDocuments: readonly NotebookDocument[];
    const onDidChangeTextDocument: Event<TextDocumentChangeEvent>;
    const onDidCloseTextDocument: Event<TextDocument>;
    function getConfiguration(section: string, scope?: Uri): WorkspaceConfiguration;
    function registerTextDocumentContentProvider(
      scheme: string,
      provider: TextDocumentContentProvider,
    ): Disposable;
    function openTextDocument(uri: Uri): Promise<TextDocument>;
  }

  export namespace window {
    const activeTextEditor: TextEditor | undefined;
    const visibleTextEditors: readonly TextEditor[];
    const onDidChangeVisibleTextEditors: Event<readonly TextEditor[]>;
    function createOutputChannel(name: string): OutputChannel;
    function createStatusBarItem(): StatusBarItem;
    function showTextDocument(document: TextDocument, options: { preview: boolean }): Promise<TextEditor>;
    function showInputBox(options: {
      title: string;
      prompt?: string;
      value?: string;
      password?: boolean;
      ignoreFocusOut: boolean;
    }): Promise<string | undefined>;
    function showInformationMessage(message: string): Promise<string | undefined>;
    function showErrorMessage(message: string): Promise<string | undefined>;
  }

  export namespace commands {
    function registerCommand(name: string, action: (argument?: unknown) => unknown): Disposable;
  }
}
