import { MATCH_RULES, type MatchRule } from './alignment';
import { describeEvidence } from './describe-evidence';

const explained = (rules: Partial<Record<MatchRule, number>>) =>
  Object.entries(rules).flatMap(([rule, count]) =>
    Array.from({ length: count }, () => ({ rule: rule as MatchRule, bits: 5.75 })),
  );
const matched = { evidence: 'matched', confidence: 'HIGH' } as const;

describe('evidence in words', () => {
  it('says how many lines are equal, what became of the others, and how many bits that is', () => {
    expect(
      describeEvidence({ ...matched, explanations: explained({ line: 14, shape: 1, similar: 1 }) }),
    ).toBe('14 of 16 lines equal, 1 renamed, 1 changed; 92 bits');
    expect(describeEvidence({ ...matched, explanations: explained({ line: 1 }) })).toBe(
      '1 of 1 line equal; 6 bits',
    );
  });

  it('has a word for each rule', () => {
    for (const rule of MATCH_RULES) {
      const words = describeEvidence({ ...matched, explanations: explained({ [rule]: 3 }) });
      expect(words).toMatch(rule === 'line' ? /^3 of 3 lines equal;/ : /^0 of 3 lines equal, 3 [a-z ]+;/);
    }
  });

  it('says of a snippet how many of its lines are gone or stand on one with others', () => {
    expect(describeEvidence({ ...matched, explanations: explained({ line: 2 }), goneLines: 1 })).toBe(
      '2 of 3 lines equal, 1 gone or joined; 12 bits',
    );
  });

  it('says that a match was too weak to count', () => {
    const explanations = explained({ line: 1 });
    expect(describeEvidence({ evidence: 'matched', confidence: 'SUSPECT', explanations })).toBe(
      '1 of 1 line equal; 6 bits, too few to count',
    );
    expect(describeEvidence({ evidence: 'estimated', confidence: 'SUSPECT', explanations: [] })).toBe(
      'similar to what a client has sent without prints of its lines, too little to count',
    );
  });

  it('says where no line was compared', () => {
    const of = (evidence: 'declared' | 'estimated' | 'none') =>
      describeEvidence({ evidence, confidence: 'LOW', explanations: [] });
    expect(of('declared')).toBe('the commit itself names an AI');
    expect(of('estimated')).toBe('similar to what a client has sent without prints of its lines');
    expect(of('none')).toBe('nothing that is known matches');
  });
});
