import { encodeExplanations } from '@lineprint/attribution';
import type { AttributionEvent } from '@lineprint/contracts';
import { attributionRows, type TenantClock } from './attribution-rows';

const explanationsOf = (lines: number) =>
  encodeExplanations(
    Array.from({ length: lines }, (_, snippetLine) => ({ rule: 'line' as const, snippetLine, bits: 9 })),
  );

function verdict(times: { authoredAt: string; committedAt: string }): AttributionEvent {
  return {
    policy: 'default',
    commit: {
      tenant: 'acme',
      projectId: 'shop',
      repository: 'shop',
      sha: 'a'.repeat(40),
      parents: [],
      authorName: 'Ada',
      authorEmail: 'Ada@acme.dev',
      userId: 'ada@acme.dev',
      authoredAt: Date.parse(times.authoredAt),
      committedAt: Date.parse(times.committedAt),
      late: false,
    },
    files: [
      {
        path: 'a.ts',
        status: 'added',
        language: 'typescript',
        addedLines: 6,
        deletedLines: 0,
        blankLines: 1,
        inheritedLines: 2,
        inherited: [{ start: 3, count: 2, how: 'moved', fromFile: 'b.ts', fromLine: 8 }],
        results: [
          {
            codeId: 'code',
            source: 'tab',
            evidence: 'matched',
            confidence: 'HIGH',
            similarity: 0.98765,
            bits: 91.23456,
            preserved: 1,
            modified: 1,
            human: 1,
            suspect: 0,
          },
        ],
        lines: [{ start: 0, count: 3, kind: 'P', result: 0 }],
        explanations: explanationsOf(3),
      },
    ],
  };
}

const dayOf = (authoredAt: string, committedAt: string, clock: TenantClock) =>
  attributionRows(verdict({ authoredAt, committedAt }), clock).results[0]!.day;

describe('the day of a commit', () => {
  it('begins at midnight in Kolkata, half past six in the evening in UTC', () => {
    const clock: TenantClock = { timeZone: 'Asia/Kolkata', dayBy: 'author' };
    expect(dayOf('2026-03-01T18:29:59.999Z', '2026-05-01T00:00:00Z', clock)).toBe('2026-03-01');
    expect(dayOf('2026-03-01T18:30:00Z', '2026-05-01T00:00:00Z', clock)).toBe('2026-03-02');
  });

  it('has 23 hours in New York when its clocks go forward', () => {
    const clock: TenantClock = { timeZone: 'America/New_York', dayBy: 'author' };
    const at = (time: string) => dayOf(time, time, clock);
    expect(at('2026-03-08T04:59:59.999Z')).toBe('2026-03-07');
    expect(at('2026-03-08T05:00:00Z')).toBe('2026-03-08');
    expect(at('2026-03-09T03:59:59.999Z')).toBe('2026-03-08');
    expect(at('2026-03-09T04:00:00Z')).toBe('2026-03-09');
  });

  it('has 25 hours in New York when its clocks go back', () => {
    const clock: TenantClock = { timeZone: 'America/New_York', dayBy: 'author' };
    const at = (time: string) => dayOf(time, time, clock);
    expect(at('2026-11-01T03:59:59.999Z')).toBe('2026-10-31');
    expect(at('2026-11-01T04:00:00Z')).toBe('2026-11-01');
    expect(at('2026-11-02T04:59:59.999Z')).toBe('2026-11-01');
    expect(at('2026-11-02T05:00:00Z')).toBe('2026-11-02');
  });

  it('is the author’s or the committer’s, as the organisation chose', () => {
    const times = ['2026-03-01T12:00:00Z', '2026-03-09T12:00:00Z'] as const;
    expect(dayOf(...times, { timeZone: 'UTC', dayBy: 'author' })).toBe('2026-03-01');
    expect(dayOf(...times, { timeZone: 'UTC', dayBy: 'committer' })).toBe('2026-03-09');
  });
});

describe('the rows of a verdict', () => {
  const event = verdict({ authoredAt: '2026-03-01T12:00:00Z', committedAt: '2026-03-01T12:00:00Z' });
  const clock: TenantClock = { timeZone: 'UTC', dayBy: 'author' };
  const [file] = event.files as [AttributionEvent['files'][number]];
  const withFile = (changes: Partial<typeof file>) => ({ ...event, files: [{ ...file, ...changes }] });

  it('count kept lines whole and changed ones half', () => {
    expect(attributionRows(event, clock).results).toMatchObject([
      { total_lines: 3, ai_ratio: 0.5, minhash_similarity: 0.988, evidence_bits: 91.23 },
    ]);
  });

  it.each([
    ['results hold more lines than the file adds', { addedLines: 5 }],
    ['results hold fewer lines than the file adds', { addedLines: 7 }],
    ['blank lines are counted', { blankLines: 0 }],
    ['inherited lines are counted', { inheritedLines: 0 }],
    ['inherited lines are nowhere', { inherited: [] }],
    ['line ranges hold fewer lines than the results', { lines: [] }],
    ['an excluded file has results', { excluded: 'lock' }],
    ['a deleted file has results', { status: 'deleted' as const }],
    ['a matched line has no explanation', { explanations: explanationsOf(2) }],
    ['more lines are explained than are matched', { explanations: explanationsOf(4) }],
    ['explanations break off', { explanations: Buffer.alloc(14).toString('base64') }],
    ['a rule is not known', { explanations: Buffer.alloc(15, 99).toString('base64') }],
  ])('are refused when %s', (_fault, changes) => {
    expect(() => attributionRows(withFile(changes), clock)).toThrow(
      expect.objectContaining({ code: 'lines-do-not-reconcile', transient: false }) as Error,
    );
  });

  it('of an excluded file hold the file and no lines', () => {
    const rows = attributionRows(
      withFile({
        excluded: 'lock',
        inheritedLines: 0,
        inherited: [],
        results: [],
        lines: [],
        explanations: '',
      }),
      clock,
    );
    expect(rows.files).toMatchObject([{ excluded: 'lock', added_lines: 6 }]);
    expect(rows.results).toEqual([]);
  });
});
