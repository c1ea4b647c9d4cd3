import type { ReactNode } from 'react';
import { useCommits, useStats, useSummary, type Filter } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { Panel } from '../parts/panel';
import { Answered, Empty } from '../parts/states';
import { useOrganisationClock } from '../shell/organisation-clock';
import { Page } from '../shell/page';
import { PeriodPicker, usePeriod } from '../shell/period-picker';
import { useParameters } from '../view/address';
import { formatCount, formatDay, formatRatio } from '../view/format';
import {
  ConfidencePanel,
  LanguagesPanel,
  SourcesPanel,
  SummaryStats,
  TrendPanel,
} from './attribution-panels';
import { CommitRows } from './commit-rows';
import { HeadPanel, HeadPartsPanel, SurvivalPanel } from './ledger-panels';

/** Whose numbers a page shows. */
export type Whose =
  | { readonly scope: 'organization' }
  | { readonly scope: 'team'; readonly teamId: string }
  | { readonly scope: 'project'; readonly projectId: string }
  | { readonly scope: 'personal'; readonly person: string };

interface AttributionPageProps {
  readonly whose: Whose;
  readonly title: string;
  readonly trail?: ReactNode;
}

/** The page of an organisation, a project, a team or a person: the same questions, asked of other lines. */
export function AttributionPage({ whose, title, trail }: AttributionPageProps) {
  const { policy } = useParameters();
  const { range, granularity } = usePeriod();
  const projectId = whose.scope === 'project' ? whose.projectId : undefined;
  const person = whose.scope === 'personal' ? whose.person : undefined;
  const team = whose.scope === 'team' ? whose.teamId : undefined;
  const stats = useStats({
    scope: whose.scope === 'team' ? 'organization' : whose.scope,
    team,
    project_id: projectId,
    user_id: person,
    start_date: range.start,
    end_date: range.end,
    granularity,
    policy,
  });
  const filter = { project_id: projectId, person, team, policy };
  return (
    <Page
      title={title}
      trail={trail}
      subtitle={<PeriodInWords start={range.start} end={range.end} policy={policy} />}
      controls={<PeriodPicker />}
    >
      <Answered answer={stats} what="the numbers of the period" rows={4}>
        {(answer) => (
          <>
            <SummaryStats stats={answer} />
            {answer.summary.total_lines === 0 ? (
              <NothingInPeriod />
            ) : (
              <div className="panels">
                <TrendPanel stats={answer} granularity={granularity} />
                <SourcesPanel stats={answer} />
                <ConfidencePanel stats={answer} />
              </div>
            )}
          </>
        )}
      </Answered>
      <div className="panels">
        <HeadPanel filter={filter} />
        {stats.data && stats.data.language_breakdown.length > 0 ? (
          <LanguagesPanel stats={stats.data} />
        ) : null}
        <SurvivalPanel filter={filter} />
        <HeadPartsPanel filter={filter} by="model" title="Models at HEAD" />
        {person === undefined && team === undefined ? (
          <ContributorsPanel filter={{ project_id: projectId, policy }} />
        ) : null}
        <RecentCommitsPanel filter={filter} />
      </div>
    </Page>
  );
}

function PeriodInWords({ start, end, policy }: { start: string; end: string; policy: string | undefined }) {
  const { stopped, timeZone } = useOrganisationClock();
  return (
    <>
      {start === end ? formatDay(start) : `${formatDay(start)} – ${formatDay(end)}`}, in {timeZone}.
      {policy === undefined ? null : <span className="mark">policy {policy}</span>}
      {stopped ? (
        <span className="notice"> No newer commits: periods end with the newest one’s day.</span>
      ) : null}
    </>
  );
}

function NothingInPeriod() {
  return (
    <Empty title="No lines were added in this period">
      Choose a longer one. Commits appear within seconds of <code>lineprint push</code> or of the host’s
      webhook.
    </Empty>
  );
}

const MOST_PEOPLE = 10;
const RECENT_COMMITS = 8;

function ContributorsPanel({
  filter,
}: {
  filter: { project_id: string | undefined; policy: string | undefined };
}) {
  const summary = useSummary(filter);
  return (
    <Panel title="Contributors" term="contributors" aside={<PageLink page="/people">All people</PageLink>}>
      <Answered answer={summary} what="contributors">
        {({ byPerson }) => (
          <DataTable
            caption="Contributors by lines, all time"
            rows={Object.entries(byPerson)
              .map(([person, figures]) => ({ person, ...figures }))
              .sort((a, b) => b.lines - a.lines)
              .slice(0, MOST_PEOPLE)}
            rowKey={({ person }) => person}
            columns={[
              {
                head: 'Person',
                cell: ({ person }) => (
                  <PageLink page={`/people/${encodeURIComponent(person)}`}>{person}</PageLink>
                ),
                grows: true,
              },
              { head: 'Lines', cell: ({ lines }) => formatCount(lines), numeric: true },
              { head: 'AI share', cell: ({ ratio }) => formatRatio(ratio), numeric: true },
            ]}
          />
        )}
      </Answered>
    </Panel>
  );
}

function RecentCommitsPanel({ filter }: { filter: Filter }) {
  const commits = useCommits(filter, RECENT_COMMITS);
  return (
    <Panel
      title="Recent commits"
      term="commits"
      wide
      aside={
        <PageLink
          page="/commits"
          parameters={{ person: filter.person, project_id: filter.project_id, team: filter.team }}
        >
          All commits
        </PageLink>
      }
    >
      <Answered answer={commits} what="commits">
        {({ pages }) =>
          pages[0]?.commits.length ? (
            <CommitRows commits={pages[0].commits} />
          ) : (
            <Empty title="No commit has been analysed yet">
              Send a history with <code>lineprint backfill --repo PATH</code>.
            </Empty>
          )
        }
      </Answered>
    </Panel>
  );
}
