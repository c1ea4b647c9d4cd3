import { useCommit, type CommitDetail } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { PageLink } from '../parts/page-link';
import { Panel, Stat } from '../parts/panel';
import { KindBar } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { useOrganisationClock } from '../shell/organisation-clock';
import { Page } from '../shell/page';
import { useParameters } from '../view/address';
import { totalCounts } from '../view/commit-counts';
import { formatCount, formatRatio, formatTime, languageName, shortSha } from '../view/format';
import { Marks } from './commit-rows';

export function CommitPage() {
  const { repository = '', sha = '', policy } = useParameters();
  const commit = useCommit(repository, sha, policy);
  return (
    <Page
      title={`Commit ${shortSha(sha)}`}
      trail={
        <>
          <PageLink page="/repository" parameters={{ repository }}>
            {repository}
          </PageLink>
          <span aria-hidden="true">/</span>
          <PageLink page="/commits" parameters={{ repository }}>
            commits
          </PageLink>
        </>
      }
    >
      <Answered answer={commit} what="the commit" rows={6}>
        {(detail) => <Detail commit={detail} />}
      </Answered>
    </Page>
  );
}

function Detail({ commit }: { commit: CommitDetail }) {
  const { timeZone } = useOrganisationClock();
  const files = commit.files.map((file) => ({ ...file, counts: totalCounts(file.results) }));
  const total = totalCounts(files.map(({ counts }) => counts));
  return (
    <>
      <p className="byline">
        <PageLink page={`/people/${encodeURIComponent(commit.userId)}`}>{commit.authorName}</PageLink>,{' '}
        {formatTime(commit.authoredAt, timeZone)}
        <Marks commit={commit} />
        <code className="sha-full">{commit.sha}</code>
      </p>
      <dl className="stats">
        <Stat
          label="AI share of new lines"
          term="aiShare"
          value={formatRatio(total.ratio)}
          detail={<KindBar thin counts={total} />}
        />
        <Stat label="Attributable lines" term="totalLines" value={formatCount(total.lines)} />
        <Stat label="Kept" term="kept" value={formatCount(total.preserved)} />
        <Stat label="Changed" term="changed" value={formatCount(total.modified)} />
        <Stat label="Human" term="human" value={formatCount(total.human)} />
      </dl>
      <Panel title={`Files (${formatCount(files.length)})`} wide>
        {files.length === 0 ? (
          <Empty title="This commit adds no lines" />
        ) : (
          <DataTable
            caption="Files of the commit"
            rows={files}
            rowKey={({ path }) => path}
            columns={[
              {
                head: 'File',
                cell: (file) => (
                  <span className="path">
                    <PageLink
                      page="/file"
                      parameters={{ repository: commit.repository, path: file.path, commit: commit.sha }}
                    >
                      {file.path}
                    </PageLink>
                    {file.oldPath === null || file.oldPath === file.path ? null : (
                      <span className="muted"> was {file.oldPath}</span>
                    )}
                    {file.excluded === null ? null : <span className="mark">excluded: {file.excluded}</span>}
                  </span>
                ),
                grows: true,
              },
              { head: 'Language', cell: ({ language }) => languageName(language ?? '') },
              {
                head: <span className="visually-hidden">Composition</span>,
                cell: ({ counts }) => <KindBar thin counts={counts} />,
              },
              { head: 'Lines', cell: ({ counts }) => formatCount(counts.lines), numeric: true },
              { head: 'Kept', cell: ({ counts }) => formatCount(counts.preserved), numeric: true },
              { head: 'Changed', cell: ({ counts }) => formatCount(counts.modified), numeric: true },
              { head: 'Human', cell: ({ counts }) => formatCount(counts.human), numeric: true },
              {
                head: 'AI share',
                cell: ({ counts }) => (counts.lines === 0 ? '–' : formatRatio(counts.ratio)),
                numeric: true,
              },
            ]}
          />
        )}
      </Panel>
    </>
  );
}
