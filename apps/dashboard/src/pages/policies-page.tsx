import { useLocation } from 'wouter';
import { useFlippedLines, usePolicies, usePolicyDiff, type Policy, type PolicyDiff } from '../api/queries';
import { DataTable } from '../parts/data-table';
import { HowCounted } from '../parts/how-counted';
import { PageLink } from '../parts/page-link';
import { Panel } from '../parts/panel';
import { Answered, Empty } from '../parts/states';
import { Page } from '../shell/page';
import { addressOf, useParameters } from '../view/address';
import {
  counted,
  formatCount,
  formatDay,
  formatLines,
  formatRatio,
  languageName,
  shortSha,
} from '../view/format';
import { splitChanges, thresholdChanges, type SplitChange } from '../view/policy-changes';
import { KINDS } from '../view/kinds';

/** The policies, and what two of them say of the same lines. */
export function PoliciesPage() {
  const policies = usePolicies();
  return (
    <Page title="Policies" subtitle="Thresholds and counting rules, and what they change">
      <Answered answer={policies} what="policies" rows={5}>
        {(answer) => (
          <div className="panels">
            <PolicyList policies={answer.policies} />
            <Comparison policies={answer.policies} />
          </div>
        )}
      </Answered>
    </Page>
  );
}

function PolicyList({ policies }: { policies: readonly Policy[] }) {
  return (
    <Panel title="All policies" term="policy" wide>
      <DataTable
        caption="Policies"
        rows={policies}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'Policy',
            cell: ({ id, active, live }) => (
              <span>
                <PageLink
                  page="/"
                  parameters={{ policy: active ? undefined : id }}
                  title="Show all numbers under this policy"
                >
                  {id}
                </PageLink>
                {active ? <span className="mark mark-strong">active</span> : null}
                {live ? <span className="mark">live</span> : null}
              </span>
            ),
          },
          {
            head: 'For',
            cell: ({ description }) => description ?? <span className="muted">–</span>,
            grows: true,
          },
          { head: 'Engine', cell: ({ engine }) => engine, numeric: true },
          { head: 'Made', cell: ({ createdAt }) => formatDay(createdAt), numeric: true },
          { head: 'Commits judged', cell: ({ judged }) => formatCount(judged), numeric: true },
        ]}
      />
    </Panel>
  );
}

function Comparison({ policies }: { policies: readonly Policy[] }) {
  const [page, navigate] = useLocation();
  const parameters = useParameters();
  const active = policies.find((policy) => policy.active)?.id ?? policies[0]?.id ?? '';
  const from = parameters['from'] ?? active;
  const to = parameters['to'] ?? policies.find(({ id }) => id !== from)?.id ?? '';
  const ready = from !== '' && to !== '' && from !== to;
  const diff = usePolicyDiff(from, to, ready);
  const choose = (changes: Record<string, string>) =>
    navigate(addressOf(page, { ...parameters, from, to, ...changes }), { replace: true });
  return (
    <>
      <Panel title="Side by side" wide>
        {policies.length < 2 ? (
          <Empty title="There is one policy only">
            Make a second one with <code>lineprint policy create strict --set thresholds.minBits=30</code> and
            let it judge the history with <code>lineprint replay start --policy strict</code>.
          </Empty>
        ) : (
          <>
            <div className="choices">
              <PolicyChoice
                label="From"
                value={from}
                policies={policies}
                onChange={(id) => choose({ from: id })}
              />
              <span aria-hidden="true">→</span>
              <PolicyChoice label="To" value={to} policies={policies} onChange={(id) => choose({ to: id })} />
            </div>
            {ready ? (
              <>
                <Thresholds
                  from={policies.find(({ id }) => id === from)}
                  to={policies.find(({ id }) => id === to)}
                />
                <Answered answer={diff} what="the comparison" rows={6}>
                  {(answer) => <Totals diff={answer} />}
                </Answered>
              </>
            ) : (
              <Empty title="Choose two different policies" />
            )}
          </>
        )}
      </Panel>
      {ready && diff.data ? <Splits diff={diff.data} /> : null}
      {ready && diff.data ? <Flips diff={diff.data} /> : null}
    </>
  );
}

function PolicyChoice({
  label,
  value,
  policies,
  onChange,
}: {
  label: string;
  value: string;
  policies: readonly Policy[];
  onChange: (id: string) => void;
}) {
  return (
    <label className="choice">
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChange(target.value)}>
        {policies.map(({ id }) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </select>
    </label>
  );
}

function Thresholds({ from, to }: { from: Policy | undefined; to: Policy | undefined }) {
  if (!from || !to) return null;
  const changes = thresholdChanges(from.thresholds, to.thresholds);
  if (changes.length === 0) return <p className="muted">Their thresholds are the same.</p>;
  return (
    <ul className="thresholds">
      {changes.map(({ name, from: before, to: after }) => (
        <li key={name}>
          <code>{name}</code> {before} → {after}
        </li>
      ))}
    </ul>
  );
}

function Totals({ diff }: { diff: PolicyDiff }) {
  const { commits, lines, total } = diff;
  const rows = [
    {
      name: 'AI share of new lines',
      from: formatRatio(total.from.ratio),
      to: formatRatio(total.to.ratio),
      change: points(total.to.ratio - total.from.ratio),
    },
    ...(['preserved', 'modified', 'human'] as const).map((kind) => ({
      name: KINDS[kind === 'preserved' ? 'P' : kind === 'modified' ? 'M' : 'H'].name,
      from: formatCount(lines.from[kind]),
      to: formatCount(lines.to[kind]),
      change: signed(lines.to[kind] - lines.from[kind]),
    })),
    {
      name: 'AI lines with high confidence',
      from: formatCount(total.from.high),
      to: formatCount(total.to.high),
      change: signed(total.to.high - total.from.high),
    },
  ];
  return (
    <>
      <p className="muted">
        Of {counted(commits.both, 'commit')} that both have judged
        {commits.onlyFrom + commits.onlyTo > 0
          ? `; ${formatCount(commits.onlyFrom)} only ${diff.from}, ${formatCount(commits.onlyTo)} only ${diff.to}`
          : ''}
        .
      </p>
      <DataTable
        caption={`What ${diff.from} and ${diff.to} say`}
        rows={rows}
        rowKey={({ name }) => name}
        columns={[
          { head: 'Number', cell: ({ name }) => name, grows: true },
          { head: diff.from, cell: (row) => row.from, numeric: true },
          { head: diff.to, cell: (row) => row.to, numeric: true },
          { head: 'Change', cell: ({ change }) => change, numeric: true },
        ]}
      />
    </>
  );
}

function signed(change: number): string {
  return change > 0 ? `+${formatLines(change)}` : change < 0 ? `−${formatLines(-change)}` : '0';
}

function points(change: number): string {
  const rounded = Math.round(1000 * change) / 10;
  return `${signed(rounded)} points`;
}

function Splits({ diff }: { diff: PolicyDiff }) {
  return (
    <>
      <SplitPanel title="By person" rows={splitChanges(diff.byPerson)} />
      <SplitPanel title="By language" rows={splitChanges(diff.byLanguage)} name={languageName} />
    </>
  );
}

function SplitPanel({
  title,
  rows,
  name = (key) => key,
}: {
  title: string;
  rows: readonly SplitChange[];
  name?: (key: string) => string;
}) {
  return (
    <Panel title={title} term="aiShare">
      <DataTable
        caption={`AI share ${title.toLowerCase()}`}
        rows={rows}
        rowKey={({ key }) => key}
        columns={[
          {
            head: title.replace('By ', '').replace(/^./, (letter) => letter.toUpperCase()),
            cell: ({ key }) => name(key),
            grows: true,
          },
          { head: 'From', cell: ({ from }) => formatRatio(from), numeric: true },
          { head: 'To', cell: ({ to }) => formatRatio(to), numeric: true },
          { head: 'Change', cell: ({ from, to }) => points(to - from), numeric: true },
        ]}
      />
    </Panel>
  );
}

type Origin = PolicyDiff['flips'][number]['from'];

/** What a line is under a policy, in a few words. */
function originWords(origin: Origin): string {
  if (origin === null) return 'not counted';
  const kind = KINDS[origin.kind].name;
  if (origin.kind === 'H') return origin.confidence === 'SUSPECT' ? 'Human, suspect' : kind;
  return `${kind}, ${origin.confidence.toLowerCase()}${origin.source ? `, ${origin.source}` : ''}`;
}

function Flips({ diff }: { diff: PolicyDiff }) {
  const flipped = useFlippedLines(diff.from, diff.to, diff.flips.length > 0);
  return (
    <Panel title="Lines that flip" term="flips" wide>
      {diff.flips.length === 0 ? (
        <Empty title="No line is something else" />
      ) : (
        <>
          <DataTable
            caption="How many lines flip from what to what"
            rows={diff.flips}
            rowKey={(flip) => JSON.stringify(flip)}
            columns={[
              { head: `Under ${diff.from}`, cell: ({ from }) => originWords(from) },
              { head: `Under ${diff.to}`, cell: ({ to }) => originWords(to), grows: true },
              { head: 'Lines', cell: ({ lines }) => formatCount(lines), numeric: true },
            ]}
          />
          <h3 className="panel-subtitle">
            In these files <HowCounted term="flips" />
          </h3>
          <Answered answer={flipped} what="the lines that flip">
            {({ pages }) => (
              <ul className="flipped">
                {pages
                  .flatMap(({ files }) => files)
                  .map(({ repository, sha, path, lines }) => (
                    <li key={`${repository} ${sha} ${path}`}>
                      <PageLink
                        page="/file"
                        parameters={{
                          repository,
                          path,
                          commit: sha,
                          line: String((lines[0]?.start ?? 0) + 1),
                        }}
                      >
                        {path}
                      </PageLink>
                      <span className="muted">
                        {' '}
                        at <code>{shortSha(sha)}</code>,{' '}
                        {lines
                          .map(({ start, count }) =>
                            count === 1 ? `${start + 1}` : `${start + 1}–${start + count}`,
                          )
                          .join(', ')}
                      </span>
                    </li>
                  ))}
              </ul>
            )}
          </Answered>
          {flipped.hasNextPage ? (
            <button type="button" className="button more" onClick={() => void flipped.fetchNextPage()}>
              Show more files
            </button>
          ) : null}
        </>
      )}
    </Panel>
  );
}
