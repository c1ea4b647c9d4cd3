import type { AttributionResult, LineKind } from '@lineprint/contracts';
import { hasAi, type LabelledCommit, type LabelledFile, labelledFiles, originsOf } from './data';

export interface LineAnswer {
  readonly kind: LineKind;
  readonly confidence: AttributionResult['confidence'];
  readonly codeId: string | null;
}

/** What an engine says about a labelled commit. */
export interface Answer {
  /** By file, by line number from 0; a line that is not there is human. */
  readonly files: readonly ReadonlyMap<number, LineAnswer>[];
  /** The AI ratio, where the method has a formula of its own. */
  readonly ratio?: number;
  readonly attributableLines: number;
  readonly candidates: number;
  /** Ids of the snippets that were found as candidates. */
  readonly recalled: ReadonlySet<string>;
  /** What the engine took, without the bench's own work. */
  readonly milliseconds: number;
}

/** Figures of one class of records, over all its lines; null where there is nothing to divide by. */
export interface Figures {
  readonly records: number;
  readonly lines: number;
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
  /** Human lines called AI, per 1,000 human lines. */
  readonly falsePerThousand: number | null;
  /** Mean over the records of the distance between the true and the measured AI ratio. */
  readonly ratioError: number | null;
  /** Share of the records of whose snippets one was recalled. */
  readonly candidateRecall: number | null;
}

export interface HumanFigures {
  readonly records: number;
  readonly lines: number;
  readonly falsePerThousand: number | null;
}

export interface TierFigures {
  /** Lines that got the tier, and the share of them that are AI's. */
  readonly lines: number;
  readonly precision: number | null;
}

type Labels = 'kept' | 'changed' | 'human';

/** The figures of one engine on one set; docs/benchmarks.md defines them. */
export interface EngineFigures {
  readonly withAi: Figures;
  readonly humanOnly: HumanFigures & {
    readonly sameRepository: HumanFigures;
    readonly itsTests: HumanFigures;
    readonly rest: HumanFigures;
    readonly byTransform: Readonly<Record<string, HumanFigures>>;
    readonly byLanguage: Readonly<Record<string, HumanFigures>>;
  };
  readonly bySize: Readonly<Record<string, Figures>>;
  readonly byTransform: Readonly<Record<string, Figures>>;
  readonly byLanguage: Readonly<Record<string, Figures>>;
  readonly byTier: Readonly<Record<string, TierFigures>>;
  /** Truth, then answer, in lines of records with AI. */
  readonly confusion: Readonly<Record<Labels, Readonly<Record<Labels, number>>>>;
  readonly candidatesPerThousandLines: number | null;
  readonly records: number;
  readonly lines: number;
  readonly seconds: number;
  readonly linesPerSecond: number | null;
}

/** What a line adds to a commit's AI ratio. */
const SHARE = { P: 1, M: 0.5, H: 0 } as const;
const LABEL = { P: 'kept', M: 'changed', H: 'human' } as const;
const TIERS = ['HIGH', 'LOW', 'SUSPECT'] as const;

class Tally {
  records = 0;
  lines = 0;
  found = 0;
  wrong = 0;
  missed = 0;
  human = 0;
  ratioError = 0;
  recalled = 0;

  figures(): Figures {
    const { records, lines, found, wrong, missed, human } = this;
    return {
      records,
      lines,
      precision: ratio(found, found + wrong, 4),
      recall: ratio(found, found + missed, 4),
      f1: ratio(2 * found, 2 * found + wrong + missed, 4),
      falsePerThousand: ratio(1000 * wrong, human, 2),
      ratioError: ratio(this.ratioError, records, 4),
      candidateRecall: ratio(this.recalled, records, 4),
    };
  }

  humanFigures(): HumanFigures {
    const { records, lines } = this;
    return { records, lines, falsePerThousand: ratio(1000 * this.wrong, this.human, 2) };
  }
}

/** Rounded share, null of nothing. */
function ratio(part: number, whole: number, decimals: number): number | null {
  return whole === 0 ? null : Math.round((part / whole) * 10 ** decimals) / 10 ** decimals;
}

/** Asks an engine about each record. */
export async function scoreRecords(
  records: readonly LabelledCommit[],
  attribute: (record: LabelledCommit) => Promise<Answer>,
): Promise<EngineFigures> {
  const board = new Scoreboard();
  for (const record of records) board.add(record, await attribute(record));
  return board.figures();
}

/** Adds up what one engine answers about the records of one set. */
class Scoreboard {
  private readonly withAi = new Tally();
  private readonly humanOnly = new Tally();
  private readonly sizes = new Map<string, Tally>();
  private readonly transforms = new Map<string, Tally>();
  private readonly languages = new Map<string, Tally>();
  private readonly humanClasses = new Map<string, Tally>();
  private readonly humanTransforms = new Map<string, Tally>();
  private readonly humanLanguages = new Map<string, Tally>();
  private readonly tiers = new Map(TIERS.map((tier) => [tier, { lines: 0, ai: 0 }]));
  private readonly confusion = newConfusion();
  private candidates = 0;
  private attributable = 0;
  private milliseconds = 0;

  add(record: LabelledCommit, answer: Answer): void {
    const language = record.language ?? 'unknown';
    const transform = record.transform ?? 'unknown';
    const ai = hasAi(record);
    const tallies = ai
      ? [
          this.withAi,
          tallyOf(this.sizes, record.size ?? 'unknown'),
          tallyOf(this.transforms, transform),
          tallyOf(this.languages, language),
        ]
      : [
          this.humanOnly,
          tallyOf(this.humanClasses, HUMAN_CLASS[transform] ?? 'rest'),
          tallyOf(this.humanTransforms, transform),
          tallyOf(this.humanLanguages, language),
        ];
    this.addLines(record, answer, ai, tallies);
    this.candidates += answer.candidates;
    this.attributable += answer.attributableLines;
    this.milliseconds += answer.milliseconds;
  }

  private addLines(record: LabelledCommit, answer: Answer, ai: boolean, tallies: readonly Tally[]): void {
    let actual = 0;
    let measured = 0;
    const lines = scoredLines(labelledFiles(record));
    const recalled = originsOf(record).some((id) => answer.recalled.has(id));
    for (const { file, line, truth } of lines) {
      const { kind, confidence } = answer.files[file]?.get(line) ?? HUMAN;
      const isAi = truth !== 'H';
      for (const tally of tallies) {
        if (!isAi) tally.human++;
        if (isAi && kind !== 'H') tally.found++;
        if (!isAi && kind !== 'H') tally.wrong++;
        if (isAi && kind === 'H') tally.missed++;
      }
      if (ai) this.confusion[LABEL[truth]][LABEL[kind]]++;
      const tier = confidence === 'UNIQUE' ? undefined : this.tiers.get(confidence);
      if (tier) {
        tier.lines++;
        if (isAi) tier.ai++;
      }
      actual += SHARE[truth] / lines.length;
      measured += SHARE[kind] / lines.length;
    }
    for (const tally of tallies) {
      tally.records++;
      tally.lines += lines.length;
      tally.ratioError += Math.abs(actual - (answer.ratio ?? measured));
      if (recalled) tally.recalled++;
    }
  }

  figures(): EngineFigures {
    const human = (name: string) => (this.humanClasses.get(name) ?? new Tally()).humanFigures();
    return {
      withAi: this.withAi.figures(),
      humanOnly: {
        ...this.humanOnly.humanFigures(),
        sameRepository: human('sameRepository'),
        itsTests: human('itsTests'),
        rest: human('rest'),
        byTransform: byName(this.humanTransforms, (tally) => tally.humanFigures()),
        byLanguage: byName(this.humanLanguages, (tally) => tally.humanFigures()),
      },
      bySize: byName(this.sizes, (tally) => tally.figures()),
      byTransform: byName(this.transforms, (tally) => tally.figures()),
      byLanguage: byName(this.languages, (tally) => tally.figures()),
      byTier: Object.fromEntries(
        [...this.tiers].map(([tier, { lines, ai }]) => [tier, { precision: ratio(ai, lines, 4), lines }]),
      ),
      confusion: this.confusion,
      candidatesPerThousandLines: ratio(1000 * this.candidates, this.attributable, 0),
      records: this.withAi.records + this.humanOnly.records,
      lines: this.withAi.lines + this.humanOnly.lines,
      seconds: Math.round(this.milliseconds / 100) / 10,
      linesPerSecond: ratio(1000 * this.attributable, this.milliseconds, 0),
    };
  }
}

const HUMAN: LineAnswer = { kind: 'H', confidence: 'UNIQUE', codeId: null };

const HUMAN_CLASS: Readonly<Record<string, string>> = {
  neg_same_repo: 'sameRepository',
  neg_same_repo_tests: 'itsTests',
};

function newConfusion(): Record<Labels, Record<Labels, number>> {
  const row = () => ({ kept: 0, changed: 0, human: 0 });
  return { kept: row(), changed: row(), human: row() };
}

function tallyOf(tallies: Map<string, Tally>, name: string): Tally {
  let tally = tallies.get(name);
  if (!tally) tallies.set(name, (tally = new Tally()));
  return tally;
}

function byName<F>(tallies: ReadonlyMap<string, Tally>, figures: (tally: Tally) => F): Record<string, F> {
  return Object.fromEntries(
    [...tallies].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, tally]) => [name, figures(tally)]),
  );
}

/** Lines that count: added, not blank, labelled, not to be skipped. */
export function scoredLines(
  files: readonly LabelledFile[],
): { file: number; line: number; truth: LineKind }[] {
  return files.flatMap(({ lines, added, skip, truth }, file) =>
    lines.flatMap((text, line) =>
      added[line] === '1' && text.trim() !== '' && skip[line] !== '1' && /[PMH]/.test(truth[line] ?? '')
        ? [{ file, line, truth: truth[line] as LineKind }]
        : [],
    ),
  );
}
