import type { Figures, Summary } from '../api/read-client';
import { grouped, percent, shortened, table } from '../terminal/table';

const MAX_ROWS = 12;

/** The figures of a run as tables for a terminal. `high confidence` is a share of the row's AI lines. */
export function summaryTable(summary: Summary): string {
  const { lines } = summary;
  const head = [
    `${grouped(summary.commits)} commits (and ${grouped(summary.merges)} merges), ${grouped(lines.added)} attributable lines added`,
    `  kept from AI ${grouped(lines.preserved)}   changed from AI ${grouped(lines.modified)}   human ${grouped(lines.human)}`,
    `  not counted: excluded ${grouped(lines.excluded)}   inherited ${grouped(lines.inherited)}   blank ${grouped(lines.blank)}`,
    `  AI share ${percent(summary.aiRatio)} = matched to snippets ${percent(summary.aiRatioMatched)} + declared by the commit ${percent(summary.aiRatioDeclared)}` +
      rest(summary),
    ...provisional(summary),
  ];
  return [
    head.join('\n'),
    section('person', summary.byPerson),
    section('source', summary.bySource),
    section('language', summary.byLanguage),
    section('confidence', summary.byConfidence),
    section('evidence', summary.byEvidence),
  ].join('\n\n');
}

function rest(summary: Summary): string {
  const weighted = summary.byEvidence['estimated']?.weighted ?? 0;
  return weighted > 0 ? ` + estimated from signatures ${percent(weighted / summary.lines.added)}` : '';
}

/** Work on branches that do not count, where there is any. */
function provisional({ provisional: { commits, merges, lines, aiRatio } }: Summary): string[] {
  if (commits + merges === 0) return [];
  return [
    `  provisional, on no counted branch: ${grouped(lines.added)} lines of ${grouped(commits + merges)} commits (${percent(aiRatio)})`,
  ];
}

function section(title: string, groups: Readonly<Record<string, Figures>>): string {
  const all = Object.entries(groups)
    .filter(([, figures]) => figures.lines > 0)
    .sort(([a, x], [b, y]) => y.lines - x.lines || (a < b ? -1 : 1));
  const shown = all.slice(0, MAX_ROWS);
  const rows = shown.map(([name, f]) => [
    shortened(name),
    grouped(f.lines),
    grouped(f.aiLines),
    percent(f.ratio),
    f.aiLines > 0 ? percent(f.high / f.aiLines) : '–',
  ]);
  const text = table([title, 'lines', 'AI lines', 'ratio', 'high confidence'], rows);
  return all.length > shown.length ? `${text}\n… and ${all.length - shown.length} more` : text;
}
