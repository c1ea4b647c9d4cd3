/**
 * How each number is counted, in the words of docs/api.md. One place: a number's explanation beside it and the page of all
 * definitions show the same text.
 */
export interface Definition {
  readonly title: string;
  readonly text: string;
  /** The calculation, where there is one. */
  readonly formula?: string;
}

export const GLOSSARY = {
  aiShare: {
    title: 'AI share of new lines',
    text: 'Of the lines that commits added, how many came from AI. A kept line counts whole, a changed one half.',
    formula: '(kept + 0.5 × changed) ÷ attributable lines',
  },
  aiLines: {
    title: 'AI lines, weighted',
    text: 'Lines kept from AI, and half of those that were changed afterwards, so the number may end in .5. All evidence together: matched, declared and estimated.',
    formula: 'kept + 0.5 × changed',
  },
  totalLines: {
    title: 'Attributable lines',
    text: 'Non-blank lines that commits add, by git’s own diff, to files that count. Moved, re-indented and copied lines are nobody’s new authorship and are left out, as are lock, generated, vendored and minified files.',
    formula: 'kept + changed + human',
  },
  commits: {
    title: 'Commits',
    text: 'Commits of the period that add at least one attributable line and that a counted branch leads to.',
  },
  filesWithAi: {
    title: 'Files with AI',
    text: 'Different files (repository and path) to which the period added at least one AI line.',
  },
  provisional: {
    title: 'Provisional',
    text: 'Work on branches that no counted branch leads to: not merged yet, or thrown away. It stands beside all totals and is in none.',
  },
  kept: { title: 'Kept', text: 'The line stands as AI proposed it; only its layout may differ.' },
  changed: {
    title: 'Changed',
    text: 'A person rewrote what AI had proposed: renamed, edited or reflowed it. Counts half.',
  },
  human: { title: 'Human', text: 'No earlier AI edit is the line’s origin, as far as evidence goes.' },
  excluded: {
    title: 'Excluded',
    text: 'The file does not count: lock, generated, vendored or minified, by Lineprint’s rules or the organisation’s own.',
  },
  unknown: {
    title: 'Unknown origin',
    text: 'The line was there before Lineprint’s knowledge of the history begins. It is reported, and in no ratio.',
  },
  sources: {
    title: 'Sources',
    text: 'Weighted AI lines by where in the assistant they were made: completions while typing (tab), chat edits, or an agent. They add up to all AI lines.',
  },
  acceptRate: {
    title: 'Accept rate',
    text: 'Completions that were accepted, of those that clients say they have shown in the period.',
    formula: 'accepted ÷ shown, at most 1',
  },
  similarity: {
    title: 'Similarity',
    text: 'Mean MinHash similarity between what was accepted and what was committed, weighted by AI lines.',
  },
  confidence: {
    title: 'Confidence',
    text: 'High and low: AI lines by strength of evidence. Suspect: human lines where a match was too weak to count. Unique: all other human lines. The four add up to all attributable lines.',
  },
  evidence: {
    title: 'Evidence',
    text: 'Matched: the line aligns to an earlier AI edit. Declared: the commit itself names an AI. Estimated: only an old client’s signature, whole hunks at a time. Weighted AI lines; they add up to the summary’s.',
  },
  languages: {
    title: 'Languages',
    text: 'Attributable lines by the language of their file, and the weighted AI share of each.',
  },
  models: {
    title: 'Models',
    text: 'AI lines by the model that the client named. Commits that name an AI themselves have none.',
  },
  trend: {
    title: 'Trend',
    text: 'Attributable lines by day, week (from Monday) or month of the commit in the organisation’s time zone. Only days of the period count in the first and the last bucket.',
  },
  headShare: {
    title: 'AI share at HEAD',
    text: 'Of the lines that stand at the tip of the default branch now, how many go back to AI, whenever they were written. Lines of unknown origin are reported and are not in the ratio.',
    formula: '(kept + 0.5 × changed) ÷ (kept + changed + human)',
  },
  survival: {
    title: 'Survival',
    text: 'Share of lines that still stand at the default branch so many days after they got there, as a Kaplan–Meier estimate: lines that are younger than that are counted as long as they are known. Renamed and moved lines live on.',
  },
  halfLife: {
    title: 'Half-life',
    text: 'The first age, in days, at which at most half of the lines still stand. None if that age has not been reached.',
  },
  churn: {
    title: 'Churn within 14 days',
    text: 'Lines that were rewritten or removed within 14 days, of all that got there at least 14 days ago.',
    formula: 'died within 14 days ÷ born at least 14 days ago',
  },
  cohorts: {
    title: 'Cohorts',
    text: 'Lines by the week (from Monday) in which they got to the default branch, and how many of them stand after 7, 30 and 90 days and now.',
  },
  contributors: {
    title: 'Contributors',
    text: 'The authors of commits, with all their known addresses together. Bots and assistants are not among them; the list of people shows them where one asks.',
  },
  late: {
    title: 'Late',
    text: 'Commits that could not wait for all AI edits that preceded them. They are analysed again when those arrive.',
  },
  deadLettered: {
    title: 'Dead letters',
    text: 'Records that could not be processed and wait for a decision.',
  },
  neverMatched: {
    title: 'Never matched',
    text: 'Accepted AI edits of which no line was found in any commit: discarded, or not yet committed.',
  },
  revised: {
    title: 'Analysed again',
    text: 'Commits that were judged anew because AI edits arrived that they should have known.',
  },
  declared: {
    title: 'Declares an AI',
    text: 'The commit names an AI itself: as its author, in a trailer or in its subject.',
  },
  suspect: { title: 'Suspect', text: 'Human lines that resemble an AI edit, too weakly to count as one.' },
  pending: { title: 'Waiting', text: 'Commits whose numbers will be renewed within the next seconds.' },
  gaps: {
    title: 'Missing commits',
    text: 'Commits that others name as a parent and that nobody has sent: a shallow clone, a limit, or a push that was lost.',
  },
  noDefaultBranch: {
    title: 'Without a default branch',
    text: 'Nobody has told which branch is the product: all commits of the repository count, and its lines are not followed.',
  },
  reconciliation: {
    title: 'Reconciliation',
    text: 'Every night the sums of each day are compared with the single results. A difference is an error of ours.',
  },
  quality: {
    title: 'Data quality',
    text: 'What could make the numbers of this period incomplete or less sure.',
  },
  bits: {
    title: 'Bits of evidence',
    text: 'How surprising it would be to find this line here by chance. Each bit halves the chance: `}` has almost none, a long distinctive line has many.',
  },
  policy: {
    title: 'Policy',
    text: 'The thresholds and counting rules that lines are judged by. All numbers of a page are of one policy: the active one, unless another is chosen.',
  },
  flips: {
    title: 'Lines that flip',
    text: 'Lines that are something else under the second policy, of commits that both have judged.',
  },
} as const satisfies Record<string, Definition>;

export type Term = keyof typeof GLOSSARY;
