import { type Survival, SURVIVAL_CHECK_SECONDS, type SurvivalTotals } from '@lineprint/capture';
import type { CodeGenStats } from '@lineprint/contracts';

/** What was accepted in one repository on one day, as the seed's `CodeGenStatsPayload` has it: counts, no code. */
export class SessionTotals {
  private suggestionsAccepted = 0;
  private charsAccepted = 0;
  private shownByProviders = 0;
  private readonly survival = new Map<SurvivalTotals['afterSeconds'], SurvivalSums>();

  constructor(readonly sessionId: string) {}

  accepted(characters: number): void {
    this.suggestionsAccepted++;
    this.charsAccepted += characters;
  }

  shown(suggestions: number): void {
    this.shownByProviders += suggestions;
  }

  survived(afterSeconds: SurvivalTotals['afterSeconds'], result: Survival): void {
    const sums = this.survival.get(afterSeconds) ?? { checks: 0, stillInCode: 0, words: 0, characters: 0 };
    this.survival.set(afterSeconds, {
      checks: sums.checks + 1,
      stillInCode: sums.stillInCode + (result.stillInCode ? 1 : 0),
      words: sums.words + result.wordSimilarity,
      characters: sums.characters + result.charSimilarity,
    });
  }

  /** Running totals: the newest summary of a session replaces those before it. */
  summary(timestamp: number): CodeGenStats {
    return {
      sessionId: this.sessionId,
      timestamp,
      tab: {
        // What was accepted was shown. What else was shown the editor tells nobody but its provider.
        suggestionsShown: Math.max(this.shownByProviders, this.suggestionsAccepted),
        suggestionsAccepted: this.suggestionsAccepted,
        charsAccepted: this.charsAccepted,
        // Made by the process that reads acceptances.
        fingerprints: [],
        survival: SURVIVAL_CHECK_SECONDS.flatMap((afterSeconds) => {
          const sums = this.survival.get(afterSeconds);
          if (!sums) return [];
          const { checks, stillInCode } = sums;
          return [
            {
              afterSeconds,
              checks,
              stillInCode,
              wordSimilarity: sums.words / checks,
              charSimilarity: sums.characters / checks,
            },
          ];
        }),
      },
    };
  }
}

interface SurvivalSums {
  readonly checks: number;
  readonly stillInCode: number;
  readonly words: number;
  readonly characters: number;
}
