import { useState } from 'react';
import { useHead, useSurvival, type Cohort, type Filter, type HeadFilter } from '../api/queries';
import { SurvivalPicture } from '../charts/lazy-charts';
import { DataTable } from '../parts/data-table';
import { HowCounted } from '../parts/how-counted';
import { PageLink } from '../parts/page-link';
import { Panel } from '../parts/panel';
import { Segmented } from '../parts/segmented';
import { KindBar, ShareLegend } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { formatCount, formatDay, formatRatio, languageName } from '../view/format';
import { KINDS, type Counts } from '../view/kinds';
import { curveName, curveRows, newestWeeks } from '../view/survival';

/** How long lines stay, AI's beside human ones. */
export function SurvivalPanel({ filter }: { filter: Filter }) {
  const [by, setBy] = useState<'origin' | 'source' | 'model'>('origin');
  const answer = useSurvival(filter, by);
  return (
    <Panel
      title="Survival"
      term="survival"
      wide
      aside={
        <Segmented
          label="Curves by"
          name="curves"
          value={by}
          onChange={setBy}
          options={[
            { value: 'origin', text: 'AI and human' },
            { value: 'source', text: 'Source' },
            { value: 'model', text: 'Model' },
          ]}
        />
      }
    >
      <Answered answer={answer} what="survival" rows={6}>
        {({ curves, cohorts }) =>
          curves.every(({ born }) => born === 0) ? (
            <Empty title="No line has been followed yet">
              Lines are followed on the default branch. Tell which one it is with <code>lineprint push</code>{' '}
              or <code>backfill</code>.
            </Empty>
          ) : (
            <>
              <div className="survival">
                <SurvivalPicture
                  label={curves
                    .map(({ key, at30 }) => `${curveName(key)}: ${shareOrUnknown(at30)} stand after 30 days`)
                    .join('; ')}
                  rows={curveRows(curves)}
                  keys={curves.map(({ key }) => key)}
                />
                <DataTable
                  caption="Survival of lines"
                  rows={curves}
                  rowKey={({ key }) => key}
                  columns={[
                    {
                      head: 'Lines',
                      cell: ({ key }) => (
                        <span className="curve-name">
                          <CurveSwatch index={curves.findIndex((curve) => curve.key === key)} />
                          {curveName(key)}
                        </span>
                      ),
                      grows: true,
                    },
                    { head: 'Born', cell: ({ born }) => formatCount(born), numeric: true },
                    { head: '7 d', cell: ({ at7 }) => shareOrUnknown(at7), numeric: true },
                    { head: '30 d', cell: ({ at30 }) => shareOrUnknown(at30), numeric: true },
                    { head: '90 d', cell: ({ at90 }) => shareOrUnknown(at90), numeric: true },
                    {
                      head: (
                        <>
                          Half-life <HowCounted term="halfLife" />
                        </>
                      ),
                      cell: ({ halfLifeDays }) =>
                        halfLifeDays === null ? 'not reached' : `${halfLifeDays} d`,
                      numeric: true,
                    },
                    {
                      head: (
                        <>
                          Churn <HowCounted term="churn" />
                        </>
                      ),
                      cell: ({ churn14 }) => shareOrUnknown(churn14.ratio),
                      numeric: true,
                    },
                  ]}
                />
              </div>
              <Cohorts cohorts={cohorts} />
            </>
          )
        }
      </Answered>
    </Panel>
  );
}

/** A year's: older ones are in the API's answer. */
const MOST_WEEKS = 52;

/** What became of the lines of each week, the newest first. */
function Cohorts({ cohorts }: { cohorts: readonly Cohort[] }) {
  const newest = newestWeeks(cohorts, MOST_WEEKS);
  return (
    <div className="cohorts">
      <h3 className="panel-subtitle">
        By week of birth <HowCounted term="cohorts" />
      </h3>
      <DataTable
        caption="Lines by week of birth, and what stands of them"
        rows={newest}
        rowKey={({ week, key }) => `${week} ${key}`}
        columns={[
          { head: 'Week of', cell: ({ week }) => formatDay(week) },
          { head: 'Lines', cell: ({ key }) => curveName(key), grows: true },
          { head: 'Born', cell: ({ born }) => formatCount(born), numeric: true },
          { head: '7 d', cell: ({ alive7 }) => shareOrUnknown(alive7), numeric: true },
          { head: '30 d', cell: ({ alive30 }) => shareOrUnknown(alive30), numeric: true },
          { head: '90 d', cell: ({ alive90 }) => shareOrUnknown(alive90), numeric: true },
          { head: 'Now', cell: ({ now }) => formatRatio(now), numeric: true },
        ]}
      />
    </div>
  );
}

function CurveSwatch({ index }: { index: number }) {
  return <span className={`curve-swatch curve-${index % 4}`} aria-hidden="true" />;
}

function shareOrUnknown(share: number | null): string {
  return share === null ? '–' : formatRatio(share);
}

/** What lines are at HEAD, in words and numbers. */
function kindLegend(counts: Counts): { name: string; style: string; value: number }[] {
  return (['P', 'M', 'H', 'unknown'] as const).map((kind) => ({
    name: KINDS[kind].name,
    style: KINDS[kind].style,
    value: { P: counts.preserved, M: counts.modified, H: counts.human, unknown: counts.unknown ?? 0 }[kind],
  }));
}

/** The share of the code base that goes back to AI, by repository: the way down to files and lines. */
export function HeadPanel({ filter }: { filter: HeadFilter }) {
  const answer = useHead(filter, 'repository');
  return (
    <Panel
      title="Code at HEAD"
      term="headShare"
      aside={<PageLink page="/repositories">All repositories</PageLink>}
    >
      <Answered answer={answer} what="the code at HEAD">
        {({ total, parts }) =>
          total.lines === 0 ? (
            <Empty title="No code is followed yet">
              A repository is followed once its default branch is known.
            </Empty>
          ) : (
            <>
              <p className="panel-figure">
                {formatRatio(total.ratio)} <span>of {formatCount(total.lines)} lines</span>
              </p>
              <KindBar counts={total} />
              <ShareLegend parts={kindLegend(total)} />
              <DataTable
                caption="Code at HEAD by repository"
                rows={parts}
                rowKey={({ key }) => key ?? ''}
                columns={[
                  {
                    head: 'Repository',
                    cell: ({ key }) => (
                      <PageLink page="/repository" parameters={{ repository: key ?? undefined }}>
                        {key}
                      </PageLink>
                    ),
                    grows: true,
                  },
                  { head: 'Lines', cell: ({ lines }) => formatCount(lines), numeric: true },
                  { head: 'AI share', cell: ({ ratio }) => formatRatio(ratio), numeric: true },
                ]}
              />
            </>
          )
        }
      </Answered>
    </Panel>
  );
}

const PARTS = {
  language: { head: 'Language', name: languageName },
  model: { head: 'Model', name: (key: string) => key },
  person: { head: 'Person', name: (key: string) => key },
} as const;

/** What stands at HEAD by language, model or person. */
export function HeadPartsPanel({
  filter,
  by,
  title,
}: {
  filter: HeadFilter;
  by: keyof typeof PARTS;
  title: string;
}) {
  const answer = useHead(filter, by);
  const { head, name } = PARTS[by];
  return (
    <Panel title={title} term={by === 'model' ? 'models' : 'headShare'}>
      <Answered answer={answer} what={title}>
        {({ parts }) =>
          parts.length === 0 ? (
            <Empty title="No code is followed yet" />
          ) : (
            <DataTable
              caption={title}
              rows={parts}
              rowKey={({ key }) => key ?? ''}
              columns={[
                { head, cell: ({ key }) => (key === null ? 'Unknown origin' : name(key)) },
                {
                  head: <span className="visually-hidden">Composition</span>,
                  cell: (part) => <KindBar thin counts={part} />,
                  grows: true,
                },
                { head: 'Lines', cell: ({ lines }) => formatCount(lines), numeric: true },
                {
                  head: 'AI share',
                  cell: (part) => (part.lines === part.unknown ? '–' : formatRatio(part.ratio)),
                  numeric: true,
                },
              ]}
            />
          )
        }
      </Answered>
    </Panel>
  );
}
