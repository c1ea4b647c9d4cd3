import { useDataQuality, useExclusions, type DataQuality, type PeriodFilter } from '../api/queries';
import type { Term } from '../definitions/glossary';
import { DataTable } from '../parts/data-table';
import { HowCounted } from '../parts/how-counted';
import { PageLink } from '../parts/page-link';
import { Panel } from '../parts/panel';
import { Answered, Empty } from '../parts/states';
import { Page } from '../shell/page';
import { PeriodPicker, usePeriod } from '../shell/period-picker';
import { useParameters } from '../view/address';
import { counted, formatCount, formatDay } from '../view/format';

interface Figure {
  readonly name: string;
  readonly term: Term;
  readonly value: number;
  /** Whether someone should look at it. */
  readonly odd: boolean;
}

/** What the numbers of a period do not know, and who should care. */
function figuresOf(quality: DataQuality): Figure[] {
  const { commits, lines, snippets, deadLetters, repositories, reconciliation } = quality;
  const missing = repositories.gaps.reduce((sum, gap) => sum + gap.missing, 0);
  const odd = (value: number) => value > 0;
  return [
    { name: 'Late commits', term: 'late', value: commits.late, odd: odd(commits.late) },
    { name: 'Commits analysed again', term: 'revised', value: commits.revised, odd: false },
    { name: 'Commits that declare an AI', term: 'declared', value: commits.declared, odd: false },
    { name: 'Provisional commits', term: 'provisional', value: commits.provisional, odd: false },
    { name: 'Estimated AI lines', term: 'evidence', value: lines.estimated, odd: odd(lines.estimated) },
    { name: 'Suspect lines', term: 'suspect', value: lines.suspect, odd: false },
    { name: 'AI edits never matched', term: 'neverMatched', value: snippets.neverMatched, odd: false },
    { name: 'Commits to be analysed again', term: 'pending', value: quality.reanalysis.pending, odd: false },
    ...(deadLetters === null
      ? []
      : [
          {
            name: 'Dead letters',
            term: 'deadLettered' as const,
            value: deadLetters.open,
            odd: odd(deadLetters.open),
          },
        ]),
    { name: 'Commits missing from histories', term: 'gaps', value: missing, odd: odd(missing) },
    {
      name: 'Repositories without a default branch',
      term: 'noDefaultBranch',
      value: repositories.withoutDefaultBranch.length,
      odd: odd(repositories.withoutDefaultBranch.length),
    },
    ...(reconciliation === null
      ? []
      : [
          {
            name: 'Days whose sums differ',
            term: 'reconciliation' as const,
            value: reconciliation.differences,
            odd: odd(reconciliation.differences),
          },
        ]),
  ];
}

function FigureList({ figures }: { figures: readonly Figure[] }) {
  return (
    <dl className="figure-list">
      {figures.map(({ name, term, value, odd }) => (
        <div key={name} className={odd ? 'figure-odd' : undefined}>
          <dt>
            {name}
            <HowCounted term={term} />
          </dt>
          <dd>
            {formatCount(value)}
            {odd ? <span className="mark mark-odd">look at it</span> : null}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What an organisation's page says of the data behind its numbers. */
export function QualityPanel({
  filter,
}: {
  filter: Pick<PeriodFilter, 'start_date' | 'end_date' | 'policy'>;
}) {
  const quality = useDataQuality(filter);
  return (
    <Panel title="Data quality" term="quality" wide aside={<PageLink page="/quality">Details</PageLink>}>
      <Answered answer={quality} what="data quality">
        {(answer) => <FigureList figures={figuresOf(answer)} />}
      </Answered>
    </Panel>
  );
}

export function QualityPage() {
  const { policy } = useParameters();
  const { range } = usePeriod();
  const filter = { start_date: range.start, end_date: range.end, policy };
  const quality = useDataQuality(filter);
  return (
    <Page
      title="Data quality"
      subtitle={`What the numbers do not know, ${formatDay(range.start)} – ${formatDay(range.end)}`}
      controls={<PeriodPicker granular={false} />}
    >
      <div className="panels">
        <Panel title="Of this period" term="quality" wide>
          <Answered answer={quality} what="data quality" rows={6}>
            {(answer) => <FigureList figures={figuresOf(answer)} />}
          </Answered>
        </Panel>
        <Panel title="Repositories" term="gaps">
          <Answered answer={quality} what="repositories">
            {({ repositories }) => <RepositoryGaps repositories={repositories} />}
          </Answered>
        </Panel>
        <ExclusionsPanel filter={filter} />
      </div>
    </Page>
  );
}

function RepositoryGaps({ repositories }: { repositories: DataQuality['repositories'] }) {
  const rows = [
    ...repositories.withoutDefaultBranch.map((repository) => ({
      repository,
      what: 'Nobody has told its default branch: all of its commits count, and no line is followed.',
    })),
    ...repositories.gaps.map(({ repository, missing }) => ({
      repository,
      what: `${counted(missing, 'commit')} that others name as a parent ${missing === 1 ? 'is' : 'are'} missing.`,
    })),
  ];
  if (rows.length === 0)
    return (
      <Empty title={`Nothing is missing in ${counted(repositories.total, 'repository', 'repositories')}`} />
    );
  return (
    <DataTable
      caption="What is missing in repositories"
      rows={rows}
      rowKey={({ repository, what }) => `${repository} ${what}`}
      columns={[
        { head: 'Repository', cell: ({ repository }) => repository },
        { head: 'What is missing', cell: ({ what }) => what, grows: true },
      ]}
    />
  );
}

function ExclusionsPanel({ filter }: { filter: PeriodFilter }) {
  const exclusions = useExclusions(filter);
  return (
    <Panel title="Files that do not count" term="excluded">
      <Answered answer={exclusions} what="excluded files">
        {(answer) =>
          answer.exclusions.length === 0 ? (
            <Empty title="Every changed file counts" />
          ) : (
            <DataTable
              caption="Files that do not count, by reason"
              rows={answer.exclusions}
              rowKey={({ reason }) => reason}
              columns={[
                { head: 'Reason', cell: ({ reason }) => reason, grows: true },
                { head: 'Files', cell: ({ files }) => formatCount(files), numeric: true },
                { head: 'Added lines', cell: ({ lines }) => formatCount(lines), numeric: true },
              ]}
            />
          )
        }
      </Answered>
    </Panel>
  );
}
