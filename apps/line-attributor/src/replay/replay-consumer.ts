import { type AttributionEvent, candidatesEventSchema, type Policy } from '@lineprint/contracts';
import { type Batch, type BatchResult, type LogRecord, readBatch } from '@lineprint/event-log';
import {
  advanceReplay,
  type Database,
  failReplay,
  loadTenant,
  paceReplay,
  type Replay,
  type ReplayFilter,
  type ReplayPlace,
  replayPosition,
  saveJudgedCommits,
} from '@lineprint/persistence';
import { isTransient, LineprintError, StoreError } from '@lineprint/platform';
import { attributionRows, type CommitRows, type TenantClock, writeVerdicts } from '@lineprint/results';
import { CommitJudge } from '../attribution/commit-judge';

/** How soon a partition is looked at again that the replay does not work on now; its consumer ends before long. */
const IDLE_MS = 1_000;
/** So many records that cannot be judged are no exception any more. */
const MOST_REFUSED = 100;

/**
 * Judges the commits of one replay and writes what comes out: ledger, results, days and how far it is, in one
 * transaction, so that each commit has its effect once whatever ends a process or gives a partition to another one.
 */
export class ReplayConsumer {
  private readonly judge: CommitJudge;
  /** Records given up so far by this process. */
  private givenUp = 0;

  constructor(
    private readonly database: Database,
    private readonly replay: Replay,
    private readonly policy: Policy,
  ) {
    this.judge = new CommitJudge(database);
  }

  async consume(batch: Batch): Promise<BatchResult> {
    const place = { replayId: this.replay.id, stage: this.replay.stage, partition: batch.partition };
    const next = await replayPosition(this.database, place);
    if (next === null) return { processed: 0, retryAfterMs: IDLE_MS };
    const done = batch.records.filter(({ offset }) => offset < next).length;
    const pending = batch.records.slice(done);
    const { records, retryAfterMs } = await this.admit(pending);
    if (records.length > 0) {
      try {
        await this.write(place, next, { ...batch, records });
      } catch (error) {
        // Alone, a record that fails for good is given up; among others the runner finds it.
        if (isTransient(error) || batch.signal.aborted || batch.records.length > 1) throw error;
        await this.giveUp(place, next, records[0]!, error);
      }
    }
    return { processed: done + records.length, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }

  /** The leading records that may be judged now under the replay's limit of commits a second. */
  private async admit(
    pending: readonly LogRecord[],
  ): Promise<{ records: readonly LogRecord[]; retryAfterMs?: number }> {
    const own = pending.filter((record) => this.isOwn(record));
    if (own.length === 0) return { records: pending };
    const { granted, retryAfterMs } = await paceReplay(this.database, this.replay.id, own.length);
    const refused = own[granted];
    if (!refused) return { records: pending };
    const records = pending.slice(0, pending.indexOf(refused));
    return { records, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }

  private isOwn({ headers }: LogRecord): boolean {
    return headers['lp_tenant'] === this.replay.orgId;
  }

  private async write(place: ReplayPlace, from: number, batch: Batch): Promise<void> {
    const { orgId } = this.replay;
    const own = batch.records.filter((record) => this.isOwn(record));
    // What is no event is in the live group's dead letters.
    const { events, deadLetters } = readBatch({ ...batch, records: own }, candidatesEventSchema);
    const clock = (await loadTenant(this.database, orgId)) ?? { timeZone: 'UTC', dayBy: 'author' };
    const to = batch.records[batch.records.length - 1]!.offset + 1;
    await this.judge.judge(
      orgId,
      this.policy,
      events.map(({ event }) => event),
      async (verdicts, ledger) => {
        const { rows, refused } = storableRows(verdicts, clock);
        const wanted = rows.filter(({ commit }) => isInside(this.replay, commit));
        await this.database.transaction(async (tx) => {
          await this.advance(tx, place, {
            from,
            to,
            judged: verdicts.length,
            written: wanted.length,
            refused: deadLetters.length + refused,
          });
          await saveJudgedCommits(tx, ledger);
          await writeVerdicts(tx, wanted);
        });
      },
    );
  }

  private async giveUp(place: ReplayPlace, from: number, record: LogRecord, error: unknown): Promise<void> {
    await this.database.transaction((tx) =>
      this.advance(tx, place, { from, to: record.offset + 1, judged: 0, written: 0, refused: 1 }),
    );
    this.givenUp += 1;
    if (this.givenUp <= MOST_REFUSED) return;
    const message = error instanceof Error ? error.message : String(error);
    await failReplay(this.database, this.replay.id, 'too-many-refused', message);
  }

  private async advance(...step: Parameters<typeof advanceReplay>): Promise<void> {
    if (await advanceReplay(...step)) return;
    throw new StoreError(
      'replay-moved-on',
      `Replay ${this.replay.id} was stopped, or another process has judged the batch meanwhile`,
    );
  }
}

/** The rows of verdicts, but for those that live would dead-letter as well. */
function storableRows(
  verdicts: readonly AttributionEvent[],
  clock: TenantClock,
): { rows: CommitRows[]; refused: number } {
  const rows: CommitRows[] = [];
  let refused = 0;
  for (const verdict of verdicts) {
    try {
      rows.push(attributionRows(verdict, clock));
    } catch (error) {
      if (!(error instanceof LineprintError) || error.transient) throw error;
      refused += 1;
    }
  }
  return { rows, refused };
}

function isInside({ repository, from, to }: ReplayFilter, commit: CommitRows['commit']): boolean {
  const committedAt = Date.parse(commit.committed_at);
  return (
    (repository === null || repository === commit.repository) &&
    (from === null || committedAt >= from.getTime()) &&
    (to === null || committedAt < to.getTime())
  );
}
