import { useEffect, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useLocation } from 'wouter';
import { useFiles, useHead, type FileSort, type HeadFile, type HeadPart } from '../api/queries';
import { FolderIcon, FileIcon } from '../parts/icons';
import { PageLink } from '../parts/page-link';
import { Panel, Stat } from '../parts/panel';
import { Segmented } from '../parts/segmented';
import { KindBar } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { Page } from '../shell/page';
import { addressOf, useParameters } from '../view/address';
import { branchName, formatCount, formatDay, formatRatio, languageName, shortSha } from '../view/format';
import { HeadPartsPanel, SurvivalPanel } from './ledger-panels';

const SORTS: readonly { value: FileSort; text: string }[] = [
  { value: 'lines', text: 'Lines' },
  { value: 'ai', text: 'AI lines' },
  { value: 'ratio', text: 'AI share' },
  { value: 'path', text: 'Path' },
];

/** A repository, or a folder of it, as it stands at HEAD. */
export function RepositoryPage() {
  const { repository = '', folder, policy } = useParameters();
  const filter = { repository, folder, policy };
  const folders = useHead(filter, 'folder');
  const tip = folders.data?.heads[0];
  return (
    <Page
      title={folder ? (folder.split('/').at(-1) ?? folder) : repository}
      trail={
        <>
          <PageLink page="/repositories">Repositories</PageLink>
          {folder ? <FolderTrail repository={repository} folder={folder} /> : null}
        </>
      }
      subtitle={
        tip ? (
          <>
            {branchName(tip.ref)} at{' '}
            <PageLink page="/commit" parameters={{ repository, sha: tip.commit }}>
              <code>{shortSha(tip.commit)}</code>
            </PageLink>
            , {formatDay(tip.at)}
          </>
        ) : null
      }
    >
      <Answered answer={folders} what="the repository" rows={4}>
        {({ total, parts }) =>
          total.lines === 0 ? (
            <Empty title="Nothing is followed here">
              A repository is followed once its default branch is known, by <code>lineprint push</code>,{' '}
              <code>backfill</code> or as a connected repository.
            </Empty>
          ) : (
            <>
              <dl className="stats">
                <Stat
                  label="AI share at HEAD"
                  term="headShare"
                  value={formatRatio(total.ratio)}
                  detail={<KindBar thin counts={total} />}
                />
                <Stat label="Lines at HEAD" term="totalLines" value={formatCount(total.lines)} />
                <Stat label="Kept" term="kept" value={formatCount(total.preserved)} />
                <Stat label="Changed" term="changed" value={formatCount(total.modified)} />
                <Stat label="Human" term="human" value={formatCount(total.human)} />
                <Stat label="Unknown origin" term="unknown" value={formatCount(total.unknown)} />
              </dl>
              <div className="panels">
                <FilesPanel
                  folders={parts.filter(({ key }) => key !== null && key !== '' && key !== folder)}
                />
                <HeadPartsPanel filter={filter} by="language" title="Languages at HEAD" />
                {folder === undefined ? (
                  <>
                    <HeadPartsPanel filter={filter} by="person" title="People at HEAD" />
                    <SurvivalPanel filter={{ repository, policy }} />
                  </>
                ) : null}
              </div>
            </>
          )
        }
      </Answered>
    </Page>
  );
}

function FolderTrail({ repository, folder }: { repository: string; folder: string }) {
  const above = folder.split('/').slice(0, -1);
  return (
    <>
      <span aria-hidden="true">/</span>
      <PageLink page="/repository" parameters={{ repository }}>
        {repository}
      </PageLink>
      {above.map((name, index) => {
        const path = above.slice(0, index + 1).join('/');
        return (
          <span key={path}>
            <span aria-hidden="true">/</span>
            <PageLink page="/repository" parameters={{ repository, folder: path }}>
              {name}
            </PageLink>
          </span>
        );
      })}
    </>
  );
}

const ROW_PX = 36;

/** Folders one level down, then every file below; only rows in sight are in the page, and pages are fetched on the way. */
function FilesPanel({ folders }: { folders: readonly HeadPart[] }) {
  const [page, navigate] = useLocation();
  const parameters = useParameters();
  const { repository = '', folder, policy } = parameters;
  const sort = SORTS.find(({ value }) => value === parameters['sort'])?.value ?? 'lines';
  const files = useFiles({ repository, folder, policy }, sort);
  return (
    <Panel
      title="Files"
      wide
      aside={
        <Segmented
          label="Sort files by"
          name="sort"
          value={sort}
          options={SORTS}
          onChange={(value) => navigate(addressOf(page, { ...parameters, sort: value }), { replace: true })}
        />
      }
    >
      {folders.length > 0 ? (
        <ul className="folders">
          {folders.map(({ key, lines, ratio }) => (
            <li key={key}>
              <PageLink page="/repository" parameters={{ repository, folder: key ?? undefined }}>
                <FolderIcon /> {key}
              </PageLink>
              <span className="muted">
                {formatCount(lines)} lines, {formatRatio(ratio)} AI
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <Answered answer={files} what="files" rows={8}>
        {({ pages }) => (
          <FileRows
            files={pages.flatMap((part) => part.files)}
            repository={repository}
            more={files.hasNextPage && !files.isFetchingNextPage ? () => void files.fetchNextPage() : null}
          />
        )}
      </Answered>
    </Panel>
  );
}

function FileRows({
  files,
  repository,
  more,
}: {
  files: readonly HeadFile[];
  repository: string;
  more: (() => void) | null;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: files.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more !== null && last >= files.length - 1) more();
  }, [more, last, files.length]);
  if (files.length === 0) return <Empty title="No file that counts" />;
  return (
    <div className="file-table" role="table" aria-label="Files at HEAD" aria-rowcount={files.length + 1}>
      <div className="file-row file-row-head" role="row" aria-rowindex={1}>
        <span role="columnheader">File</span>
        <span role="columnheader">Language</span>
        <span role="columnheader">
          <span className="visually-hidden">Composition</span>
        </span>
        <span role="columnheader" className="numeric">
          Lines
        </span>
        <span role="columnheader" className="numeric">
          AI share
        </span>
      </div>
      <div ref={scroller} className="file-scroll" role="rowgroup" tabIndex={0} aria-label="Files">
        <div className="line-space" role="presentation" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const file = files[index];
            if (!file) return null;
            return (
              <div
                key={file.path}
                role="row"
                aria-rowindex={index + 2}
                className="file-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <span role="rowheader" className="file-path">
                  <FileIcon />
                  <PageLink page="/file" parameters={{ repository, path: file.path }} title={file.path}>
                    {file.path}
                  </PageLink>
                </span>
                <span role="cell" className="muted">
                  {languageName(file.language)}
                </span>
                <span role="cell">
                  <KindBar thin counts={file} />
                </span>
                <span role="cell" className="numeric">
                  {formatCount(file.lines)}
                </span>
                <span role="cell" className="numeric">
                  {file.preserved + file.modified + file.human === 0 ? '–' : formatRatio(file.ratio)}
                </span>
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
