import { packFollowed } from '@lineprint/attribution';
import {
  candidateFileSchema,
  candidatesEventSchema,
  commitHeaderSchema,
  GROUPS,
  inheritedRangeSchema,
  TOPICS,
} from '@lineprint/contracts';
import { type Batch, type BatchResult, ConsumeBatches, readBatch } from '@lineprint/event-log';
import { DATABASE, type Database, insertFollowedCommits } from '@lineprint/persistence';
import { Controller, Inject } from '@nestjs/common';
import { z } from 'zod';

/** What the ledger reads of a commit's candidates: the rest, most of it, is not looked at. */
const followedEventSchema = z.object({
  commit: commitHeaderSchema.pick({
    tenant: true,
    projectId: true,
    repository: true,
    sha: true,
    parents: true,
    committedAt: true,
  }),
  files: z.array(
    candidateFileSchema
      .pick({ path: true, oldPath: true, status: true, edits: true })
      .extend({ inherited: z.array(inheritedRangeSchema.omit({ how: true })) }),
  ),
  merged: candidatesEventSchema.shape.merged,
});

/** Keeps what each commit does to lines. A commit that comes again, also revised, does the same to them. */
@Controller()
export class FollowedConsumer {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @ConsumeBatches({ topic: TOPICS.candidates, group: GROUPS.ledger, maxRecords: 128 })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events } = readBatch(batch, followedEventSchema);
    await insertFollowedCommits(
      this.database,
      events.map(({ event: { commit, files, merged } }) => ({
        orgId: commit.tenant,
        repository: commit.repository,
        sha: commit.sha,
        parents: commit.parents,
        committedAt: commit.committedAt,
        projectId: commit.projectId,
        followed: packFollowed({ files, merged }),
      })),
    );
    // What cannot be read is a dead letter of the group that judges it; once would be twice here.
    return { processed: batch.records.length };
  }
}
