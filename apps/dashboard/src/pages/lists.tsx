import { useSummary, useHead, useCommits } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { KindBar, ShareBar } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { HowCounted } from '../parts/how-counted';
import { Page } from '../shell/page';
import { useParameters } from '../view/address';
import { branchName, formatCount, formatDay, formatRatio, shortSha } from '../view/format';
import { CommitRows } from './commit-rows';

interface Split {
  readonly lines: number;
  readonly weighted: number;
  readonly ratio: number;
}

/** A split of all lines, the largest first. */
function SplitTable({
  caption,
  head,
  split,
  pageOf,
}: {
  caption: string;
  head: string;
  split: Readonly<Record<string, Split>>;
  pageOf: (name: string) => string;
}) {
  const rows = Object.entries(split)
    .map(([name, figures]) => ({ name, ...figures }))
    .sort((a, b) => b.lines - a.lines);
  if (rows.length === 0)
    return <Empty title="Nothing yet">They appear with the first analysed commit.</Empty>;
  return (
    <DataTable
      caption={caption}
      rows={rows}
      rowKey={({ name }) => name}
      columns={[
        { head, cell: ({ name }) => <PageLink page={pageOf(name)}>{name}</PageLink>, grows: true },
        {
          head: <span className="visually-hidden">Composition</span>,
          cell: ({ lines, weighted }) => (
            <ShareBar
              thin
              parts={[
                { name: 'AI, weighted', style: 'kept', value: weighted },
                { name: 'Human', style: 'human', value: lines - weighted },
              ]}
            />
          ),
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

export function ProjectsPage() {
  const { policy } = useParameters();
  const summary = useSummary({ policy });
  return (
    <Page title="Projects" subtitle="All lines since the first commit">
      <section className="panel" aria-label="Projects">
        <Answered answer={summary} what="projects">
          {({ byProject }) => (
            <SplitTable
              caption="Projects by lines"
              head="Project"
              split={byProject}
              pageOf={(name) => `/projects/${encodeURIComponent(name)}`}
            />
          )}
        </Answered>
      </section>
    </Page>
  );
}

export function PeoplePage() {
  const { policy } = useParameters();
  const summary = useSummary({ policy });
  return (
    <Page title="People" subtitle="All lines since the first commit">
      <section className="panel" aria-label="People">
        <Answered answer={summary} what="people">
          {({ byPerson }) => (
            <SplitTable
              caption="People by lines"
              head="Person"
              split={byPerson}
              pageOf={(name) => `/people/${encodeURIComponent(name)}`}
            />
          )}
        </Answered>
      </section>
    </Page>
  );
}

export function RepositoriesPage() {
  const { policy } = useParameters();
  const head = useHead({ policy }, 'repository');
  return (
    <Page title="Repositories" subtitle="What stands at the tip of each default branch">
      <section className="panel" aria-label="Repositories">
        <Answered answer={head} what="repositories">
          {({ parts, heads }) =>
            parts.length === 0 ? (
              <Empty title="No repository is followed yet">
                A repository is followed once its default branch is known: <code>lineprint push</code>,{' '}
                <code>backfill</code> and connected repositories tell it.
              </Empty>
            ) : (
              <DataTable
                caption="Repositories at HEAD"
                rows={parts.map((part) => ({
                  ...part,
                  head: heads.find(({ repository }) => repository === part.key),
                }))}
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
                  {
                    head: 'Branch',
                    cell: ({ head: tip }) => <span className="muted">{tip ? branchName(tip.ref) : '–'}</span>,
                  },
                  {
                    head: 'Tip',
                    cell: ({ head: tip }) =>
                      tip ? (
                        <span className="muted">
                          <code>{shortSha(tip.commit)}</code>, {formatDay(tip.at)}
                        </span>
                      ) : (
                        '–'
                      ),
                  },
                  {
                    head: <span className="visually-hidden">Composition</span>,
                    cell: (part) => <KindBar thin counts={part} />,
                  },
                  { head: 'Lines', cell: ({ lines }) => formatCount(lines), numeric: true },
                  {
                    head: (
                      <>
                        AI share <HowCounted term="headShare" />
                      </>
                    ),
                    cell: ({ ratio }) => formatRatio(ratio),
                    numeric: true,
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

const COMMITS_A_PAGE = 50;

export function CommitsPage() {
  const { policy, repository, person, project_id, team } = useParameters();
  const commits = useCommits({ policy, repository, person, project_id, team }, COMMITS_A_PAGE);
  const whose = repository ?? person ?? project_id ?? team;
  return (
    <Page title="Commits" subtitle={whose ? `Of ${whose}, newest first` : 'Newest first'}>
      <section className="panel" aria-label="Commits">
        <Answered answer={commits} what="commits" rows={8}>
          {({ pages }) => {
            const all = pages.flatMap((page) => page.commits);
            return all.length === 0 ? (
              <Empty title="No commit has been analysed yet">
                Send a history with <code>lineprint backfill --repo PATH</code>.
              </Empty>
            ) : (
              <>
                <CommitRows commits={all} />
                {commits.hasNextPage ? (
                  <button
                    type="button"
                    className="button more"
                    disabled={commits.isFetchingNextPage}
                    onClick={() => void commits.fetchNextPage()}
                  >
                    {commits.isFetchingNextPage ? 'Loading …' : 'Show older commits'}
                  </button>
                ) : null}
              </>
            );
          }}
        </Answered>
      </section>
    </Page>
  );
}
