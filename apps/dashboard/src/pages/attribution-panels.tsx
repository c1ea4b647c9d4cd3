import { useState } from 'react';
import type { Stats } from '../api/queries';
import { TrendPicture } from '../charts/lazy-charts';
import { DataTable } from '../parts/data-table';
import { Panel, Stat } from '../parts/panel';
import { Segmented } from '../parts/segmented';
import { ShareBar, ShareLegend } from '../parts/share-bar';
import { Empty } from '../parts/states';
import { counted, formatCount, formatDay, formatLines, formatRatio, languageName } from '../view/format';
import { withEmptyBuckets, type Granularity } from '../view/period';

/** The numbers of a period that one looks for first. */
export function SummaryStats({ stats }: { stats: Stats }) {
  const { summary, provisional } = stats;
  return (
    <dl className="stats">
      <Stat
        label="AI share of new lines"
        term="aiShare"
        value={formatRatio(summary.ai_ratio)}
        detail={
          <ShareBar
            thin
            parts={[
              { name: 'AI, weighted', style: 'kept', value: summary.ai_attributed_lines },
              { name: 'Human', style: 'human', value: summary.total_lines - summary.ai_attributed_lines },
            ]}
          />
        }
      />
      <Stat label="AI lines, weighted" term="aiLines" value={formatLines(summary.ai_attributed_lines)} />
      <Stat label="Attributable lines" term="totalLines" value={formatCount(summary.total_lines)} />
      <Stat label="Commits" term="commits" value={formatCount(summary.total_commits)} />
      <Stat label="Files with AI" term="filesWithAi" value={formatCount(summary.files_with_ai)} />
      <Stat
        label="Provisional"
        term="provisional"
        value={formatCount(provisional.total_lines)}
        detail={provisional.total_lines > 0 ? `${formatRatio(provisional.ai_ratio)} AI` : 'No open work'}
      />
    </dl>
  );
}

export function TrendPanel({ stats, granularity }: { stats: Stats; granularity: Granularity }) {
  const [mode, setMode] = useState<'lines' | 'share'>('lines');
  const entries = withEmptyBuckets(stats.trend, stats.period, granularity, (date) => ({
    date,
    total_lines: 0,
    ai_attributed_lines: 0,
    ai_ratio: 0,
    tab_accept_rate: 0,
    chat_edits: 0,
  })).map((bucket) => ({
    date: bucket.date,
    ai: bucket.ai_attributed_lines,
    human: bucket.total_lines - bucket.ai_attributed_lines,
    ratio: bucket.total_lines === 0 ? null : bucket.ai_ratio,
  }));
  const { summary, period } = stats;
  const label =
    `${mode === 'lines' ? 'New lines' : 'AI share of new lines'} by ${granularity} from ${formatDay(period.start)} to ` +
    `${formatDay(period.end)}: ${formatRatio(summary.ai_ratio)} of ${counted(summary.total_lines, 'line')} from AI`;
  return (
    <Panel
      title="Trend"
      term="trend"
      wide
      aside={
        <Segmented
          label="What the trend shows"
          name="trend"
          value={mode}
          onChange={setMode}
          options={[
            { value: 'lines', text: 'Lines' },
            { value: 'share', text: 'Share' },
          ]}
        />
      }
    >
      <ul className="chart-legend">
        <li>
          <span className="swatch fill fill-kept" aria-hidden="true" /> AI, weighted
        </li>
        {mode === 'lines' ? (
          <li>
            <span className="swatch fill fill-human" aria-hidden="true" /> Human, and half of changed lines
          </li>
        ) : null}
      </ul>
      <TrendPicture mode={mode} label={label} entries={entries} />
      <details className="figures">
        <summary>Figures as a table</summary>
        <DataTable
          caption={`New lines by ${granularity}`}
          rows={entries.filter(({ ratio }) => ratio !== null)}
          rowKey={({ date }) => date}
          columns={[
            { head: capitalised(granularity), cell: ({ date }) => formatDay(date), grows: true },
            { head: 'AI, weighted', cell: ({ ai }) => formatLines(ai), numeric: true },
            { head: 'All lines', cell: ({ ai, human }) => formatLines(ai + human), numeric: true },
            { head: 'AI share', cell: ({ ratio }) => formatRatio(ratio ?? 0), numeric: true },
          ]}
        />
      </details>
    </Panel>
  );
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** Where in the assistant lines were made. */
export function SourcesPanel({ stats }: { stats: Stats }) {
  const { tab, chat, agent } = stats.breakdown;
  const whole = stats.summary.ai_attributed_lines;
  const rows = [
    {
      name: 'Agent',
      lines: agent.ai_attributed_lines,
      activity: counted(agent.tasks, 'task'),
      similarity: agent.avg_similarity,
    },
    {
      name: 'Chat',
      lines: chat.ai_attributed_lines,
      activity: counted(chat.edits, 'edit'),
      similarity: chat.avg_similarity,
    },
    {
      name: 'Tab',
      lines: tab.ai_attributed_lines,
      activity: `${formatRatio(tab.accept_rate)} accepted`,
      similarity: tab.avg_survival_similarity,
    },
  ];
  return (
    <Panel title="Sources" term="sources">
      <DataTable
        caption="AI lines by source"
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { head: 'Source', cell: ({ name }) => name },
          { head: 'AI lines', cell: ({ lines }) => formatLines(lines), numeric: true },
          { head: 'Share', cell: ({ lines }) => formatRatio(whole === 0 ? 0 : lines / whole), numeric: true },
          { head: 'Activity', cell: ({ activity }) => activity, numeric: true },
          {
            head: 'Similarity',
            cell: ({ similarity }) => (similarity === 0 ? '–' : similarity.toFixed(2)),
            numeric: true,
          },
        ]}
      />
    </Panel>
  );
}

/** How well the origin of lines is known: two splits of the same lines. */
export function ConfidencePanel({ stats }: { stats: Stats }) {
  const { confidence, evidence } = stats;
  const levels = [
    { name: 'High', style: 'kept', value: confidence.high },
    { name: 'Low', style: 'changed', value: confidence.low },
    { name: 'Suspect', style: 'unknown', value: confidence.suspect },
    { name: 'Unique', style: 'human', value: confidence.unique },
  ];
  const origins = [
    { name: 'Matched', style: 'kept', value: evidence.matched },
    { name: 'Declared', style: 'declared', value: evidence.declared },
    { name: 'Estimated', style: 'unknown', value: evidence.estimated },
  ];
  return (
    <Panel title="Confidence" term="confidence">
      <ShareBar parts={levels} />
      <ShareLegend parts={levels} />
      <Subtitle title="Evidence of AI lines" />
      <ShareBar parts={origins} />
      <ShareLegend parts={origins} />
    </Panel>
  );
}

function Subtitle({ title }: { title: string }) {
  return <h3 className="panel-subtitle">{title}</h3>;
}

const MOST_LANGUAGES = 8;

export function LanguagesPanel({ stats }: { stats: Stats }) {
  const rows = stats.language_breakdown.slice(0, MOST_LANGUAGES);
  return (
    <Panel title="Languages" term="languages">
      {rows.length === 0 ? (
        <Empty title="No lines in this period" />
      ) : (
        <DataTable
          caption="Lines by language"
          rows={rows}
          rowKey={({ language }) => language}
          columns={[
            { head: 'Language', cell: ({ language }) => languageName(language) },
            {
              head: <span className="visually-hidden">Composition</span>,
              cell: (row) => (
                <ShareBar
                  thin
                  parts={[
                    { name: 'AI, weighted', style: 'kept', value: row.ai_lines },
                    { name: 'Human', style: 'human', value: row.total_lines - row.ai_lines },
                  ]}
                />
              ),
              grows: true,
            },
            { head: 'Lines', cell: (row) => formatCount(row.total_lines), numeric: true },
            { head: 'AI share', cell: (row) => formatRatio(row.ai_ratio), numeric: true },
          ]}
        />
      )}
    </Panel>
  );
}
