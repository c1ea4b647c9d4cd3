import type { Source } from '@lineprint/contracts';
import { ratio } from '../figures';
import type { CommitSums, DaySums, LineSums } from './stats.queries';
import type { StatsAnswer } from './stats.schema';

export interface StatsRows {
  readonly lines: readonly LineSums[];
  readonly days: readonly DaySums[];
  /** Of those lines alone, where the filter leaves some only; else `days` says it. */
  readonly commits: readonly CommitSums[];
  readonly filesWithAi: number;
}

type Sum = Exclude<keyof LineSums & string, 'bucket' | 'language' | 'source' | 'counted'>;

/** The answer's figures, from rows summed in the database. Shares and similarities have three decimals. */
export function assembleStats(
  about: Pick<StatsAnswer, 'period' | 'scope' | 'user_id' | 'project_id' | 'org_id'>,
  { lines, days, commits, filesWithAi }: StatsRows,
): StatsAnswer {
  const counted = lines.filter((row) => row.counted);
  const buckets = counted.filter((row) => row.bucket !== null);
  const languages = counted.filter((row) => row.language !== null);
  const sum = (column: Sum) => total(buckets, (row) => Number(row[column]));
  const day = (column: Exclude<keyof DaySums & string, 'bucket'>) =>
    total(days, (row) => Number(row[column]));

  const provisional = lines.filter((row) => !row.counted && row.bucket !== null);
  const provisionalLines = total(provisional, (row) => row.total_lines);
  const provisionalAi = total(provisional, (row) => row.ai_lines);
  const [totalLines, aiLines] = [sum('total_lines'), sum('ai_lines')];
  const [high, low, suspect] = [sum('high_lines'), sum('low_lines'), sum('suspect_lines')];
  return {
    ...about,
    summary: {
      total_lines: totalLines,
      ai_attributed_lines: aiLines,
      ai_ratio: ratio(aiLines, totalLines),
      total_commits: total(commits, (row) => row.commits),
      files_with_ai: filesWithAi,
    },
    provisional: {
      total_lines: provisionalLines,
      ai_attributed_lines: provisionalAi,
      ai_ratio: ratio(provisionalAi, provisionalLines),
      total_commits: total(commits, (row) => row.provisional_commits),
    },
    breakdown: {
      tab: {
        suggestions_shown: day('suggestions_shown'),
        suggestions_accepted: day('suggestions_accepted'),
        accept_rate: acceptRate(day('suggestions_accepted'), day('suggestions_shown')),
        ai_attributed_lines: sum('tab_ai_lines'),
        avg_survival_similarity:
          day('survival_checks') > 0
            ? ratio(day('survival_similarity'), day('survival_checks'))
            : similarity(counted, 'tab'),
      },
      chat: {
        edits: day('chat_edits'),
        ai_attributed_lines: sum('chat_ai_lines'),
        avg_similarity: similarity(counted, 'chat'),
      },
      agent: {
        tasks: day('agent_tasks'),
        ai_attributed_lines: sum('agent_ai_lines'),
        avg_similarity: similarity(counted, 'agent'),
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
    trend: trendOf(buckets, days, commits),
    language_breakdown: languages.map((row) => ({
      language: row.language!,
      total_lines: row.total_lines,
      ai_lines: row.ai_lines,
      ai_ratio: ratio(row.ai_lines, row.total_lines),
    })),
  };
}

/** An entry for each bucket that has commits or sessions. */
function trendOf(
  buckets: readonly LineSums[],
  days: readonly DaySums[],
  commits: readonly CommitSums[],
): StatsAnswer['trend'] {
  const dates = [
    ...days.filter(({ sessions }) => sessions > 0),
    ...commits.filter((row) => row.commits > 0),
  ].map(({ bucket }) => bucket);
  const linesOf = new Map(buckets.map((row) => [row.bucket, row]));
  const dayOf = new Map(days.map((row) => [row.bucket, row]));
  return [...new Set(dates)].sort().map((date) => {
    const { total_lines = 0, ai_lines = 0 } = linesOf.get(date) ?? {};
    const { suggestions_accepted = 0, suggestions_shown = 0, chat_edits = 0 } = dayOf.get(date) ?? {};
    return {
      date,
      total_lines,
      ai_attributed_lines: ai_lines,
      ai_ratio: ratio(ai_lines, total_lines),
      tab_accept_rate: acceptRate(suggestions_accepted, suggestions_shown),
      chat_edits,
    };
  });
}

/** The mean over AI lines of results that have a similarity. */
function similarity(lines: readonly LineSums[], source: Source): number {
  const row = lines.find((candidate) => candidate.source === source);
  return row ? ratio(row.similarity, row.similar_lines) : 0;
}

function total<R>(rows: readonly R[], of: (row: R) => number): number {
  return rows.reduce((sum, row) => sum + of(row), 0);
}

/** Clients count both by themselves: one that lost a count must not show more than everything accepted. */
function acceptRate(accepted: number, shown: number): number {
  return Math.min(1, ratio(accepted, shown));
}
