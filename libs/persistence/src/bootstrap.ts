import { DEFAULT_POLICY } from '@lineprint/contracts';
import type { Config } from '@lineprint/platform';
import type { Database } from './database';
import { createApiKey, importApiKey } from './api-keys';
import { ensurePolicy } from './policies';
import { ensureLineKey, ensureTenant } from './tenants';

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
  await ensureTenant(database, { orgId, name: orgId, timeZone: settings.timeZone });
  const lineKey = await ensureLineKey(database, orgId, settings.lineKey);
  await ensurePolicy(database, orgId, DEFAULT_POLICY, true);
  let apiKey: string | null = null;
  if (settings.apiKey) {
    await importApiKey(database, orgId, settings.apiKey, ['admin']);
  } else {
    const [row] = await database.query<{ known: number }>(
      'SELECT COUNT(*) AS known FROM api_keys WHERE org_id = $1 AND revoked_at IS NULL',
      [orgId],
    );
    if (!row || row.known === 0) apiKey = (await createApiKey(database, { orgId, scopes: ['admin'] })).key;
  }
  return { orgId, apiKey, keyId: lineKey.keyId, lineKey: Buffer.from(lineKey.secret).toString('base64') };
}
