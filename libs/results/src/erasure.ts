import { setTimeout as delay } from 'node:timers/promises';
import {
  type Database,
  endErasure,
  eraseIdentity,
  eraseSnippets,
  type Erasure,
  lockLedger,
  noteStaleOrigins,
  storedAddresses,
  takeErasure,
} from '@lineprint/persistence';
import { lockCounting } from './counted-refs';
import { type DailyKey, recomputeDays } from './results.queries';

/** How long it waits for who works at a repository's ledger. */
const BUSY_MS = 50;

/**
 * Takes the oldest erasure that waits, and puts the pseudonym in the person's place wherever rows have it, until none
 * does. The addresses are nobody's note: they are found by their hashes, and who they stand for is deleted last, so that
 * a process that dies in between leaves what the next one goes on with.
 *
 * @returns what is finished; null where none waited, or the signal came
 */
export async function eraseNext(database: Database, signal: AbortSignal): Promise<Erasure | null> {
  const erasure = await takeErasure(database);
  if (!erasure) return null;
  const { orgId, pseudonym } = erasure;
  for (;;) {
    if (signal.aborted) {
      await endErasure(database, erasure, false);
      return null;
    }
    const addresses = (await storedAddresses(database, orgId)).get(pseudonym);
    if (!addresses) break;
    await eraseSnippets(database, orgId, addresses, pseudonym);
    await eraseResults(database, orgId, addresses, pseudonym);
    if (!(await eraseInLedger(database, orgId, addresses, pseudonym, signal))) continue;
    await database.transaction((tx) => eraseIdentity(tx, orgId, addresses, pseudonym));
  }
  await endErasure(database, erasure, true);
  return erasure;
}

/** Gives results, commits and sessions to the pseudonym, and sums their days anew: everybody else's stay as they are. */
async function eraseResults(
  database: Database,
  orgId: string,
  addresses: readonly string[],
  pseudonym: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const judged = (await lockCounting(tx, [orgId])).get(orgId) ?? [];
    const person = [orgId, addresses, pseudonym];
    const policies = await tx.query<{ policy_id: string }>(
      'SELECT policy_id FROM policies WHERE org_id = $1 ORDER BY policy_id',
      [orgId],
    );
    const sessions = await tx.query<{ date: string; user_id: string; project_id: string }>(
      `SELECT DISTINCT day::text AS date, user_id, project_id FROM activity_sessions
        WHERE org_id = $1 AND user_id = ANY ($2::text[])`,
      [orgId, addresses],
    );
    const days: DailyKey[] = [];
    for (const { policy_id } of policies) {
      const rows = await tx.query<{ date: string; user_id: string; project_id: string }>(
        `WITH own AS (
           SELECT id, day, user_id, project_id FROM ai_attribution_results
            WHERE org_id = $1 AND policy_id = $4 AND user_id = ANY ($2::text[])
         ), erased AS (
           UPDATE ai_attribution_results r SET user_id = $3::text FROM own WHERE r.id = own.id
         )
         SELECT DISTINCT day::text AS date, user_id, project_id FROM own`,
        [...person, policy_id],
      );
      for (const row of judged.includes(policy_id) ? [...rows, ...sessions] : rows) {
        days.push(
          { org_id: orgId, policy_id, ...row },
          { org_id: orgId, policy_id, ...row, user_id: pseudonym },
        );
      }
    }
    await tx.query(
      `UPDATE commits SET user_id = $3::text, author_name = $3::text, author_email = $3::text
        WHERE org_id = $1 AND user_id = ANY ($2::text[])`,
      person,
    );
    await tx.query(
      'UPDATE activity_sessions SET user_id = $3::text WHERE org_id = $1 AND user_id = ANY ($2::text[])',
      person,
    );
    await recomputeDays(tx, days);
  });
}

/**
 * What stands, and stood, at tips of branches; it is labelled anew as well, since its rows are in the order of names. In
 * turns with who labels lines: what had read the old name has written it by then.
 *
 * @returns false where the signal came
 */
async function eraseInLedger(
  database: Database,
  orgId: string,
  addresses: readonly string[],
  pseudonym: string,
  signal: AbortSignal,
): Promise<boolean> {
  const commits = await database.query<{ repository: string; shas: string[] }>(
    `SELECT repository, ARRAY_AGG(sha::text ORDER BY sha) AS shas FROM commits
      WHERE org_id = $1 AND user_id = $2 GROUP BY repository ORDER BY repository`,
    [orgId, pseudonym],
  );
  for (const { repository, shas } of commits) {
    const place = { orgId, repository };
    const inTurn = () =>
      database.transaction(async (tx) => {
        if (!(await lockLedger(tx, place))) return false;
        for (const table of ['head_file_lines', 'life_lines']) {
          await tx.query(
            `UPDATE ${table} SET user_id = $3::text
              WHERE org_id = $1 AND repository = $4 AND user_id = ANY ($2::text[])`,
            [orgId, addresses, pseudonym, repository],
          );
        }
        await noteStaleOrigins(tx, place, shas);
        return true;
      });
    while (!(await inTurn())) {
      if (signal.aborted) return false;
      await delay(BUSY_MS);
    }
  }
  return true;
}
