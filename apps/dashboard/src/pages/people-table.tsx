import type { usePeople } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { HowCounted } from '../parts/how-counted';
import { PageLink } from '../parts/page-link';
import { KindBar } from '../parts/share-bar';
import { Empty } from '../parts/states';
import { formatCount, formatRatio } from '../view/format';

type Person = NonNullable<ReturnType<typeof usePeople>['data']>['pages'][number]['people'][number];

/** People as rows that lead to their pages. */
export function PeopleTable({ people }: { people: readonly Person[] }) {
  if (people.length === 0)
    return <Empty title="Nobody has added a line in this period">Choose a longer one.</Empty>;
  return (
    <DataTable
      caption="People by lines"
      rows={people}
      rowKey={({ personId }) => personId}
      columns={[
        {
          head: 'Person',
          cell: ({ personId, name, kind }) => (
            <span>
              <PageLink page={`/people/${encodeURIComponent(personId)}`} title={personId}>
                {name}
              </PageLink>
              {kind === 'person' ? null : <span className="mark">{kind}</span>}
            </span>
          ),
          grows: true,
        },
        { head: 'Commits', cell: ({ commits }) => formatCount(commits), numeric: true },
        {
          head: <span className="visually-hidden">Composition</span>,
          cell: (person) => <KindBar thin counts={person} />,
        },
        {
          head: (
            <>
              Lines <HowCounted term="totalLines" />
            </>
          ),
          cell: ({ lines }) => formatCount(lines),
          numeric: true,
        },
        {
          head: (
            <>
              AI share <HowCounted term="aiShare" />
            </>
          ),
          cell: ({ ratio }) => formatRatio(ratio),
          numeric: true,
        },
      ]}
    />
  );
}
