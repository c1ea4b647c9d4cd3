import { confidences, evidenceKinds, sources } from '@lineprint/contracts';
import { type People, type Queryable, resolvePeople } from '@lineprint/persistence';
import { ratio, weightedLines } from '../figures';
import { groupRows } from '../group-rows';
import type { TenantView } from '../tenant-view';
import {
  type CommitCounts,
  countCommits,
  type Dimension,
  groupedLines,
  type LinesRow,
  type SummaryFilter,
  type UncountedLines,
  uncountedLines,
} from './summary.queries';
import type { Figures, SummaryAnswer } from './summary.schema';

export type GroupedRows = Readonly<Record<Dimension, readonly LinesRow[]>>;

/** All lines that a view may see under its policy and that count, split in every way; and those that do not yet. */
export async function loadSummary(
  queryable: Queryable,
  view: TenantView,
  all: Omit<SummaryFilter, 'counted'>,
): Promise<SummaryAnswer> {
  const filter = { ...all, counted: true };
  const lines = (dimension: Dimension) => groupedLines(queryable, view, filter, dimension);
  return {
    ...assembleSummary(
      await countCommits(queryable, view, filter),
      await uncountedLines(queryable, view, filter),
      {
        language: await lines('language'),
        person: byPerson(await lines('person'), await resolvePeople(queryable, view.orgId)),
        project: await lines('project'),
        source: await lines('source'),
        confidence: await lines('confidence'),
        evidence: await lines('evidence'),
      },
    ),
    provisional: await loadProvisional(queryable, view, { ...all, counted: false }),
  };
}

/** The rows of all addresses of a person as one, the largest first. */
function byPerson(rows: readonly LinesRow[], people: People): LinesRow[] {
  const groups = groupRows(rows, ({ key }) => people.personOf(key).personId);
  const persons = [...groups].map(([key, own]) => ({
    key,
    high: own.reduce((sum, { high }) => sum + high, 0),
    ...totalOf(own),
  }));
  const linesOf = ({ preserved, modified, human }: LinesRow) => preserved + modified + human;
  return persons.sort((a, b) => linesOf(b) - linesOf(a) || (a.key < b.key ? -1 : 1));
}

/** Lines of commits to which no ref leads that counts. */
async function loadProvisional(
  queryable: Queryable,
  view: TenantView,
  filter: SummaryFilter,
): Promise<SummaryAnswer['provisional']> {
  const { commits, merges } = await countCommits(queryable, view, filter);
  const { preserved, modified, human } = totalOf(await groupedLines(queryable, view, filter, 'evidence'));
  const added = preserved + modified + human;
  return {
    commits,
    merges,
    lines: { added, preserved, modified, human },
    aiRatio: ratio(weightedLines(preserved, modified), added),
  };
}

function totalOf(rows: readonly LinesRow[]): Pick<LinesRow, 'preserved' | 'modified' | 'human' | 'suspect'> {
  const total = { preserved: 0, modified: 0, human: 0, suspect: 0 };
  for (const row of rows) {
    total.preserved += row.preserved;
    total.modified += row.modified;
    total.human += row.human;
    total.suspect += row.suspect;
  }
  return total;
}

/** The answer's figures, from rows grouped in the database. */
export function assembleSummary(
  commits: CommitCounts,
  uncounted: UncountedLines,
  groups: GroupedRows,
): Omit<SummaryAnswer, 'provisional'> {
  const total = totalOf(groups.language);
  const added = total.preserved + total.modified + total.human;
  const byEvidence = {
    ...byKey(evidenceKinds, groups.evidence, aiFigures),
    none: humanFigures(total.human),
  };
  const confidence = byKey(confidences, groups.confidence, aiFigures);
  return {
    commits: commits.commits,
    merges: commits.merges,
    lines: {
      added,
      preserved: total.preserved,
      modified: total.modified,
      human: total.human,
      inherited: uncounted.inherited,
      excluded: uncounted.excluded,
      blank: uncounted.blank,
    },
    aiRatio: ratio(weightedLines(total.preserved, total.modified), added),
    aiRatioMatched: ratio(byEvidence.matched.weighted, added),
    aiRatioDeclared: ratio(byEvidence.declared.weighted, added),
    bySource: {
      ...byKey(sources, groups.source.filter(hasAiLines), aiFigures),
      human: humanFigures(total.human),
    },
    byLanguage: byKey([], groups.language, allFigures),
    byPerson: byKey([], groups.person, allFigures),
    byProject: byKey([], groups.project, allFigures),
    byConfidence: {
      ...confidence,
      SUSPECT: humanFigures(total.suspect),
      UNIQUE: humanFigures(total.human - total.suspect),
    },
    byEvidence,
  };
}

const hasAiLines = (row: LinesRow) => row.preserved + row.modified > 0;

/**
 * A row of a weak match has a source and a confidence, but its lines are human. So where a group is an origin
 * it takes a row's AI lines only, and the human ones of all rows make a group of their own.
 */
const aiFigures = (row: LinesRow) => figures(row.preserved + row.modified, row);
const allFigures = (row: LinesRow) => figures(row.preserved + row.modified + row.human, row);
const humanFigures = (lines: number) => figures(lines, { preserved: 0, modified: 0, high: 0 });

function figures(
  lines: number,
  { preserved, modified, high }: Pick<LinesRow, 'preserved' | 'modified' | 'high'>,
): Figures {
  const weighted = weightedLines(preserved, modified);
  return { lines, aiLines: preserved + modified, high, weighted, ratio: ratio(weighted, lines) };
}

/** `keys` are there even where no row has them. */
function byKey<K extends string>(
  keys: readonly K[],
  rows: readonly LinesRow[],
  of: (row: LinesRow) => Figures,
): Record<K, Figures> {
  const all = new Map<string, Figures>(keys.map((key) => [key, humanFigures(0)]));
  for (const row of rows) all.set(row.key, of(row));
  return Object.fromEntries(all) as Record<K, Figures>;
}
