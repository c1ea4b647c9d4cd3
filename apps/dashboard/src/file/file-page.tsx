import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { useFileLines, type FileLines } from '../api/queries';
import { KindBar } from '../parts/share-bar';
import { Answered, Empty } from '../parts/states';
import { PageLink } from '../parts/page-link';
import { Page } from '../shell/page';
import { addressOf, useParameters } from '../view/address';
import { fileRows, missingTextWords, rowCounts, type FileRow } from '../view/file-lines';
import { branchName, formatCount, shortSha } from '../view/format';
import { KINDS, type Kind } from '../view/kinds';
import { HowCounted } from '../parts/how-counted';
import { EvidencePanel } from './evidence-panel';
import { LineList } from './line-list';

/** A file's lines by origin: the page that makes a number believable. */
export function FilePage() {
  const { repository = '', path = '', commit, policy } = useParameters();
  const place = { repository, path, commit, policy };
  const answer = useFileLines(place);
  return (
    <Page
      title={path.split('/').at(-1) ?? path}
      trail={<FileTrail repository={repository} path={path} />}
      subtitle={
        answer.data ? (
          <>
            At{' '}
            <PageLink page="/commit" parameters={{ repository, sha: answer.data.commit }}>
              <code>{shortSha(answer.data.commit)}</code>
            </PageLink>
            {answer.data.ref ? `, the tip of ${branchName(answer.data.ref)}` : null}
          </>
        ) : null
      }
    >
      <Answered answer={answer} what="the file" rows={12}>
        {(lines) => <FileView key={`${lines.commit} ${lines.path}`} answer={lines} />}
      </Answered>
    </Page>
  );
}

/** The way here: repository, folders. */
export function FileTrail({ repository, path }: { repository: string; path: string }) {
  const folders = path.split('/').slice(0, -1);
  return (
    <>
      <PageLink page="/repository" parameters={{ repository }}>
        {repository}
      </PageLink>
      {folders.map((name, index) => {
        const folder = folders.slice(0, index + 1).join('/');
        return (
          <span key={folder}>
            <span aria-hidden="true">/</span>
            <PageLink page="/repository" parameters={{ repository, folder }}>
              {name}
            </PageLink>
          </span>
        );
      })}
    </>
  );
}

function FileView({ answer }: { answer: FileLines }) {
  const rows = useMemo(() => fileRows(answer.lines, answer.text), [answer]);
  const [page, navigate] = useLocation();
  const parameters = useParameters();
  const chosen = Math.min(Math.max(1, Number(parameters['line']) || 1), rows.length);
  const [pointed, setPointed] = useState<FileRow | null>(null);
  const choose = (number: number) => {
    setPointed(null);
    navigate(addressOf(page, { ...parameters, line: String(number) }), { replace: true });
  };
  const row = rows[chosen - 1];
  if (!row) return <Empty title="The file is empty" />;
  return (
    <>
      <KindSummary rows={rows} />
      {answer.excluded === null ? null : (
        <p className="notice-box">This file does not count: {answer.excluded}. Its lines are nobody’s.</p>
      )}
      {answer.text === null ? (
        <p className="notice-box">Only line numbers are shown. {missingTextWords(answer.textMissing)}</p>
      ) : null}
      <div className="file-view">
        <LineList rows={rows} chosen={chosen} onChoose={choose} onPoint={setPointed} label={answer.path} />
        <EvidencePanel row={pointed ?? row} answer={answer} onGo={choose} />
      </div>
    </>
  );
}

const SHOWN: readonly Kind[] = ['P', 'M', 'H', 'excluded', 'unknown'];

/** The file's composition, which is the key to its colours, patterns and letters as well. */
function KindSummary({ rows }: { rows: readonly FileRow[] }) {
  const counts = rowCounts(rows);
  const lines: Readonly<Record<string, number>> = {
    P: counts.preserved,
    M: counts.modified,
    H: counts.human,
    excluded: counts.excluded,
    unknown: counts.unknown,
  };
  return (
    <div className="kind-summary">
      <KindBar counts={counts} />
      <ul className="kind-key">
        {SHOWN.map((kind) => {
          const { name, letter, style, term } = KINDS[kind];
          return (
            <li key={kind}>
              <span className={`kind-letter kind-${style}`} aria-hidden="true">
                {letter}
              </span>
              {name} <span className="muted">{formatCount(lines[kind] ?? 0)}</span>
              {term ? <HowCounted term={term} /> : null}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
