import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { AGENT_TRACE_FILE, type CaptureState, findWorkingTree, LineprintClient } from '@lineprint/capture';
import { deriveLineKey } from '@lineprint/fingerprint';
import { LineRecords, listCommits, openRepository, type Repository, sendHistory } from '@lineprint/git';

export interface RecordOptions {
  readonly aiRecords: boolean;
  readonly agentTrace?: string;
}

/** Options of commands that send commits with what records say of their lines. */
export function withRecords(command: Command): Command {
  return command
    .option('--agent-trace <file>', `Agent Trace records (default: ${AGENT_TRACE_FILE} in the repository)`)
    .option('--no-ai-records', 'do not read what git-ai’s notes and Agent Trace records say of single lines');
}

/** The records beside a repository's commits, as the options say. Close them after use. */
export async function openRecords(
  repository: Repository,
  options: RecordOptions,
): Promise<LineRecords | undefined> {
  return options.aiRecords ? LineRecords.open(repository, traces(repository, options.agentTrace)) : undefined;
}

function traces(repository: Repository, file?: string): string {
  const path = file ?? join(repository.path, AGENT_TRACE_FILE);
  return file !== undefined || existsSync(path) ? readFileSync(path, 'utf8') : '';
}

export interface RecordImport {
  /** Commits of which a record names lines of an AI. */
  readonly commits: number;
  readonly fingerprints: number;
}

/** What `lineprint capture import` reads beside transcripts. */
export const recordKinds = ['git-ai', 'agent-trace'];

/**
 * Sends the lines that records declare to be an AI's as fingerprints, made when their commits were made: evidence for
 * later commits that take them over. The commits' own lines are declared by `push` and `backfill`.
 *
 * @param path of the repository (`git-ai`), or of a file of traces (`agent-trace`)
 * @param options.repo the repository, if not around the path
 * @throws LineprintError `not-a-repository`, `no-commits`; NotEnrolled
 */
export async function importRecords(
  kind: string,
  path: string,
  state: CaptureState,
  options: { readonly repo?: string; readonly name?: string } = {},
): Promise<RecordImport> {
  const place = resolve(options.repo ?? (kind === 'git-ai' ? path : dirname(path)));
  const tree = findWorkingTree(join(place, AGENT_TRACE_FILE));
  const repository = await openRepository(tree?.root ?? place);
  const settings = state.settings();
  const client = new LineprintClient({ url: settings.url, apiKey: settings.apiKey });
  const records = await LineRecords.open(repository, kind === 'git-ai' ? '' : readFileSync(path, 'utf8'));
  try {
    const known = records.commits();
    const refs = (await listCommits(repository)).filter(({ sha }) => known.has(sha));
    const report = await sendHistory(refs, {
      repository,
      name: options.name ?? tree?.name ?? basename(place, '.git'),
      ...(settings.projectId && { projectId: settings.projectId }),
      sink: {
        sendFingerprints: (items) => client.sendFingerprints(items),
        sendCommits: (commits) => Promise.resolve({ accepted: commits.length, rejected: [] }),
      },
      lineKey: deriveLineKey(Buffer.from(settings.lineKey, 'base64'), settings.keyId),
      declarations: [],
      records,
    });
    return { commits: report.declared, fingerprints: report.fingerprints };
  } finally {
    records.close();
  }
}
