import type { ListedCommit } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { KindBar } from '../parts/share-bar';
import { formatCount, formatRatio, formatTime, shortSha } from '../view/format';
import { useOrganisationClock } from '../shell/organisation-clock';

/** Commits as rows that lead to their pages. */
export function CommitRows({ commits }: { commits: readonly ListedCommit[] }) {
  const { timeZone } = useOrganisationClock();
  return (
    <DataTable
      caption="Commits, newest first"
      rows={commits}
      rowKey={({ repository, sha }) => `${repository} ${sha}`}
      columns={[
        {
          head: 'Commit',
          cell: ({ repository, sha }) => (
            <PageLink page="/commit" parameters={{ repository, sha }} className="sha">
              {shortSha(sha)}
            </PageLink>
          ),
        },
        {
          head: 'Author',
          cell: (commit) => (
            <span>
              {commit.authorName}
              <Marks commit={commit} />
            </span>
          ),
          grows: true,
        },
        { head: 'Repository', cell: ({ repository }) => <span className="muted">{repository}</span> },
        {
          head: 'Time',
          cell: ({ authoredAt }) => <span className="muted">{formatTime(authoredAt, timeZone)}</span>,
        },
        {
          head: <span className="visually-hidden">Composition</span>,
          cell: ({ lines }) => <KindBar thin counts={lines} />,
        },
        { head: 'Lines', cell: ({ lines }) => formatCount(lines.added), numeric: true },
        {
          head: 'AI share',
          cell: ({ aiRatio, lines }) => (lines.added === 0 ? '–' : formatRatio(aiRatio)),
          numeric: true,
        },
      ]}
    />
  );
}

/** What is special about a commit, in a word each. */
export function Marks({
  commit,
}: {
  commit: { declaredTool: string | null; counted: boolean; late: boolean };
}) {
  const marks = [
    commit.declaredTool === null ? null : `declares ${commit.declaredTool}`,
    commit.counted ? null : 'provisional',
    commit.late ? 'late' : null,
  ].filter((mark) => mark !== null);
  return (
    <>
      {marks.map((mark) => (
        <span key={mark} className="mark">
          {mark}
        </span>
      ))}
    </>
  );
}
