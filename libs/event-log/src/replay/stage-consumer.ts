import {
  advanceReplay,
  type Database,
  failReplay,
  paceReplay,
  type Queryable,
  type Replay,
  type ReplayPlace,
  replayPosition,
  type ReplayStep,
} from '@lineprint/persistence';
import { isTransient, StoreError } from '@lineprint/platform';
import type { Batch, BatchResult, LogRecord } from '../log';

/** How soon a partition is looked at again that the replay does not work on now; its consumer ends before long. */
const IDLE_MS = 1_000;
/** So many records that fail for good are no exception any more. */
const MOST_REFUSED = 100;

/** Moves the replay past the batch, in the transaction of its effects; throws where that must not have any. */
export type Advance = (tx: Queryable, counts: Omit<ReplayStep, 'from' | 'to'>) => Promise<void>;

/**
 * The effects of a batch of a replay.
 * @param own those of the batch's records that are the replay's organisation's
 * @param advance to be called once
 */
export type StageEffects = (own: Batch, advance: Advance) => Promise<void>;

/**
 * Hands a replay's records over, each once whatever ends a process or gives a partition to another one, as fast as the
 * replay may go.
 */
export class StageConsumer {
  private unexpected = 0;

  constructor(
    private readonly database: Database,
    private readonly replay: Replay,
    private readonly effects: StageEffects,
  ) {}

  async consume(batch: Batch): Promise<BatchResult> {
    const place = { replayId: this.replay.id, stage: this.replay.stage, partition: batch.partition };
    const next = await replayPosition(this.database, place);
    if (next === null) return { processed: 0, retryAfterMs: IDLE_MS };
    const done = batch.records.filter(({ offset }) => offset < next).length;
    const { records, retryAfterMs } = await this.admit(batch.records.slice(done));
    if (records.length > 0) {
      const advance: Advance = (tx, counts) =>
        this.advance(tx, place, { from: next, to: records.at(-1)!.offset + 1, ...counts });
      try {
        const own = records.filter((record) => this.isOwn(record));
        await this.effects({ ...batch, records: own }, advance);
      } catch (error) {
        // Alone, a record that fails for good is given up; among others the runner finds it.
        if (isTransient(error) || batch.signal.aborted || batch.records.length > 1) throw error;
        await this.giveUp(advance, error);
      }
    }
    return { processed: done + records.length, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }

  /** The leading records that may be taken now under the replay's limit of commits a second. */
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

  private async giveUp(advance: Advance, error: unknown): Promise<void> {
    await this.database.transaction((tx) => advance(tx, { judged: 0, written: 0, refused: 1 }));
    this.unexpected += 1;
    if (this.unexpected <= MOST_REFUSED) return;
    const message = error instanceof Error ? error.message : String(error);
    await failReplay(this.database, this.replay.id, 'too-many-refused', message);
  }

  private async advance(tx: Queryable, place: ReplayPlace, step: ReplayStep): Promise<void> {
    if (await advanceReplay(tx, place, step)) return;
    throw new StoreError(
      'replay-moved-on',
      `Replay ${this.replay.id} was stopped, or another process has taken the batch meanwhile`,
    );
  }
}
