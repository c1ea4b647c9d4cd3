import type { Source } from '@lineprint/contracts';
import { ratio, weightedLines } from '../figures';
import type { BucketRow, LanguageRow, ProvisionalRow, SimilarityRow } from './stats.queries';
import type { StatsAnswer } from './stats.schema';

export interface StatsRows {
  readonly buckets: readonly BucketRow[];
  readonly filesWithAi: number;
  readonly similarities: readonly SimilarityRow[];
  readonly languages: readonly LanguageRow[];
  readonly provisional: ProvisionalRow;
}

/** The answer's figures, from rows summed in the database. Shares and similarities have three decimals. */
export function assembleStats(
  about: Pick<StatsAnswer, 'period' | 'scope' | 'user_id' | 'project_id' | 'org_id'>,
  rows: StatsRows,
): StatsAnswer {
  const sum = (column: Exclude<keyof BucketRow & string, 'date'>) =>
    rows.buckets.reduce((total, bucket) => total + Number(bucket[column]), 0);
  const similarity = (source: Source) =>
    ratio(rows.similarities.find((row) => row.source === source)?.similarity ?? 0, 1);

  const totalLines = sum('total_lines');
  const aiLines = sum('ai_lines');
  const { provisional } = rows;
  const provisionalAi = weightedLines(provisional.preserved, provisional.modified);
  const [high, low, suspect] = [sum('high_lines'), sum('low_lines'), sum('suspect_lines')];
  return {
    ...about,
    summary: {
      total_lines: totalLines,
      ai_attributed_lines: aiLines,
      ai_ratio: ratio(aiLines, totalLines),
      total_commits: sum('total_commits'),
      files_with_ai: rows.filesWithAi,
    },
    provisional: {
      total_lines: provisional.total_lines,
      ai_attributed_lines: provisionalAi,
      ai_ratio: ratio(provisionalAi, provisional.total_lines),
      total_commits: provisional.total_commits,
    },
    breakdown: {
      tab: {
        suggestions_shown: sum('suggestions_shown'),
        suggestions_accepted: sum('suggestions_accepted'),
        accept_rate: acceptRate(sum('suggestions_accepted'), sum('suggestions_shown')),
        ai_attributed_lines: sum('tab_ai_lines'),
        avg_survival_similarity: similarity('tab'),
      },
      chat: {
        edits: sum('chat_edits'),
        ai_attributed_lines: sum('chat_ai_lines'),
        avg_similarity: similarity('chat'),
      },
      agent: {
        tasks: sum('agent_tasks'),
        ai_attributed_lines: sum('agent_ai_lines'),
        avg_similarity: similarity('agent'),
      },
    },
    confidence: {
      high: ratio(high, totalLines),
      low: ratio(low, totalLines),
      suspect: ratio(suspect, totalLines),
      unique: ratio(totalLines - high - low - suspect, totalLines),
    },
    evidence: {
      matched: sum('matched_lines'),
      declared: sum('declared_lines'),
      estimated: sum('estimated_lines'),
    },
    trend: rows.buckets.map((bucket) => ({
      date: bucket.date,
      total_lines: bucket.total_lines,
      ai_attributed_lines: bucket.ai_lines,
      ai_ratio: ratio(bucket.ai_lines, bucket.total_lines),
      tab_accept_rate: acceptRate(bucket.suggestions_accepted, bucket.suggestions_shown),
      chat_edits: bucket.chat_edits,
    })),
    language_breakdown: rows.languages.map((row) => {
      const languageAi = weightedLines(row.preserved, row.modified);
      return {
        language: row.language,
        total_lines: row.total_lines,
        ai_lines: languageAi,
        ai_ratio: ratio(languageAi, row.total_lines),
      };
    }),
  };
}

/** Clients count both by themselves: one that lost a count must not show more than everything accepted. */
function acceptRate(accepted: number, shown: number): number {
  return Math.min(1, ratio(accepted, shown));
}
