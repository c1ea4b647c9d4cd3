import type { Figures, Summary } from '../api/read-client';

const MAX_ROWS = 12;
/** With the four figures beside it a row has 80 columns. */
const MAX_NAME = 32;

/** The figures of a run as tables for a terminal. `high confidence` is a share of the row's AI lines. */
export function summaryTable(summary: Summary): string {
  const { lines } = summary;
  const head = [
    `${number(summary.commits)} commits (and ${number(summary.merges)} merges), ${number(lines.added)} attributable lines added`,
    `  kept from AI ${number(lines.preserved)}   changed from AI ${number(lines.modified)}   human ${number(lines.human)}`,
    `  not counted: excluded ${number(lines.excluded)}   inherited ${number(lines.inherited)}   blank ${number(lines.blank)}`,
    `  AI share ${percent(summary.aiRatio)} = matched to snippets ${percent(summary.aiRatioMatched)} + declared by the commit ${percent(summary.aiRatioDeclared)}` +
      rest(summary),
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

function section(title: string, groups: Readonly<Record<string, Figures>>): string {
  const all = Object.entries(groups)
    .filter(([, figures]) => figures.lines > 0)
    .sort(([a, x], [b, y]) => y.lines - x.lines || (a < b ? -1 : 1));
  const shown = all.slice(0, MAX_ROWS);
  const rows = [
    [title, 'lines', 'AI lines', 'ratio', 'high confidence'],
    ...shown.map(([name, f]) => [
      name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name,
      number(f.lines),
      number(f.aiLines),
      percent(f.ratio),
      f.aiLines > 0 ? percent(f.high / f.aiLines) : '–',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  );
  text.splice(1, 0, widths.map((width) => '─'.repeat(width)).join('  '));
  if (all.length > shown.length) text.push(`… and ${all.length - shown.length} more`);
  return text.join('\n');
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}
