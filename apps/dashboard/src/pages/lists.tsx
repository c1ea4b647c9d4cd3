import { useLocation } from 'wouter';
import { useCommits, useHead, usePeople, useProjects } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { KindBar } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { HowCounted } from '../parts/how-counted';
import { Page } from '../shell/page';
import { PeriodPicker, usePeriod } from '../shell/period-picker';
import { addressOf, useParameters } from '../view/address';
import { branchName, formatCount, formatDay, formatRatio, shortSha } from '../view/format';
import { CommitRows } from './commit-rows';
import { PeopleTable } from './people-table';

const A_PAGE = 100;

/** The button below a list that has more. */
function More({
  list,
}: {
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown };
}) {
  if (!list.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button more"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      {list.isFetchingNextPage ? 'Loading …' : 'Show more'}
    </button>
  );
}

/** The days that a list is about, in words. */
function Days() {
  const { range } = usePeriod();
  return (
    <>
      {formatDay(range.start)} – {formatDay(range.end)}
    </>
  );
}

export function ProjectsPage() {
  const { policy } = useParameters();
  const { range } = usePeriod();
  const projects = useProjects({ start_date: range.start, end_date: range.end, policy }, A_PAGE);
  return (
    <Page title="Projects" subtitle={<Days />} controls={<PeriodPicker granular={false} />}>
      <section className="panel" aria-label="Projects">
        <Answered answer={projects} what="projects">
          {({ pages }) => {
            const all = pages.flatMap((page) => page.projects);
            return all.length === 0 ? (
              <Empty title="No lines were added in this period">Choose a longer one.</Empty>
            ) : (
              <DataTable
                caption="Projects by lines"
                rows={all}
                rowKey={({ projectId }) => projectId}
                columns={[
                  {
                    head: 'Project',
                    cell: ({ projectId }) => (
                      <PageLink page={`/projects/${encodeURIComponent(projectId)}`}>{projectId}</PageLink>
                    ),
                    grows: true,
                  },
                  { head: 'People', cell: ({ people }) => formatCount(people), numeric: true },
                  { head: 'Commits', cell: ({ commits }) => formatCount(commits), numeric: true },
                  {
                    head: <span className="visually-hidden">Composition</span>,
                    cell: (project) => <KindBar thin counts={project} />,
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
          }}
        </Answered>
        <More list={projects} />
      </section>
    </Page>
  );
}

/** Who commits without being a person is left out, unless the address says `bots=shown`. */
export function PeoplePage() {
  const [page, navigate] = useLocation();
  const parameters = useParameters();
  const { policy, bots } = parameters;
  const isShown = bots === 'shown';
  const { range } = usePeriod();
  const people = usePeople({ start_date: range.start, end_date: range.end, policy }, A_PAGE);
  return (
    <Page title="People" subtitle={<Days />} controls={<PeriodPicker granular={false} />}>
      <section className="panel" aria-label="People">
        <div className="choices">
          <label className="choice">
            <input
              type="checkbox"
              checked={isShown}
              onChange={({ target }) =>
                navigate(addressOf(page, { ...parameters, bots: target.checked ? 'shown' : undefined }), {
                  replace: true,
                })
              }
            />
            Show bots and assistants
          </label>
        </div>
        <Answered answer={people} what="people">
          {({ pages }) => (
            <PeopleTable
              people={pages
                .flatMap(({ people: some }) => some)
                .filter(({ kind }) => isShown || kind === 'person')}
            />
          )}
        </Answered>
        <More list={people} />
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
                <More list={commits} />
              </>
            );
          }}
        </Answered>
      </section>
    </Page>
  );
}
