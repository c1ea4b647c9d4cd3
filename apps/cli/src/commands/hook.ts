import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { CaptureState } from '@lineprint/capture';
import { type HookLayout, hookLayout, LineRecords, openRepository } from '@lineprint/git';
import { isTransient, loadClientSettings } from '@lineprint/platform';
import { flushSpool } from '../capture/flush';
import { commitsOf, SentCommits } from '../hook/hook-commits';
import { hookConnection } from '../hook/hook-connection';
import { HookDirectory } from '../hook/hook-directory';
import { hookStatus, type HookStatus, installHooks, uninstallHooks } from '../hook/hook-files';
import { drainQueue, type HookEntry, waitingFiles } from '../hook/hook-queue';
import { table } from '../terminal/table';
import { pushHistory, repositoryName } from './backfill';
import {
  connect,
  type ConnectionOptions,
  type DeclarationOptions,
  declarationPatterns,
  withConnection,
  withDeclarations,
  withState,
} from './connection';

interface RepositoryOptions {
  readonly repo: string;
  readonly json?: boolean;
}

interface InstallOptions extends RepositoryOptions, ConnectionOptions, DeclarationOptions {
  readonly state: string;
  readonly name?: string;
  readonly project?: string;
}

/** So long a server that failed is left alone, and the machine too: a rebase makes many commits. */
const PAUSE_MS = 60_000;

export function addHookCommand(program: Command): void {
  const hook = program.command('hook').description('Send commits from a working tree as they are made.');
  withDeclarations(
    withState(
      withConnection(
        inRepository(
          hook
            .command('install')
            .description(
              'Install post-commit, post-rewrite and pre-push beside the hooks that are there. They never hold git up.',
            ),
        )
          .option('--name <name>', 'name that results carry (default: name of the folder)')
          .option('--project <id>', 'project that the commits belong to (default: the name)'),
      ),
    ),
  ).action(install);
  inRepository(
    hook.command('uninstall').description('Take the hooks out, and put back what was there before them.'),
  ).action(uninstall);
  inRepository(
    hook.command('status').description('Show which hooks are installed and what waits to be sent.'),
  ).action(status);
  hook
    .command('send <directory>', { hidden: true })
    .description('Send what the hooks wrote down.')
    .action(send);
}

function inRepository(command: Command): Command {
  return command
    .option('--repo <path>', 'path of the working tree', '.')
    .option('--json', 'print the outcome as one JSON object');
}

async function install(options: InstallOptions, command: Command): Promise<void> {
  const layout = await hookLayout(resolve(options.repo));
  const directory = new HookDirectory(layout.commonDir);
  const { apiKey, project, aiAuthor, aiTrailer, aiDefaults } = options;
  const state = new CaptureState(resolve(options.state));
  // An address that nobody named must not keep the hooks from that of the login.
  const isUrlNamed = apiKey !== undefined || command.getOptionValueSource('url') !== 'default';
  await directory.write(
    {
      ...(isUrlNamed ? { url: options.url } : {}),
      ...(apiKey ? { apiKey } : {}),
      state: state.directory,
      // Of all working trees: a linked one is often named after its branch.
      name: options.name ?? repositoryName(mainFolder(layout.commonDir)),
      ...(project ? { projectId: project } : {}),
      ...(aiAuthor ? { aiAuthor } : {}),
      ...(aiTrailer ? { aiTrailer } : {}),
      aiDefaults,
    },
    resolve(__dirname, '../main.js'),
  );
  const hooks = await installHooks(layout);
  report(options, layout, hooks);
  if (layout.husky) {
    process.stderr.write(
      `Husky keeps its hooks in the repository: commit ${layout.hooksDirectory}, or exclude ours from git.\n`,
    );
  }
  if (!apiKey && !state.isEnrolled()) {
    process.stderr.write(
      'No API key was given: run `lineprint login`, or the hooks take LINEPRINT_API_KEY from the environment.\n',
    );
  }
}

function mainFolder(commonDir: string): string {
  return commonDir.endsWith('/.git') ? dirname(commonDir) : commonDir;
}

async function uninstall(options: RepositoryOptions): Promise<void> {
  const layout = await hookLayout(resolve(options.repo));
  const hooks = await uninstallHooks(layout);
  await new HookDirectory(layout.commonDir).remove();
  report(options, layout, hooks);
}

async function status(options: RepositoryOptions): Promise<void> {
  const layout = await hookLayout(resolve(options.repo));
  const directory = new HookDirectory(layout.commonDir);
  const hooks = await hookStatus(layout);
  const waiting = (await waitingFiles(directory)).length;
  const log = (await readFile(directory.logPath, 'utf8').catch(() => '')).trimEnd().split('\n').slice(-5);
  report(options, layout, hooks, { waiting, log: log.filter((line) => line !== '') });
}

function report(
  { json }: RepositoryOptions,
  { hooksDirectory }: HookLayout,
  hooks: readonly HookStatus[],
  queue?: { readonly waiting: number; readonly log: readonly string[] },
): void {
  if (json) {
    process.stdout.write(`${JSON.stringify({ hooksDirectory, hooks, ...queue })}\n`);
    return;
  }
  const rows = hooks.map(({ hook, state, chained }) => [hook, state, chained ? 'runs first' : '']);
  const lines = [hooksDirectory, table(['hook', 'state', 'the one before'], rows, 3)];
  if (queue) lines.push(`${queue.waiting} wait to be sent.`, ...queue.log);
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** In the background, after a hook: what goes wrong is in the log, and tried again after the next one that is a minute later. */
async function send(path: string): Promise<void> {
  const directory = new HookDirectory(dirname(path));
  await directory.turnLog();
  try {
    await drainQueue(directory, (entries) => sendEntries(directory, entries));
    await directory.resume();
  } catch (error) {
    await directory.pause(PAUSE_MS);
    say(
      `${isTransient(error) ? 'waiting' : 'failed'}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Into the log. */
function say(what: string): void {
  process.stderr.write(`${new Date().toISOString()} ${what}\n`);
}

/** A commit is judged by what came before it, so the edits that it holds go first. */
async function sendCaptured(state: CaptureState): Promise<void> {
  const { problem } = await flushSpool(state);
  if (problem !== undefined) say(`captured edits wait: ${problem}`);
}

async function sendEntries(directory: HookDirectory, entries: readonly HookEntry[]): Promise<void> {
  const { name, projectId, ...settings } = await directory.settings();
  const state = new CaptureState(settings.state);
  const login = state.isEnrolled() ? state.settings() : undefined;
  if (login) await sendCaptured(state);
  const connection = await connect(hookConnection(settings, loadClientSettings(), login));
  const repository = await openRepository(directory.commonDir);
  const sent = await SentCommits.load(directory.sentPath, connection.keyId);
  const refs = (await commitsOf(entries, repository)).filter(({ sha }) => !sent.has(sha));
  if (refs.length === 0) return;
  const records = await LineRecords.open(repository);
  const { report } = await pushHistory(connection, repository, refs, {
    records,
    name,
    ...(projectId ? { projectId } : {}),
    declarations: declarationPatterns(settings),
    url: connection.url,
  });
  records.close();
  const failed = [
    ...report.skipped.map(({ sha, reason }) => ({ sha, reason })),
    ...report.refused.map(({ sha, code, detail }) => ({ sha, reason: `${code}: ${detail}` })),
  ];
  for (const { sha, reason } of failed) say(`not sent ${sha}: ${reason}`);
  await sent.add(refs.map(({ sha }) => sha));
}
