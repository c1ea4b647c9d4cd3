import { Controller, Inject } from '@nestjs/common';
import { candidatesEventSchema, GROUPS, repositoryKey, TOPICS } from '@lineprint/contracts';
import {
  type Batch,
  type BatchResult,
  ConsumeBatches,
  EVENT_LOG,
  type EventLog,
  newEvent,
  newRefsEvent,
  type OutgoingRecord,
  readBatch,
  readRefs,
} from '@lineprint/event-log';
import { DATABASE, type Database, livePolicy } from '@lineprint/persistence';
import { CommitJudge } from './commit-judge';
import { JudgeCaches } from './judge-caches';

/**
 * Judges each commit as it comes, under its organisation's live policy; every other policy has its replay. What refs
 * name is passed on between the verdicts on the commits before and after it.
 */
@Controller()
export class CandidatesConsumer {
  private readonly judge: CommitJudge;

  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    caches: JudgeCaches,
  ) {
    this.judge = new CommitJudge(database, caches);
  }

  @ConsumeBatches({ topic: TOPICS.candidates, group: GROUPS.lineAttributor, maxRecords: 128 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, candidatesEventSchema);
    const outgoing = new Map<number, OutgoingRecord>();
    for (const tenant of new Set(events.map(({ event }) => event.commit.tenant))) {
      const policy = await livePolicy(this.database, tenant);
      if (!policy) continue;
      const own = events.filter(({ event }) => event.commit.tenant === tenant);
      const verdicts = await this.judge.judge(
        tenant,
        policy,
        own.map(({ event }) => event),
      );
      own.forEach(({ record, event }, i) =>
        outgoing.set(
          record.offset,
          newEvent({
            topic: TOPICS.attributions,
            key: repositoryKey(tenant, event.commit.repository),
            tenant,
            source: 'line-attributor',
            value: verdicts[i],
            cause: record,
          }),
        ),
      );
    }
    const refs = readRefs(batch);
    for (const { record, event } of refs.events) {
      outgoing.set(
        record.offset,
        newRefsEvent({ topic: TOPICS.attributions, source: 'line-attributor', value: event, cause: record }),
      );
    }
    // In the order of the topic, whatever tenant a commit belongs to.
    const records = batch.records.flatMap((record) => outgoing.get(record.offset) ?? []);
    if (records.length > 0) await this.log.append(records);
    return { processed: batch.records.length, deadLetters: [...deadLetters, ...refs.deadLetters] };
  }
}
