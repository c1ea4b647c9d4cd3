import { personId } from '@lineprint/contracts';
import { createHmac } from 'node:crypto';
import type { Queryable } from './database';

/** HMAC-SHA-256 under the organisation's erasure key. */
export function keyedHash(secret: Uint8Array, text: string): Buffer {
  return createHmac('sha256', secret).update(text).digest();
}

const ADDRESSES_REMEMBERED = 20_000;

/** Whom an organisation has erased, by the keyed hashes of their addresses. */
export class ErasedAddresses {
  private readonly known = new Map<string, { pseudonym: string; liftedAt: number } | null>();

  /** @param erased by the address's keyed hash in hex; `liftedAt` is Infinity where nobody has lifted it */
  constructor(
    private readonly secret: Uint8Array,
    private readonly erased: ReadonlyMap<string, { pseudonym: string; liftedAt: number }>,
  ) {}

  /**
   * What stands for the address, in whatever case it is written; undefined for whom nobody has erased.
   * @param at when the event was taken that has the address, milliseconds since 1970; what came after an erasure was
   * lifted has the person again
   */
  pseudonymOf(address: string, at: number): string | undefined {
    let found = this.known.get(address);
    if (found === undefined) {
      found = this.erased.get(keyedHash(this.secret, personId(address)).toString('hex')) ?? null;
      if (this.known.size >= ADDRESSES_REMEMBERED) this.known.clear();
      this.known.set(address, found);
    }
    return found !== null && at < found.liftedAt ? found.pseudonym : undefined;
  }
}

/** Of each of the organisations that have erased somebody, whom. */
export async function loadErasedAddresses(
  queryable: Queryable,
  orgIds: readonly string[],
): Promise<Map<string, ErasedAddresses>> {
  const rows = await queryable.query<{
    org_id: string;
    secret: Uint8Array;
    address_hash: Uint8Array;
    pseudonym: string;
    lifted_at: Date | null;
  }>(
    `SELECT a.org_id, k.secret, a.address_hash, a.pseudonym, e.lifted_at
       FROM erasure_keys k
       JOIN erased_addresses a ON a.org_id = k.org_id
       JOIN erasures e ON e.org_id = a.org_id AND e.pseudonym = a.pseudonym
      WHERE k.org_id = ANY ($1::text[])`,
    [orgIds],
  );
  const secrets = new Map(rows.map(({ org_id, secret }) => [org_id, secret]));
  return new Map(
    [...secrets].map(([orgId, secret]) => [
      orgId,
      new ErasedAddresses(
        secret,
        new Map(
          rows
            .filter(({ org_id }) => org_id === orgId)
            .map(({ address_hash, pseudonym, lifted_at }) => [
              Buffer.from(address_hash).toString('hex'),
              { pseudonym, liftedAt: lifted_at?.getTime() ?? Infinity },
            ]),
        ),
      ),
    ]),
  );
}

/** Where somebody is named beside the rows of commits, sessions and snippets: who has decided or asked for something. */
export const ACTOR_COLUMNS: readonly (readonly [table: string, column: string])[] = [
  ['audit_entries', 'actor'],
  ['audit_entries', 'target'],
  ['code_reads', 'read_by'],
  ['connected_repositories', 'created_by'],
  ['dead_letters', 'decided_by'],
  ['erasures', 'requested_by'],
  ['person_aliases', 'decided_by'],
  ['policies', 'created_by'],
  ['policy_activations', 'activated_by'],
  ['reconciliations', 'requested_by'],
  ['replays', 'created_by'],
];
