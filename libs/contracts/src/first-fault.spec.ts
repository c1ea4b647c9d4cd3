import { z } from 'zod';
import { codeGenStatsSchema } from './activity/activity';
import { commitPushSchema } from './commits/commit';
import { check } from './first-fault';
import { refsPushSchema } from './refs/refs';
import { codeFingerprintSchema } from './snippets/snippet';

it('a value without a fault is what the schema makes of it', () => {
  expect(check(z.object({ a: z.string().trim() }), { a: ' b ', c: 1 })).toEqual({ data: { a: 'b' } });
});

it('the first fault says where it is and what', () => {
  expect(check(z.array(z.object({ a: z.int() })), [{ a: 1 }, { a: 'b' }, { a: 'c' }])).toMatchObject({
    fault: { path: [1, 'a'], code: 'invalid_type' },
  });
});

/** Wrong in as many ways as a list's items can be. */
it.each([-1, 0.5, 1e300, null, {}, [], 'x'.repeat(300), '\0', ''])(
  'a list of 200,000 times %j has one fault, wherever it stands',
  (item) => {
    let read = 0;
    const many: unknown[] = new Proxy(Array(200_000).fill(item), {
      get: (list, name, receiver): unknown => {
        if (/^\d+$/.test(String(name))) read++;
        return Reflect.get(list, name, receiver);
      },
    });
    const file = { path: 'a', status: 'added', binary: false, addedLines: 0, deletedLines: 0, hunks: [] };
    const hunk = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, removed: [] };
    const commit = {
      ...{ repository: 'r', sha: 'a'.repeat(40), parents: [], authorName: '', authorEmail: '' },
      ...{ committerName: '', committerEmail: '', authoredAt: 0, committedAt: 0, files: [] },
    };
    const stats = { sessionId: 's', timestamp: 0, chat: { fingerprints: many } };
    const wrong: (readonly [z.ZodType, object])[] = [
      [codeFingerprintSchema, { signature: many }],
      [codeGenStatsSchema, stats],
      [refsPushSchema, { repository: 'r', refs: many }],
      [commitPushSchema, { ...commit, parents: many }],
      [commitPushSchema, { ...commit, files: many }],
      [commitPushSchema, { ...commit, files: [{ ...file, hunks: many }] }],
      [commitPushSchema, { ...commit, files: [{ ...file, declaredLines: many }] }],
      [commitPushSchema, { ...commit, merged: many }],
      [commitPushSchema, { ...commit, merged: [{ path: 'a', from: many }] }],
      [commitPushSchema, { ...commit, merged: [{ path: 'a', from: [{ parent: 0, edits: many }] }] }],
      ...(typeof item === 'string'
        ? []
        : [
            [
              commitPushSchema,
              { ...commit, files: [{ ...file, hunks: [{ ...hunk, removed: many }] }] },
            ] as const,
            [
              commitPushSchema,
              { ...commit, files: [{ ...file, hunks: [{ ...hunk, added: many }] }] },
            ] as const,
          ]),
    ];
    for (const [schema, value] of wrong) {
      read = 0;
      expect(check(schema, value).fault).toBeDefined();
      expect(read).toBeLessThan(3);
    }
  },
);
