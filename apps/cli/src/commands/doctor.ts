import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { openRepository } from '@lineprint/git';
import { ReadClient } from '../api/read-client';
import { addresses, apiKeyOf, type ConnectionOptions, withConnection } from './connection';

const run = promisify(execFile);
const MIN_NODE = [20, 19];
const MIN_GIT = [2, 30];

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export function addDoctorCommand(program: Command): void {
  withConnection(
    program
      .command('doctor')
      .description('Check this machine and the connection, and say what to do about what is wrong.')
      .option('--repo <path>', 'a repository to check, too')
      .option('--json', 'print the findings as one JSON object'),
  ).action(async (options: ConnectionOptions & { repo?: string; json?: boolean }) => {
    const { url, queryUrl } = addresses(options);
    const findings = [
      await check('node', checkNode),
      await check('git', checkGit),
      ...(options.repo === undefined
        ? []
        : [await check('repository', async () => `HEAD is ${(await openRepository(options.repo!)).head}`)]),
      await check('server', () => checkServer(url)),
      await check('credential', () => checkCredential(url, options)),
      await check('queries', () => checkQueries(queryUrl, options)),
    ];
    if (options.json) process.stdout.write(`${JSON.stringify({ findings })}\n`);
    else {
      for (const { name, ok, detail } of findings) {
        process.stdout.write(`${ok ? '✓' : '✗'} ${name.padEnd(11)} ${detail}\n`);
      }
    }
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}

async function check(name: string, find: () => Promise<string> | string): Promise<Finding> {
  try {
    return { name, ok: true, detail: await find() };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}

function checkNode(): string {
  const version = process.versions.node;
  if (!atLeast(version, MIN_NODE)) throw new Error(`Node ${version} is too old; install 20.19 or newer.`);
  return version;
}

async function checkGit(): Promise<string> {
  let text: string;
  try {
    text = (await run('git', ['--version'])).stdout;
  } catch {
    throw new Error('git is not installed, or not on PATH.');
  }
  const version = /(\d+\.\d+(\.\d+)?)/.exec(text)?.[1] ?? '0';
  if (!atLeast(version, MIN_GIT)) throw new Error(`git ${version} is too old; install 2.30 or newer.`);
  return version;
}

async function checkServer(url: string): Promise<string> {
  let response: Response;
  try {
    response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(10_000) });
  } catch {
    throw new Error(`Nothing answers at ${url}. Start Lineprint, or give --url.`);
  }
  const body = (await response.json().catch(() => undefined)) as
    { checks?: Record<string, string> } | undefined;
  if (response.ok && body?.checks) return `${url} is ready (${Object.keys(body.checks).join(', ')})`;
  const failing = Object.entries(body?.checks ?? {}).filter(([, state]) => state !== 'ok');
  throw new Error(
    failing.length > 0
      ? `${url} is not ready: ${failing.map(([name, state]) => `${name}: ${state}`).join('; ')}`
      : `${url} answers, but not as Lineprint does.`,
  );
}

async function checkCredential(url: string, options: ConnectionOptions): Promise<string> {
  const enrolment = await new ReadClient(url, apiKeyOf(options)).enrolment();
  return `organisation ${enrolment.orgId}, line key ${enrolment.keyId}`;
}

/** A key for CI may lack the scope to read: it can send, and that is all it is for. */
async function checkQueries(url: string, options: ConnectionOptions): Promise<string> {
  try {
    const commits = await new ReadClient(url, apiKeyOf(options)).analysed();
    return `${url} answers: ${commits} commits analysed`;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'scope-missing')
      return `${url} answers; this key may not read`;
    throw error;
  }
}

function atLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, least] of minimum.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
