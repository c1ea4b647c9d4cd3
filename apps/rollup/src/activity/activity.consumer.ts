import { Controller, Inject } from '@nestjs/common';
import { type ActivityEvent, activityEventSchema, GROUPS, personId, TOPICS } from '@lineprint/contracts';
import { type Batch, type BatchResult, ConsumeBatches, readBatch } from '@lineprint/event-log';
import { DATABASE, type Database, judgedPolicies, loadTenant, lockTenant } from '@lineprint/persistence';
import { localDay } from '@lineprint/platform';
import { type DailyKey, lockDaily, recomputeDaily } from '@lineprint/results';
import {
  sessionPlaces,
  type SessionRow,
  type SurvivalRow,
  upsertSessions,
  usersOfSessions,
} from './activity.queries';

/** Where a session's user is not known from the report, the credential or the session's fingerprints. */
const UNKNOWN_USER = 'unknown';

/** Keeps the newest totals of each assistant session and the daily rows they belong to. */
@Controller()
export class ActivityConsumer {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  @ConsumeBatches({ topic: TOPICS.activity, group: GROUPS.rollupActivity })
  async consume(batch: Batch): Promise<BatchResult> {
    const { events, deadLetters } = readBatch(batch, activityEventSchema);
    const newest = new Map<string, ActivityEvent>();
    for (const { event } of events) {
      const key = `${event.tenant}\u0000${event.sessionId}`;
      if ((newest.get(key)?.timestamp ?? -1) < event.timestamp) newest.set(key, event);
    }
    const zones = new Map<string, string>();
    for (const { tenant } of newest.values()) {
      if (zones.has(tenant)) continue;
      zones.set(tenant, (await loadTenant(this.database, tenant))?.timeZone ?? 'UTC');
    }
    await this.database.transaction(async (tx) => {
      // No replay starts meanwhile: it would miss the sessions at its end, and these days it.
      const policies: Pick<DailyKey, 'org_id' | 'policy_id'>[] = [];
      for (const orgId of [...zones.keys()].sort()) {
        await lockTenant(tx, orgId);
        const ids = await judgedPolicies(tx, orgId);
        policies.push(...ids.map((id) => ({ org_id: orgId, policy_id: id })));
      }
      await lockDaily(tx, policies);
      const sessions = [...newest.values()].map((e) => ({ org_id: e.tenant, session_id: e.sessionId }));
      const before = await sessionPlaces(tx, sessions);
      const users = await usersOfSessions(tx, sessions);
      await upsertSessions(
        tx,
        [...newest].map(([key, event]) =>
          sessionRow(event, users.get(key), localDay(event.timestamp, zones.get(event.tenant)!)),
        ),
      );
      const after = await sessionPlaces(tx, sessions);
      const days = new Map<string, DailyKey>();
      for (const { org_id, user_id, project_id, day } of [...before, ...after]) {
        for (const { policy_id } of policies.filter((policy) => policy.org_id === org_id)) {
          const key = { org_id, policy_id, date: day, user_id, project_id };
          days.set(JSON.stringify(key), key);
        }
      }
      if (days.size > 0) await recomputeDaily(tx, [...days.values()]);
    });
    return { processed: batch.records.length, deadLetters };
  }
}

function sessionRow(event: ActivityEvent, knownUser: string | undefined, day: string): SessionRow {
  return {
    org_id: event.tenant,
    session_id: event.sessionId,
    user_id: personId(event.userId ?? knownUser ?? UNKNOWN_USER),
    project_id: event.projectId,
    day,
    reported_at: new Date(event.timestamp).toISOString(),
    tab_suggestions_shown: event.tab?.suggestionsShown ?? 0,
    tab_suggestions_accepted: event.tab?.suggestionsAccepted ?? 0,
    tab_chars_accepted: event.tab?.charsAccepted ?? 0,
    chat_edits: event.chat?.edits ?? 0,
    chat_additions: event.chat?.additions ?? 0,
    chat_deletions: event.chat?.deletions ?? 0,
    agent_tasks: event.agent?.tasks ?? 0,
    agent_additions: event.agent?.additions ?? 0,
    agent_deletions: event.agent?.deletions ?? 0,
    survival: survivalRows(event),
  };
}

/** Of a time that is named twice, the first. */
function survivalRows({ tab }: ActivityEvent): SurvivalRow[] {
  const rows = new Map<number, SurvivalRow>();
  for (const { afterSeconds, checks, stillInCode, wordSimilarity, charSimilarity } of tab?.survival ?? []) {
    if (rows.has(afterSeconds)) continue;
    rows.set(afterSeconds, {
      after_seconds: afterSeconds,
      checks,
      still_in_code: stillInCode,
      word_similarity: wordSimilarity,
      char_similarity: charSimilarity,
    });
  }
  return [...rows.values()];
}
