import { rm } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import {
  type CommitRef,
  defaultDeclarationPatterns,
  isCountedBranch,
  LineRecords,
  listNewCommits,
  Mirror,
  parseMailmap,
  readMailmap,
  mirrorPath,
  remoteOf,
  type Repository,
  sendBaseline,
  sendHistory,
} from '@lineprint/git';
import {
  activeLineKeys,
  type ConnectedRepository,
  DATABASE,
  type Database,
  isRepositoryCounted,
  storeMailmap,
} from '@lineprint/persistence';
import {
  type Config,
  CONFIG,
  LineprintError,
  type Logger,
  LOGGER,
  readSecret,
  secretFile,
} from '@lineprint/platform';
import { RefIntake } from '../refs/ref-intake';
import { IntakeSink } from './intake-sink';

export interface SentHistory {
  readonly seen: Record<string, string>;
  readonly defaultBranch: string | null;
  /** How many commits the log took. */
  readonly accepted: number;
}

/**
 * Brings a connected repository's mirror up to date, and sends the commits that are new on branches that count,
 * and what those branches name now.
 */
@Injectable()
export class MirrorSender {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly sink: IntakeSink,
    private readonly refs: RefIntake,
  ) {}

  /**
   * Sending again what was sent changes nothing, so a run that was ended half way is simply done again.
   * @throws LineprintError what is wrong with address, credential, host or network; `git-aborted` with the signal
   */
  async send(connected: ConnectedRepository, signal: AbortSignal): Promise<SentHistory> {
    const { countedRefs, seen } = connected;
    const mirror = this.mirrorOf(connected, signal);
    const { defaultBranch, branches, hasNotes } = await mirror.remoteBranches();
    const counted = [...branches].filter(([branch]) => isCountedBranch(branch, countedRefs, defaultBranch));
    const changed = counted.filter(([branch, sha]) => seen[branch] !== sha).map(([branch]) => branch);
    const kept = counted.flatMap(([branch]) =>
      seen[branch] === undefined ? [] : [[branch, seen[branch]] as const],
    );
    if (changed.length === 0) {
      const isSame = kept.length === Object.keys(seen).length && defaultBranch === connected.defaultBranch;
      if (!isSame) await this.tellRefs(connected, new Map(kept), defaultBranch);
      return { seen: Object.fromEntries(kept), defaultBranch, accepted: 0 };
    }
    const { repository, tips } = await mirror.fetch(changed, { hasNotes });
    const accepted =
      connected.fetchedAt === null
        ? await this.sendFirst(connected, repository, tips, defaultBranch, signal)
        : await this.sendCommits(
            connected,
            repository,
            await listNewCommits(repository, [...tips.values()], Object.values(seen)),
            signal,
          );
    const now = new Map([...kept, ...tips]);
    await this.tellRefs(connected, now, defaultBranch);
    const tip = defaultBranch === null ? undefined : tips.get(defaultBranch);
    if (tip !== undefined) await this.takeMailmap(connected, repository, tip);
    return { seen: Object.fromEntries(now), defaultBranch, accepted };
  }

  /** After the commits that they lead to: until these are known, what the refs named before counts. */
  private async tellRefs(
    { orgId, repository }: ConnectedRepository,
    branches: ReadonlyMap<string, string>,
    defaultBranch: string | null,
  ): Promise<void> {
    const refs = [...branches].map(([branch, sha]) => ({
      ref: `refs/heads/${branch}`,
      sha,
      isDefault: branch === defaultBranch,
    }));
    await this.refs.publish(orgId, { repository, refs }, { complete: true });
  }

  /** Which addresses are whose, by the default branch. */
  private async takeMailmap(
    { orgId, repository: name }: ConnectedRepository,
    repository: Repository,
    tip: string,
  ): Promise<void> {
    await storeMailmap(this.database, orgId, name, parseMailmap(await readMailmap(repository, tip)));
  }

  /** Where a repository's mirror lies. */
  async remove(hookId: string): Promise<void> {
    await rm(this.pathOf(hookId), { recursive: true, force: true });
  }

  /** What stands in the repository comes first, so that its lines are nobody's new work; then the newest commits. */
  private async sendFirst(
    connected: ConnectedRepository,
    repository: Repository,
    tips: ReadonlyMap<string, string>,
    defaultBranch: string | null,
    signal: AbortSignal,
  ): Promise<number> {
    const { orgId, history } = connected;
    const shas = [...tips.values()];
    const refs = history === 0 ? [] : await listNewCommits(repository, shas, [], { max: history });
    const first = refs[0];
    const before = first ? first.parents[0] : (tips.get(defaultBranch ?? '') ?? shas[0]);
    if (before !== undefined && !(await isRepositoryCounted(this.database, orgId, connected.repository))) {
      await sendBaseline(repository, before, namesOf(connected), this.sink.forOrganisation(orgId));
    }
    return this.sendCommits(connected, repository, refs, signal);
  }

  private async sendCommits(
    connected: ConnectedRepository,
    repository: Repository,
    refs: readonly CommitRef[],
    signal: AbortSignal,
  ): Promise<number> {
    const { repository: name, ...project } = namesOf(connected);
    const lineKey = await this.lineKeyOf(connected.orgId);
    const records = await LineRecords.open(repository);
    const report = await sendHistory(refs, {
      repository,
      name,
      ...project,
      sink: this.sink.forOrganisation(connected.orgId),
      lineKey,
      declarations: defaultDeclarationPatterns,
      records,
      signal,
    }).finally(() => records.close());
    if (report.stopped) throw new LineprintError('git-aborted', 'It was given up', { transient: true });
    const left = report.skipped.length + report.refused.length;
    if (left > 0) {
      this.logger.warn(
        { hookId: connected.hookId, skipped: report.skipped, refused: report.refused },
        'commits of a mirror could not be sent',
      );
    }
    return report.accepted;
  }

  private mirrorOf(connected: ConnectedRepository, signal: AbortSignal): Mirror {
    const { git } = this.config;
    const remote = remoteOf(connected.cloneUrl, git);
    const { credential: reference, orgId } = connected;
    const credential =
      reference === null
        ? undefined
        : remote.protocol === 'ssh'
          ? secretFile(reference, orgId, this.config)
          : readSecret(reference, orgId, this.config);
    return new Mirror({
      path: this.pathOf(connected.hookId),
      remote,
      ...(credential === undefined ? {} : { credential }),
      ...(git.caFile === undefined ? {} : { caFile: git.caFile }),
      ...(git.knownHostsFile === undefined ? {} : { knownHostsFile: git.knownHostsFile }),
      timeoutMs: git.fetchTimeoutMs,
      maxBytes: git.maxMirrorBytes,
      signal,
    });
  }

  private pathOf(hookId: string): string {
    return mirrorPath(this.config.git.mirrorDirectory, hookId);
  }

  private async lineKeyOf(orgId: string): Promise<LineKey> {
    const [key] = await activeLineKeys(this.database, orgId);
    if (key) return deriveLineKey(key.secret, key.keyId);
    throw new LineprintError('line-key-missing', `Organisation ${orgId} has no key for line prints`);
  }
}

function namesOf({ repository, projectId }: ConnectedRepository): { repository: string; projectId?: string } {
  return { repository, ...(projectId === null ? {} : { projectId }) };
}
