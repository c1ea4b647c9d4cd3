import type { ReactNode } from 'react';
import {
  useCommits,
  useModels,
  usePeople,
  useStats,
  type Filter,
  type ModelsFilter,
  type PeriodFilter,
} from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { Panel } from '../parts/panel';
import { Answered, Empty } from '../parts/states';
import { useOrganisationClock } from '../shell/organisation-clock';
import { Page } from '../shell/page';
import { PeriodPicker, usePeriod } from '../shell/period-picker';
import { useParameters } from '../view/address';
import { formatDay, formatLines, formatRatio } from '../view/format';
import {
  ConfidencePanel,
  LanguagesPanel,
  SourcesPanel,
  SummaryStats,
  TrendPanel,
} from './attribution-panels';
import { CommitRows } from './commit-rows';
import { HeadPanel, HeadPartsPanel, SurvivalPanel } from './ledger-panels';
import { PeopleTable } from './people-table';
import { QualityPanel } from './quality-page';

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
  const days = { start_date: range.start, end_date: range.end };
  const stats = useStats({
    scope: whose.scope === 'team' ? 'organization' : whose.scope,
    team,
    project_id: projectId,
    user_id: person,
    ...days,
    granularity,
    policy,
  });
  const filter = { project_id: projectId, person, team, policy };
  const ofPeriod = { ...days, project_id: projectId, team, policy };
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
        <ModelsPanel filter={{ ...ofPeriod, user_id: person }} />
        {person === undefined ? (
          <ContributorsPanel filter={ofPeriod} />
        ) : (
          <HeadPartsPanel filter={filter} by="model" title="Models at HEAD" />
        )}
        <RecentCommitsPanel filter={filter} />
        {whose.scope === 'organization' ? <QualityPanel filter={{ ...days, policy }} /> : null}
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

function ContributorsPanel({ filter }: { filter: PeriodFilter }) {
  const people = usePeople(filter, MOST_PEOPLE);
  return (
    <Panel title="Contributors" term="contributors" aside={<PageLink page="/people">All people</PageLink>}>
      <Answered answer={people} what="contributors">
        {({ pages }) => (
          <PeopleTable people={(pages[0]?.people ?? []).filter(({ kind }) => kind === 'person')} />
        )}
      </Answered>
    </Panel>
  );
}

function ModelsPanel({ filter }: { filter: ModelsFilter }) {
  const models = useModels(filter);
  return (
    <Panel title="Models" term="models">
      <Answered answer={models} what="models">
        {(answer) =>
          answer.models.length === 0 ? (
            <Empty title="No AI lines in this period" />
          ) : (
            <DataTable
              caption="AI lines by model"
              rows={answer.models}
              rowKey={({ model, source }) => `${model} ${source}`}
              columns={[
                {
                  head: 'Model',
                  cell: ({ model }) => model ?? <span className="muted">not named</span>,
                  grows: true,
                },
                { head: 'Source', cell: ({ source }) => source },
                { head: 'AI lines', cell: ({ weighted }) => formatLines(weighted), numeric: true },
                { head: 'Of all lines', cell: ({ share }) => formatRatio(share), numeric: true },
                { head: 'Kept', cell: ({ kept }) => formatRatio(kept), numeric: true },
              ]}
            />
          )
        }
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
