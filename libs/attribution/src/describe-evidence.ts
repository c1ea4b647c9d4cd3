import type { Confidence, Evidence } from '@lineprint/contracts';
import type { MatchRule } from './alignment';
import type { LineExplanation } from './explanation';

/** What is known of lines that share an origin. */
export interface DescribedEvidence {
  readonly evidence: Evidence;
  readonly confidence: Confidence;
  /** Of lines with the evidence `matched`: why each was given to the snippet. */
  readonly explanations: readonly Pick<LineExplanation, 'rule' | 'bits'>[];
  /**
   * Where the snippet is looked at, and not what came of it: its lines that no line was matched to, since they are gone
   * or stand on a line with others.
   */
  readonly goneLines?: number;
}

/** In the order in which they are said. */
const WORDS: readonly (readonly [MatchRule, string])[] = [
  ['statement', 'wrapped anew'],
  ['shape', 'renamed'],
  ['similar', 'changed'],
  ['reflow', 'spread anew'],
  ['surroundings', 'known by the lines around'],
];

/** Evidence in words: `14 of 16 lines equal, 1 renamed, 1 changed; 92 bits`. */
export function describeEvidence({
  evidence,
  confidence,
  explanations,
  goneLines = 0,
}: DescribedEvidence): string {
  if (evidence === 'declared') return 'the commit itself names an AI';
  if (evidence === 'none') return 'nothing that is known matches';
  const isWeak = confidence === 'SUSPECT';
  if (evidence === 'estimated') {
    const similar = 'similar to what a client has sent without prints of its lines';
    return isWeak ? `${similar}, too little to count` : similar;
  }
  const numberOf = (rule: MatchRule) => explanations.filter((line) => line.rule === rule).length;
  const total = explanations.length + goneLines;
  const parts = [
    `${numberOf('line')} of ${total} ${total === 1 ? 'line' : 'lines'} equal`,
    ...WORDS.flatMap(([rule, word]) => (numberOf(rule) === 0 ? [] : [`${numberOf(rule)} ${word}`])),
    ...(goneLines === 0 ? [] : [`${goneLines} gone or joined`]),
  ];
  const bits = Math.round(explanations.reduce((sum, line) => sum + line.bits, 0));
  return `${parts.join(', ')}; ${bits} bits${isWeak ? ', too few to count' : ''}`;
}
