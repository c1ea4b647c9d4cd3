import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { openRepository } from '@lineprint/git';
import { ReadClient } from '../api/read-client';
import { addresses, apiKeyOf, type ConnectionOptions } from '../commands/connection';
import { type Checks, failure, type Found, ok } from './finding';

const run = promisify(execFile);
const MIN_NODE = [20, 19];
const MIN_GIT = [2, 30];

/** This machine: what every command needs. */
export async function checkMachine(checks: Checks, repository: string | undefined): Promise<void> {
  await checks.run('node', () => {
    const version = process.versions.node;
    if (atLeast(version, MIN_NODE)) return ok(version);
    return failure(`Node ${version} is too old.`, 'Install 20.19 or newer.');
  });
  await checks.run('git', checkGit);
  if (repository === undefined) return;
  await checks.run('repository', async () => ok(`HEAD is ${(await openRepository(repository)).head}`));
}

/** What a client needs of an installation. */
export async function checkConnection(checks: Checks, options: ConnectionOptions): Promise<void> {
  const { url, queryUrl } = addresses(options);
  await checks.run('server', (signal) => checkServer(url, signal));
  await checks.run('credential', async () => {
    const enrolment = await new ReadClient(url, apiKeyOf(options)).enrolment();
    return ok(`organisation ${enrolment.orgId}, line key ${enrolment.keyId}`);
  });
  await checks.run('queries', () => checkQueries(queryUrl, options));
}

async function checkGit(): Promise<Found> {
  let text: string;
  try {
    text = (await run('git', ['--version'])).stdout;
  } catch {
    return failure('git is not installed, or not on PATH.', 'Install 2.30 or newer.');
  }
  const version = /(\d+\.\d+(\.\d+)?)/.exec(text)?.[1] ?? '0';
  if (atLeast(version, MIN_GIT)) return ok(version);
  return failure(`git ${version} is too old.`, 'Install 2.30 or newer.');
}

async function checkServer(url: string, signal: AbortSignal): Promise<Found> {
  let response: Response;
  try {
    response = await fetch(`${url}/health/ready`, { signal });
  } catch {
    return failure(`Nothing answers at ${url}.`, 'Start Lineprint, or give --url.');
  }
  const body = (await response.json().catch(() => undefined)) as
    { checks?: Record<string, string> } | undefined;
  if (response.ok && body?.checks) return ok(`${url} is ready (${Object.keys(body.checks).join(', ')})`);
  const failing = Object.entries(body?.checks ?? {}).filter(([, state]) => state !== 'ok');
  if (failing.length === 0)
    return failure(`${url} answers, but not as Lineprint does.`, 'Look what is at that address.');
  return failure(
    `${url} is not ready: ${failing.map(([name, state]) => `${name}: ${state}`).join('; ')}`,
    'docs/runbook.md says what each of its checks means; its log has more.',
  );
}

/** A key for CI may lack the scope to read: it can send, and that is all it is for. */
async function checkQueries(url: string, options: ConnectionOptions): Promise<Found> {
  try {
    const commits = await new ReadClient(url, apiKeyOf(options)).analysed();
    return ok(`${url} answers: ${commits} commits analysed`);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'scope-missing')
      return ok(`${url} answers; this key may not read`);
    throw error;
  }
}

/** Compares versions of numbers and points. */
export function atLeast(version: string, minimum: readonly number[]): boolean {
  const parts = version.split('.').map(Number);
  for (const [i, least] of minimum.entries()) {
    const part = parts[i] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}
