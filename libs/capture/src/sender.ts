import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchAnswer, CodeFingerprint } from '@lineprint/contracts';
import { writeAtomically } from './atomic-file';
import type { CaptureState } from './capture-state';
import { ClientRefusal, ClientUnavailable, LineprintClient } from './client';
import { readInbox } from './inbox';
import { loadProgress, type Progress, saveProgress } from './progress';
import { SenderLock } from './sender-lock';
import { Spool } from './spool';

export interface SendOptions {
  /** Ends the sender: what has no answer by then stays in the spool. */
  readonly signal?: AbortSignal;
  /** Also when the server asked to be left alone or did not answer lately: somebody waits for it. */
  readonly now?: boolean;
  readonly client?: Pick<LineprintClient, 'sendFingerprints' | 'enrolment'>;
  readonly clock?: () => number;
  readonly random?: () => number;
}

export type SendOutcome = 'sent' | 'busy' | 'waiting' | 'failed';

/** A batch of the spool; the client cuts it further where it must. */
const GROUP_BYTES = 3 * 1024 * 1024;
const GROUP_RECORDS = 500;
const FIRST_BACKOFF_MS = 5000;
const MAX_BACKOFF_MS = 600_000;
/** A key that was revoked, or an address where another service answers, is not mended in seconds. */
const REFUSED_BACKOFF_MS = MAX_BACKOFF_MS;
const MAX_RETRY_AFTER_MS = 3_600_000;
const ENROLMENT_MS = 86_400_000;
/** Files of refused fingerprints that are kept. */
const MAX_REFUSED_FILES = 200;
/** Statuses of a whole request that can be one item's fault: it is found by halving. */
const DIVISIBLE = new Set([400, 413, 422]);

/** A refused fingerprint as it is kept, with the server's reason. */
export interface Refused {
  readonly code: string;
  readonly detail: string;
  readonly fingerprint: CodeFingerprint;
}

/**
 * Reads what hooks put aside and sends everything that is spooled. Removes only what was answered: accepted, or
 * refused for a reason of its own, which is kept beside. Whatever fails is recorded in the state, not thrown.
 */
export async function sendSpool(state: CaptureState, options: SendOptions = {}): Promise<SendOutcome> {
  const { clock = Date.now } = options;
  const due = options.now || (loadProgress(state.progressPath).nextTryAt ?? 0) <= clock();
  for (;;) {
    const lock = SenderLock.take(state.lockPath);
    if (!lock) return 'busy';
    let outcome: SendOutcome;
    try {
      outcome = await new Sending(state, options, clock).run(due);
    } finally {
      lock.release();
    }
    // A hook that saw the lock has left its event to us.
    const left = [state.inboxDirectory, ...(outcome === 'sent' ? [state.spoolDirectory] : [])];
    if (outcome === 'failed' || left.every((directory) => new Spool(directory).segments().length === 0)) {
      return outcome;
    }
  }
}

class Sending {
  private readonly spool: Spool;
  private progress: Progress;

  constructor(
    private readonly state: CaptureState,
    private readonly options: SendOptions,
    private readonly clock: () => number,
  ) {
    this.spool = new Spool(state.spoolDirectory);
    this.progress = loadProgress(state.progressPath);
  }

  async run(due: boolean): Promise<SendOutcome> {
    try {
      this.tidy();
      if (!due) return 'waiting';
      const client = this.options.client ?? this.openClient();
      await this.refreshEnrolment(client);
      for (;;) {
        const group = this.nextGroup();
        if (group.names.length === 0) return 'sent';
        this.settle(group, await this.sendHalving(client, group.records));
      }
    } catch (error) {
      this.fail(error);
      return 'failed';
    }
  }

  /** Finishes what a killed sender began, reads the inbox, and keeps the spool within its limits. */
  private tidy(): void {
    const { answered } = this.progress;
    answered.forEach((name) => this.spool.remove(name));
    if (answered.length > 0) this.save({ answered: [] });
    const now = this.clock();
    const dropped = readInbox(this.state, now) + this.spool.enforceLimits(now);
    if (dropped === 0) return;
    this.save({ dropped: this.progress.dropped + dropped });
    this.state.log(`dropped ${dropped}: not understood, too old, or more than is kept`, now);
  }

  private openClient(): LineprintClient {
    const { url, apiKey } = this.state.settings();
    const { signal } = this.options;
    // The wait between tries is ours, and longer than a process should live.
    return new LineprintClient({ url, apiKey, retries: 0, ...(signal && { signal }) });
  }

  /** The organisation's key may have been rotated, and its mind on code changed. */
  private async refreshEnrolment(client: Pick<LineprintClient, 'enrolment'>): Promise<void> {
    const settings = this.state.settings();
    const now = this.clock();
    if (now - settings.enrolledAt < ENROLMENT_MS) return;
    const { orgId, keyId, lineKey, rawCode } = await client.enrolment();
    this.state.saveSettings({
      ...settings,
      orgId,
      keyId,
      lineKey,
      rawCode: rawCode ?? false,
      enrolledAt: now,
    });
  }

  private nextGroup(): Group {
    const group: Group = { names: [], records: [], damaged: 0 };
    let bytes = 0;
    for (const segment of this.spool.segments()) {
      if (group.names.length > 0 && bytes + segment.bytes > GROUP_BYTES) break;
      for (const record of this.spool.read(segment.name)) {
        const fingerprint = fingerprintIn(record);
        if (fingerprint) group.records.push(fingerprint);
        else group.damaged++;
      }
      group.names.push(segment.name);
      bytes += segment.bytes;
      if (group.records.length >= GROUP_RECORDS) break;
    }
    return group;
  }

  private async sendHalving(
    client: Pick<LineprintClient, 'sendFingerprints'>,
    records: readonly CodeFingerprint[],
  ): Promise<BatchAnswer> {
    try {
      return await client.sendFingerprints(records);
    } catch (error) {
      if (!(error instanceof ClientRefusal) || !DIVISIBLE.has(error.status)) throw error;
      if (records.length === 1) {
        return { accepted: 0, rejected: [{ index: 0, code: error.code, detail: error.message }] };
      }
      const middle = records.length >> 1;
      const first = await this.sendHalving(client, records.slice(0, middle));
      const second = await this.sendHalving(client, records.slice(middle));
      return {
        accepted: first.accepted + second.accepted,
        rejected: [
          ...first.rejected,
          ...second.rejected.map((item) => ({ ...item, index: item.index + middle })),
        ],
      };
    }
  }

  /** The numbers and the names of the segments change in one step, so that a kill in between counts nothing twice. */
  private settle({ names, records, damaged }: Group, { rejected }: BatchAnswer): void {
    const now = this.clock();
    if (rejected.length > 0) this.keepRefused(names[0]!, records, rejected);
    if (records.length > 0) {
      writeAtomically(this.state.lastPath, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    }
    const { nextTryAt: _nextTryAt, ...progress } = this.progress;
    this.progress = {
      ...progress,
      sent: progress.sent + records.length - rejected.length,
      refused: progress.refused + rejected.length,
      dropped: progress.dropped + damaged,
      answered: names,
      failures: 0,
      lastSentAt: now,
    };
    this.save({});
    names.forEach((name) => this.spool.remove(name));
  }

  private keepRefused(
    name: string,
    records: readonly CodeFingerprint[],
    rejected: BatchAnswer['rejected'],
  ): void {
    const { refusedDirectory } = this.state;
    const kept = rejected.map(({ index, code, detail }): Refused => ({
      code,
      detail,
      fingerprint: records[index]!,
    }));
    writeAtomically(join(refusedDirectory, name), kept.map((item) => `${JSON.stringify(item)}\n`).join(''));
    const files = readdirSync(refusedDirectory).sort();
    files
      .slice(0, -MAX_REFUSED_FILES)
      .forEach((file) => rmSync(join(refusedDirectory, file), { force: true }));
    const [first] = rejected;
    this.state.log(
      `refused ${rejected.length} fingerprints, the first: ${first!.code}: ${first!.detail}`,
      this.clock(),
    );
  }

  private fail(error: unknown): void {
    const now = this.clock();
    const code = String((error as { code?: unknown }).code ?? 'unknown');
    const message = error instanceof Error ? error.message : String(error);
    this.state.log(`not sent: ${message} (${code})`, now);
    // Whoever ended the sender is not the server's failure.
    if (this.options.signal?.aborted) return;
    const failures = this.progress.failures + 1;
    this.save({
      failures,
      nextTryAt: now + this.pauseMs(error, failures),
      lastError: { at: now, code, message },
    });
  }

  private pauseMs(error: unknown, failures: number): number {
    if (!(error instanceof ClientUnavailable)) return REFUSED_BACKOFF_MS;
    if (error.retryAfterMs !== undefined) return Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs);
    const backoff = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (failures - 1));
    // Laptops that lost the server together do not come back together.
    return backoff * (0.5 + (this.options.random ?? Math.random)() / 2);
  }

  private save(changes: Partial<Progress>): void {
    this.progress = { ...this.progress, ...changes };
    saveProgress(this.state.progressPath, this.progress);
  }
}

interface Group {
  readonly names: string[];
  readonly records: CodeFingerprint[];
  damaged: number;
}

function fingerprintIn(record: string): CodeFingerprint | undefined {
  try {
    return JSON.parse(record) as CodeFingerprint;
  } catch {
    return undefined;
  }
}
