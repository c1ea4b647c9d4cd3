import { type AttributionEvent, candidatesEventSchema, type Policy } from '@lineprint/contracts';
import { type Advance, type Batch, type BatchHandler, readBatch, StageConsumer } from '@lineprint/event-log';
import {
  type Database,
  loadTenant,
  type Replay,
  type ReplayFilter,
  saveJudgedCommits,
} from '@lineprint/persistence';
import { LineprintError } from '@lineprint/platform';
import { attributionRows, type CommitRows, type TenantClock, writeVerdicts } from '@lineprint/results';
import { CommitJudge } from '../attribution/commit-judge';
import type { JudgeCaches } from '../attribution/judge-caches';

/**
 * Judges the commits of one replay and writes what comes out: ledger, results, days and how far it is, in one
 * transaction, so that each commit has its effect once whatever ends a process or gives a partition to another one.
 */
export function replayHandler(
  database: Database,
  caches: JudgeCaches,
  replay: Replay,
  policy: Policy,
): BatchHandler {
  const judge = new CommitJudge(database, caches);
  const effects = async (own: Batch, advance: Advance): Promise<void> => {
    // What is no event is in the live group's dead letters.
    const { events, deadLetters } = readBatch(own, candidatesEventSchema);
    const clock = (await loadTenant(database, replay.orgId)) ?? { timeZone: 'UTC', dayBy: 'author' };
    await judge.judge(
      replay.orgId,
      policy,
      events.map(({ event }) => event),
      async (verdicts, ledger) => {
        const { rows, refused } = storableRows(verdicts, clock);
        const wanted = rows.filter(({ commit }) => isInside(replay, commit));
        await database.transaction(async (tx) => {
          await advance(tx, {
            judged: verdicts.length,
            written: wanted.length,
            refused: deadLetters.length + refused,
          });
          await saveJudgedCommits(tx, ledger);
          await writeVerdicts(tx, wanted);
        });
      },
    );
  };
  const consumer = new StageConsumer(database, replay, effects);
  return (batch) => consumer.consume(batch);
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
