import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Config } from '@lineprint/platform';
import type { Database } from './database';
import { createApiKey, importApiKey } from './api-keys';
import { ensureFirstPolicy } from './policies';
import { ensureLineKey, ensureTenant, lockTenant } from './tenants';

export interface Bootstrap {
  readonly orgId: string;
  /** A key made by this start; null when the organisation had one already. Shown once, never stored. */
  readonly apiKey: string | null;
  readonly keyId: string;
  /** Base64. */
  readonly lineKey: string;
}

/**
 * Makes a fresh installation usable: the organisation, its line key, its first policy and an administrator's
 * API key. What is there already stays. Safe to call from several processes at once.
 */
export async function bootstrap(database: Database, settings: Config['bootstrap']): Promise<Bootstrap> {
  const { orgId } = settings;
  const { timeZone, weekStart } = settings;
  await ensureTenant(database, { orgId, name: orgId, timeZone, weekStart });
  const lineKey = await ensureLineKey(database, orgId, settings.lineKey);
  await ensureFirstPolicy(database, orgId, DEFAULT_POLICY);
  let apiKey: string | null = null;
  if (settings.apiKey) await importApiKey(database, orgId, settings.apiKey, ['admin']);
  else apiKey = await createFirstApiKey(database, orgId);
  return { orgId, apiKey, keyId: lineKey.keyId, lineKey: Buffer.from(lineKey.secret).toString('base64') };
}

/** An administrator's key unless the organisation has one; counted under its lock, so that two starts make one. */
async function createFirstApiKey(database: Database, orgId: string): Promise<string | null> {
  return database.transaction(async (tx) => {
    await lockTenant(tx, orgId);
    const [known] = await tx.query(
      'SELECT 1 FROM api_keys WHERE org_id = $1 AND revoked_at IS NULL LIMIT 1',
      [orgId],
    );
    return known ? null : (await createApiKey(tx, { orgId, scopes: ['admin'] })).key;
  });
}
