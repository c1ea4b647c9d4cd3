import { useTeams } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { Answered, Empty } from '../parts/states';
import { Page } from '../shell/page';
import { formatCount } from '../view/format';

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
                rowKey={({ id }) => id}
                columns={[
                  {
                    head: 'Team',
                    cell: ({ id, name }) => (
                      <PageLink page={`/teams/${encodeURIComponent(id)}`}>{name}</PageLink>
                    ),
                    grows: true,
                  },
                  { head: 'Members', cell: ({ members }) => formatCount(members.length), numeric: true },
                ]}
              />
            )
          }
        </Answered>
      </section>
    </Page>
  );
}

export function TeamPage({ teamId }: { teamId: string }) {
  const teams = useTeams();
  const team = teams.data?.teams.find(({ id }) => id === teamId);
  return (
    <Page title={team?.name ?? teamId} trail={<PageLink page="/teams">Teams</PageLink>}>
      <ul className="panel">
        {team?.members.map((person) => (
          <li key={person}>
            <PageLink page={`/people/${encodeURIComponent(person)}`}>{person}</PageLink>
          </li>
        ))}
      </ul>
    </Page>
  );
}
