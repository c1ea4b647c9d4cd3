import { useTeams } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { Answered, Empty } from '../parts/states';
import { Page } from '../shell/page';
import { AttributionPage } from './attribution-page';

export function TeamsPage() {
  const teams = useTeams();
  return (
    <Page title="Teams" subtitle="Groups of people, beside projects">
      <section className="panel" aria-label="Teams">
        <Answered answer={teams} what="teams">
          {(answer) =>
            answer.teams.length === 0 ? (
              <Empty title="No team yet">
                An administrator makes one with <code>lineprint team create NAME</code>.
              </Empty>
            ) : (
              <DataTable
                caption="Teams"
                rows={answer.teams}
                rowKey={({ teamId }) => teamId}
                columns={[
                  {
                    head: 'Team',
                    cell: ({ teamId, name }) => (
                      <PageLink page={`/teams/${encodeURIComponent(teamId)}`}>{name}</PageLink>
                    ),
                  },
                  {
                    head: 'Members',
                    cell: ({ members }) => members.map(({ name }) => name).join(', ') || '–',
                    grows: true,
                  },
                ]}
              />
            )
          }
        </Answered>
      </section>
    </Page>
  );
}

/** A team's page is that of an organisation, of its members' lines only. */
export function TeamPage({ teamId }: { teamId: string }) {
  const team = useTeams().data?.teams.find((known) => known.teamId === teamId);
  return (
    <AttributionPage
      whose={{ scope: 'team', teamId }}
      title={team?.name ?? teamId}
      trail={<PageLink page="/teams">Teams</PageLink>}
    />
  );
}
