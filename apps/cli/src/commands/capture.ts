import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import {
  type Adapter,
  adapters,
  CaptureState,
  captureStatus,
  enrol,
  explainFingerprint,
  fingerprintEdits,
  hookScript,
  lastRecord,
  loadProgress,
  requestBody,
  runHook,
  spooledRecords,
  statusText,
  VERSION,
  writeAtomically,
} from '@lineprint/capture';
import type { CodeFingerprint } from '@lineprint/contracts';
import { LineprintError } from '@lineprint/platform';
import { claudeCodeSettings } from '../capture/claude-code-settings';
import { cursorSettings } from '../capture/cursor-settings';
import { FLUSH_TIMEOUT_MS, flushSpool } from '../capture/flush';
import { importRecords, recordKinds } from '../capture/line-records';
import { installPlugin, pluginFolders, removePlugin } from '../capture/plugin-install';
import { HOOK_SCRIPT, type HookSettings, installHook, removeHook } from '../capture/hook-settings';
import { importTranscripts } from '../capture/transcript-import';
import {
  addresses,
  apiKeyOf,
  type ConnectionOptions,
  positiveInteger,
  withConnection,
  withState,
} from './connection';

interface StateOptions {
  readonly state: string;
  readonly json?: boolean;
}

interface LoginOptions extends ConnectionOptions, StateOptions {
  readonly user?: string;
  readonly project?: string;
  readonly sendCode?: boolean;
}

interface InstallOptions extends StateOptions {
  readonly settings?: string;
  readonly project?: boolean;
  readonly uninstall?: boolean;
}

interface ImportOptions extends StateOptions {
  readonly repo?: string;
  readonly root?: string[];
  readonly name?: string;
  readonly send: boolean;
}

interface ExplainOptions extends StateOptions {
  readonly last?: boolean;
}

interface FlushOptions extends StateOptions {
  readonly timeout: number;
}

/** Assistants whose settings name a command; the others have a plugin. */
const hookSettings: Readonly<Record<string, HookSettings>> = {
  [claudeCodeSettings.assistant]: claudeCodeSettings,
  [cursorSettings.assistant]: cursorSettings,
};

export function addCaptureCommands(program: Command): void {
  withState(
    withConnection(
      program
        .command('login')
        .description(
          'Enrol this machine: keep the address, the key and the organisation’s line key for capture.',
        ),
    ),
  )
    .option('--user <id>', 'who the edits count for (default: git’s user.email)')
    .option('--project <id>', 'the project of all edits (default: each repository is one)')
    .option('--send-code', 'allow the code itself to be sent, where the organisation keeps it')
    .action(login);

  const capture = program
    .command('capture')
    .description(
      'What assistants write on this machine: captured, kept when offline, sent in the background.',
    );
  withState(
    capture.command('install').description('Let an assistant tell of its edits, by a hook in its settings.'),
  )
    .addArgument(new Argument('<assistant>').choices(Object.keys({ ...hookSettings, ...pluginFolders })))
    .option('--settings <file>', 'the settings file (default: the user’s own)')
    .option('--project', 'the settings of the project in this folder, for everyone who works in it')
    .option('--uninstall', 'take the hook out again and restore the file')
    .action(install);
  withState(capture.command('hook').description('Take one event of an assistant’s hook from standard input.'))
    .addArgument(new Argument('<assistant>').choices(namesOf('editsOfEvent')))
    .action(hook);
  withState(
    capture
      .command('import')
      .description('Capture what an assistant’s past transcripts tell, each call once.'),
  )
    .addArgument(new Argument('<assistant>').choices([...namesOf('editsOfTranscript'), ...recordKinds]))
    .argument(
      '[path]',
      'a transcript or a folder of them, a file of traces, a repository with git-ai’s notes',
      '.',
    )
    .option('--repo <path>', 'the repository that notes or traces are about, if not around the path')
    .option(
      '--root <path>',
      'where the files lay when the transcripts come from another machine; once for each place',
      (path: string, before: string[] = []) => [...before, resolve(path)],
    )
    .option('--name <name>', 'name of the repository there (default: name of each root)')
    .option('--no-send', 'only keep them in the spool')
    .option('--json', 'print the outcome as one JSON object')
    .action(importPast);
  withState(capture.command('status').description('Say what was captured, sent, kept, refused and dropped.'))
    .option('--json', 'print the answer as one JSON object')
    .action(status);
  withState(capture.command('flush').description('Send what is kept, now.'))
    .option('--timeout <ms>', 'give up after so many milliseconds', positiveInteger, FLUSH_TIMEOUT_MS)
    .option('--json', 'print the outcome as one JSON object')
    .action(flush);
  withState(
    capture
      .command('explain [file]')
      .description(
        'Print what would be sent: of the spool, or of a file as if an assistant had just written it. Sends nothing.',
      ),
  )
    .option('--last', 'what was captured last, sent or not')
    .option('--json', 'exactly the body that would be sent, instead of words')
    .action(explain);
}

function namesOf(ability: 'editsOfEvent' | 'editsOfTranscript'): string[] {
  return Object.values(adapters).flatMap((adapter) => (adapter[ability] ? [adapter.name] : []));
}

/** Built by `npm run build`: without dependencies, so that it starts fast and from anywhere. */
function sdkScript(name: string): string {
  const path = join(__dirname, '../../../../libs/capture/dist/sdk', name);
  if (existsSync(path)) return path;
  throw new LineprintError('sdk-missing', `${path} is missing: run \`npm run build\`.`);
}

async function login(options: LoginOptions): Promise<void> {
  const { url } = addresses(options);
  const apiKey = apiKeyOf(options);
  const enrolled = await enrol(new CaptureState(options.state), {
    url,
    apiKey,
    userId: options.user ?? gitEmail() ?? userInfo().username,
    ...(options.project && { projectId: options.project }),
    ...(options.sendCode && { sendCode: true }),
  });
  const code =
    enrolled.sendCode && enrolled.rawCode ? 'Code is sent as well.' : 'No code is sent, only keyed prints.';
  const { userId, orgId, keyId } = enrolled;
  process.stdout.write(`Enrolled as ${userId} of ${orgId}, key ${keyId}. ${code}\n`);
}

function gitEmail(): string | undefined {
  try {
    return execFileSync('git', ['config', 'user.email'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return undefined;
  }
}

function install(assistant: string, options: InstallOptions): void {
  if (pluginFolders[assistant]) return installInFolder(assistant, options);
  const settings = hookSettings[assistant]!;
  const path = options.settings ?? join(options.project ? process.cwd() : homedir(), settings.file);
  const state = new CaptureState(resolve(options.state));
  const records = join(state.directory, 'installed');
  if (options.uninstall) {
    const removed = removeHook(settings, { path, records }) === 'removed';
    process.stdout.write(
      removed ? `The hook is gone from ${path}.\n` : `There is no hook of ours in ${path}.\n`,
    );
    return;
  }
  const command = [...hookProgram(state), assistant].map(shellWord).join(' ');
  const outcome = installHook(settings, { path, command, records });
  const done = outcome === 'installed' ? 'Installed in' : 'Already in';
  process.stdout.write(`${done} ${path}.${loginHint(state)}\n`);
}

/**
 * Puts the programs of a hook beside capture's data: the hook must still start while this folder is built anew, and after
 * it has moved.
 * @returns how the hook is started; the assistant's name follows
 */
function hookProgram(state: CaptureState): string[] {
  const programs = join(state.directory, 'bin');
  const copy = (name: string) => {
    writeAtomically(join(programs, name), readFileSync(sdkScript(name), 'utf8'));
    return join(programs, name);
  };
  const [node, sender] = [process.execPath, copy('send.cjs')];
  if (process.platform === 'win32') return [node, copy('hook.cjs'), '--state', state.directory];
  const path = join(programs, HOOK_SCRIPT);
  writeAtomically(path, hookScript({ node, sender, state: state.directory }), 0o700);
  return [path];
}

function installInFolder(assistant: string, options: InstallOptions): void {
  const { user, project } = pluginFolders[assistant]!;
  const folder = options.project ? resolve(project) : join(homedir(), user);
  const state = new CaptureState(resolve(options.state));
  if (options.uninstall) {
    const path = removePlugin(folder);
    process.stdout.write(path ? `${path} is gone.\n` : `There is no plugin of ours in ${folder}.\n`);
    return;
  }
  const sdk = dirname(sdkScript('send.cjs'));
  const path = installPlugin({ assistant, folder, state: state.directory, sdk });
  process.stdout.write(`Installed in ${path}.${loginHint(state)}\n`);
}

function loginHint(state: CaptureState): string {
  return state.isEnrolled() ? '' : ' Run `lineprint login` next: until then nothing is captured.';
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** For assistants that were set up by hand; `install` names a program that starts faster. */
function hook(assistant: string, options: StateOptions): void {
  const state = new CaptureState(options.state);
  const now = Date.now();
  try {
    runHook(assistant, readFileSync(0, 'utf8'), { state, senderScript: sdkScript('send.cjs'), now });
  } catch (error) {
    state.log(`${assistant}: an edit was not captured: ${String(error)}`, now);
  }
}

async function importPast(assistant: string, path: string, options: ImportOptions): Promise<void> {
  const state = new CaptureState(options.state);
  if (recordKinds.includes(assistant)) {
    const { commits, fingerprints } = await importRecords(assistant, path, state, options);
    const said = `${fingerprints} fingerprints of the lines that records declare in ${commits} commits.`;
    process.stdout.write(`${options.json ? JSON.stringify({ commits, fingerprints }) : said}\n`);
    return;
  }
  const trees = options.root?.map((root) => ({ root, name: options.name ?? basename(root) }));
  const adapter: Adapter = adapters[assistant]!;
  const report = importTranscripts(adapter, resolve(path), state, {
    now: Date.now(),
    ...(trees && { trees }),
  });
  if (options.json) process.stdout.write(`${JSON.stringify(report)}\n`);
  else {
    process.stdout.write(
      `${report.edits} edits in ${report.files} transcripts (${report.repeated} told again): ${report.fingerprints} fingerprints.\n`,
    );
  }
  if (options.send) await send(state, FLUSH_TIMEOUT_MS);
}

async function status(options: StateOptions): Promise<void> {
  const answer = await captureStatus(new CaptureState(options.state));
  process.stdout.write(`${options.json ? JSON.stringify(answer) : statusText(answer)}\n`);
}

async function flush(options: FlushOptions): Promise<void> {
  const state = new CaptureState(options.state);
  const outcome = await send(state, options.timeout);
  const progress = loadProgress(state.progressPath);
  const spooled = spooledRecords(state, progress).length;
  const { sent, refused, dropped } = progress;
  if (options.json) process.stdout.write(`${JSON.stringify({ outcome, sent, spooled, refused, dropped })}\n`);
  else
    process.stdout.write(
      spooled === 0 ? 'Everything is sent.\n' : `${spooled} fingerprints are kept for later.\n`,
    );
}

/** Sends the spool. Says what is wrong, and that in the exit code. */
async function send(state: CaptureState, timeoutMs: number): Promise<string> {
  const { outcome, problem } = await flushSpool(state, timeoutMs);
  if (problem !== undefined) {
    process.stderr.write(`Not all was sent: ${problem}\n`);
    process.exitCode = 1;
  }
  return outcome;
}

function explain(file: string | undefined, options: ExplainOptions): void {
  const state = new CaptureState(options.state);
  const records = file === undefined ? keptRecords(state, options.last ?? false) : recordsOf(file, state);
  if (options.json) process.stdout.write(`${requestBody(records)}\n`);
  else if (records.length === 0) process.stdout.write('Nothing would be sent.\n');
  else {
    const words = records.map((record) => explainFingerprint(JSON.parse(record) as CodeFingerprint));
    process.stdout.write(`${words.join('\n')}\n`);
  }
}

function keptRecords(state: CaptureState, last: boolean): string[] {
  if (!last) return spooledRecords(state, loadProgress(state.progressPath));
  const record = lastRecord(state);
  return record === undefined ? [] : [record];
}

function recordsOf(file: string, state: CaptureState): string[] {
  const edit = {
    path: resolve(file),
    before: '',
    after: readFileSync(file, 'utf8'),
    kind: 'write' as const,
    source: 'agent' as const,
    sessionId: 'explain',
    toolCallId: 'explain',
    time: Date.now(),
  };
  const client = { name: 'explain', version: VERSION };
  const fingerprints = fingerprintEdits([edit], state.settings(), { client });
  if (fingerprints.length === 0) {
    throw new LineprintError('nothing-to-explain', `${file} is in no git repository, or has no lines.`);
  }
  return fingerprints.map((fingerprint) => JSON.stringify(fingerprint));
}
