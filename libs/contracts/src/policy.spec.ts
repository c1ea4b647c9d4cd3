import { DEFAULT_POLICY, newPolicySchema, policySchema } from './policy';

const withThresholds = (thresholds: Record<string, unknown>) => ({
  ...DEFAULT_POLICY,
  thresholds: { ...DEFAULT_POLICY.thresholds, ...thresholds },
});
const faults = (policy: unknown) =>
  newPolicySchema.safeParse(policy).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('a new policy', () => {
  it('may be the default one under another id, and is then what a stored one is', () => {
    const copy = { ...DEFAULT_POLICY, id: 'copy-2.1_b' };
    expect(newPolicySchema.parse(copy)).toEqual(copy);
    expect(policySchema.parse(copy)).toEqual(copy);
  });

  it.each([
    ['a threshold is no number', { minBits: '30' }, ['thresholds.minBits']],
    ['a threshold is not finite', { minBits: Infinity }, ['thresholds.minBits']],
    ['a threshold is not a number at all', { highBits: NaN }, ['thresholds.highBits']],
    ['bits are negative', { suspectBits: -1 }, ['thresholds.suspectBits']],
    ['weak matches need more than those that count', { suspectBits: 23 }, ['thresholds.minBits']],
    ['other files need less', { minBitsElsewhere: 21 }, ['thresholds.minBitsElsewhere']],
    ['unplaced snippets need less', { minBitsUnplaced: 21 }, ['thresholds.minBitsUnplaced']],
    ['HIGH is below what counts', { minBits: 60, highBits: 59 }, ['thresholds.highBits']],
    ['a similarity passes 1', { similarityHigh: 1.1 }, ['thresholds.similarityHigh']],
    ['any two lines are alike', { lineSimilarity: 0 }, ['thresholds.lineSimilarity']],
    [
      'the ladder of similarities goes down',
      { similarityLow: 0.2, similarityHigh: 0.1 },
      ['thresholds.similarityLow', 'thresholds.similarityHigh'],
    ],
    ['a threshold is misspelt', { minbits: 30 }, ['thresholds']],
  ])('is refused, with the name of the threshold, when %s', (_fault, thresholds, expected) => {
    expect(faults(withThresholds(thresholds))).toEqual(expected);
  });

  it('is refused for an engine that does not judge here', () => {
    expect(faults({ ...DEFAULT_POLICY, engine: '1' })).toEqual(['engine']);
  });

  it.each(['', 'a b', '../etc', 'é', '-x', 'x'.repeat(65)])('is refused with the id "%s"', (id) => {
    expect(faults({ ...DEFAULT_POLICY, id })).toEqual(['id']);
  });

  it('is refused when a rule of exclusion says what no rule can say', () => {
    const exclusions = [{ glob: 'gen/**' }, { glob: '', why: 'made' }];
    expect(faults({ ...DEFAULT_POLICY, exclusions }).sort()).toEqual(['exclusions.1', 'exclusions.1.glob']);
  });
});
