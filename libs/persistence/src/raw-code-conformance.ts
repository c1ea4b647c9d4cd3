import { RawCodeKeys } from '@lineprint/platform';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Database, Queryable } from './database';
import { rawCodeKeyUses, rotateRawCode } from './raw-code';
import { insertSnippets, type SnippetRow } from './snippets';

/** Rotation of the keys of raw code, on every adapter. @param aSnippet a row of an organisation */
export function rawCodeConformance(
  database: () => Database,
  aSnippet: (row: Partial<SnippetRow> & Pick<SnippetRow, 'orgId'>) => SnippetRow,
): void {
  async function stored(keys: RawCodeKeys, count: number): Promise<string> {
    const orgId = `org-${randomUUID()}`;
    const rows = Array.from({ length: count }, (_, i) =>
      aSnippet({ orgId, codeId: `c${i}`, offset: i, rawCodeEncrypted: keys.encrypt(`code ${i}`) }),
    );
    await insertSnippets(database(), [...rows, aSnippet({ orgId, codeId: 'none', offset: count })]);
    return orgId;
  }
  const codesOf = async (orgId: string) =>
    database().query<{ code_id: string; code: string | null }>(
      'SELECT code_id, raw_code_encrypted AS code FROM ai_code_fingerprints WHERE org_id = $1 ORDER BY code_id',
      [orgId],
    );

  it('encrypts all code anew, goes on where it was ended, and then needs the old key no more', async () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const old = new RawCodeKeys([before]);
    const orgId = await stored(old, 450);
    const both = new RawCodeKeys([after, before]);
    const ended = rotateRawCode(database(), both, ({ rotated }) => {
      if (rotated > 0) throw new Error('ended');
    });
    await expect(ended).rejects.toThrow('ended');
    await rotateRawCode(database(), both, () => undefined);
    const alone = new RawCodeKeys([after]);
    const codes = (await codesOf(orgId)).map(({ code_id, code }) => [code_id, code && alone.decrypt(code)]);
    expect(Object.fromEntries(codes)).toEqual({
      none: null,
      ...Object.fromEntries(Array.from({ length: 450 }, (_, i) => [`c${i}`, `code ${i}`])),
    });
    const uses = await rawCodeKeyUses(database());
    expect(uses.filter(({ keyId }) => keyId === both.ids[0])).toEqual([
      { keyId: both.ids[0], snippets: 450 },
    ]);
    expect(uses.map(({ keyId }) => keyId)).not.toContain(old.ids[0]);
  });

  it('leaves code that no key reads, and brings none back that was deleted meanwhile', async () => {
    const [before, after, strange] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    const unreadable = await stored(new RawCodeKeys([strange]), 1);
    const [kept] = await codesOf(unreadable);
    const orgId = await stored(new RawCodeKeys([before]), 2);
    const deleting: Queryable = {
      query: async (sql, params) => {
        if (sql.includes('UPDATE')) {
          await database().query(
            'UPDATE ai_code_fingerprints SET raw_code_encrypted = NULL WHERE org_id = $1',
            [orgId],
          );
        }
        return database().query(sql, params);
      },
    };
    const made = await rotateRawCode(deleting, new RawCodeKeys([after, before]), () => undefined);
    expect(made.unreadable).toBeGreaterThan(0);
    expect(await codesOf(unreadable)).toContainEqual(kept);
    expect((await codesOf(orgId)).map(({ code }) => code)).toEqual([null, null, null]);
  });
}
