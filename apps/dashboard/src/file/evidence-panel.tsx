import { useAlignment, type FileLines, type LineRange } from '../api/queries';
import { HowCounted } from '../parts/how-counted';
import { PageLink } from '../parts/page-link';
import { Answered } from '../parts/states';
import { useOrganisationClock } from '../shell/organisation-clock';
import { useParameters } from '../view/address';
import { evidenceSentence, formatBits, ruleName, type FileRow } from '../view/file-lines';
import { formatTime, shortSha } from '../view/format';
import { KINDS } from '../view/kinds';

interface EvidencePanelProps {
  readonly row: FileRow;
  readonly answer: FileLines;
  /** Goes to a line of the file, numbered from 1. */
  readonly onGo: (number: number) => void;
}

/** Where a line comes from and how that is known, of the line that is pointed at or chosen. */
export function EvidencePanel({ row, answer, onGo }: EvidencePanelProps) {
  const { timeZone } = useOrganisationClock();
  const { name, letter, style, term } = KINDS[row.kind];
  const range = row.range;
  const origin = range?.origin ?? null;
  return (
    <aside className="evidence" aria-label="Evidence">
      <div aria-live="polite">
        <header className="evidence-head">
          <span className={`kind-letter kind-${style}`} aria-hidden="true">
            {letter}
          </span>
          <h2>
            Line {row.number} <span className="evidence-kind">{name}</span>
          </h2>
          {term ? <HowCounted term={term} /> : null}
        </header>
        <p className="evidence-sentence">{evidenceSentence(row)}</p>
        {range?.evidence === 'matched' && range.words ? (
          <p className="evidence-words">{range.words}</p>
        ) : null}
      </div>
      {origin ? (
        <dl className="facts">
          <dt>Author</dt>
          <dd>
            {origin.userId ? (
              <PageLink page={`/people/${encodeURIComponent(origin.userId)}`}>
                {origin.author ?? origin.userId}
              </PageLink>
            ) : (
              (origin.author ?? 'someone else')
            )}
          </dd>
          <Fact name="When" value={origin.at === null ? null : formatTime(origin.at, timeZone)} />
          <dt>Commit</dt>
          <dd>
            <PageLink
              page="/commit"
              parameters={{ repository: answer.repository, sha: origin.commit }}
              className="sha"
            >
              {shortSha(origin.commit)}
            </PageLink>
            {range?.copiedFrom ? (
              <span className="muted">
                , copied from{' '}
                <PageLink
                  page="/commit"
                  parameters={{ repository: answer.repository, sha: range.copiedFrom }}
                  className="sha"
                >
                  {shortSha(range.copiedFrom)}
                </PageLink>
              </span>
            ) : null}
            {origin.path === answer.path ? null : <span className="muted"> as {origin.path}</span>}
          </dd>
          <Fact name="Source" value={range?.source} />
          <Fact name="Model" value={range?.model} />
          <Fact name="Evidence" value={range?.evidence === 'none' ? null : range?.evidence} />
          <Fact name="Confidence" value={range?.confidence?.toLowerCase()} />
        </dl>
      ) : null}
      {range?.evidence === 'matched' && range.codeId && origin && range.copiedFrom === null ? (
        <Alignment codeId={range.codeId} origin={origin} row={row} answer={answer} onGo={onGo} />
      ) : null}
    </aside>
  );
}

function Fact({ name, value }: { name: string; value: string | null | undefined }) {
  if (!value) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}

/** The AI edit line by line, beside what became of each line. Its text is not shown: it never left the client. */
function Alignment({
  codeId,
  origin,
  row,
  answer,
  onGo,
}: EvidencePanelProps & { codeId: string; origin: NonNullable<LineRange['origin']> }) {
  const { policy } = useParameters();
  const alignment = useAlignment(codeId, {
    repository: answer.repository,
    path: origin.path,
    commit: origin.commit,
    policy,
  });
  return (
    <section className="alignment" aria-label="Alignment with the AI edit">
      <h3>
        The AI edit, line by line <HowCounted term="bits" />
      </h3>
      <Answered answer={alignment} what="the alignment">
        {({ lines, words }) => (
          <>
            <p className="alignment-words">{words}</p>
            <ol className="alignment-lines">
              {lines.map(({ line, tokens, matched }) => {
                const here = matched ? numberHere(matched.newLine, origin, answer) : null;
                return (
                  <li
                    key={line}
                    className={matched ? `aligned aligned-${matched.rule}` : 'aligned aligned-none'}
                  >
                    <span className="aligned-number">{line + 1}</span>
                    <span className="aligned-rule">
                      {matched ? ruleName(matched.rule) : tokens === 0 ? 'blank' : 'gone'}
                    </span>
                    {here === null ? (
                      <span className="muted">{matched ? 'gone since' : ''}</span>
                    ) : (
                      <button
                        type="button"
                        className="link-button"
                        aria-current={here === row.number || undefined}
                        onClick={() => onGo(here)}
                      >
                        line {here}
                      </button>
                    )}
                    <span className="aligned-bits">{matched ? formatBits(matched.bits) : ''}</span>
                  </li>
                );
              })}
            </ol>
          </>
        )}
      </Answered>
    </section>
  );
}

/**
 * Where a line of the origin commit stands in this file now, from 1; null if it does not. `line` counts from 0 in the
 * file as it was in that commit.
 */
function numberHere(
  line: number,
  { commit, path }: { commit: string; path: string },
  answer: FileLines,
): number | null {
  for (const { start, count, origin } of answer.lines) {
    if (origin?.commit !== commit || origin.path !== path) continue;
    const offset = line - origin.line;
    if (offset >= 0 && offset < count) return start + offset + 1;
  }
  return null;
}
