import type { Figures } from '../api/read-client';
import { grouped, percent, shortened, table } from '../terminal/table';
import type { BeforeAfter, FlippedFiles, Origin, Policy, PolicyDiff, PolicyList } from './policy-answers';

const MAX_ROWS = 12;
const ABBREVIATED_SHA = 10;

/** The policies of an organisation, and the last time that another one was activated. */
export function policyTable({ policies, activations }: PolicyList): string {
  const rows = policies.map((policy) => [
    shortened(policy.id),
    policy.active ? 'active' : '',
    policy.live ? 'live' : (policy.replay?.status ?? 'nobody'),
    grouped(policy.judged),
    day(policy.createdAt),
  ]);
  const [last] = activations;
  const text = table(['policy', 'read', 'judged by', 'commits', 'created'], rows, 3);
  if (!last) return text;
  return `${text}\n\nLast switch: ${last.from ?? 'none'} → ${last.to}, ${minute(last.at)}${last.by ? ` by ${last.by}` : ''}`;
}

/** Everything about one policy. */
export function policyText(policy: Policy): string {
  const { id, description, createdAt, createdBy, replay, thresholds, exclusions = [] } = policy;
  const judge = policy.live
    ? 'the live stream'
    : replay
      ? `replay ${replay.id} (${replay.status})`
      : 'nobody yet';
  return [
    `${id}${policy.active ? ', active' : ''}${description ? `: ${description}` : ''}`,
    `  made ${minute(createdAt)}${createdBy ? ` by ${createdBy}` : ''} for engine ${policy.engine}`,
    `  judged by ${judge}: ${grouped(policy.judged)} commits`,
    '',
    table(
      ['threshold', 'value'],
      Object.entries(thresholds).map(([name, value]) => [name, String(value)]),
    ),
    ...(exclusions.length > 0 ? [''] : []),
    ...exclusions.map(
      ({ glob, include, reason }) =>
        `${include ? 'counts after all' : 'does not count'}: ${glob}${reason ? ` (${reason})` : ''}`,
    ),
  ].join('\n');
}

/** What would change from one policy to another, with the files whose lines flip. */
export function diffText(diff: PolicyDiff, files: FlippedFiles['files'], more: boolean): string {
  const { from, to, commits, total, flips } = diff;
  const left = [
    commits.onlyFrom > 0 ? `${grouped(commits.onlyFrom)} only under ${from}` : '',
    commits.onlyTo > 0 ? `${grouped(commits.onlyTo)} only under ${to}` : '',
  ].filter(Boolean);
  const head = [
    `${from} → ${to}, over ${grouped(commits.both)} commits that both have judged${left.length > 0 ? ` (${left.join(', ')}: left out)` : ''}`,
    `  lines ${change(total, ({ lines }) => lines)}`,
    `  AI lines ${change(total, ({ aiLines }) => aiLines)}   weighted ${change(total, ({ weighted }) => weighted)}`,
    `  AI share ${arrow(percent(total.from.ratio), percent(total.to.ratio))}${points(total)}`,
  ].join('\n');
  if (commits.both === 0)
    return `${head}\n\nNothing to compare: start a replay of the one that has judged nothing.`;
  if (flips.length === 0) return `${head}\n\nNo line flips.`;
  return [
    head,
    section('project', diff.byProject),
    section('language', diff.byLanguage),
    section('source', diff.bySource, true),
    section('person', diff.byPerson),
    section('confidence', diff.byConfidence, true),
    flipTable(flips),
    flippedLines(files, more),
  ].join('\n\n');
}

/** The parts that change, the ones that change most first. Parts of one origin are all AI's or all people's. */
function section(
  title: string,
  split: Readonly<Record<string, BeforeAfter<Figures>>>,
  isOrigin = false,
): string {
  const moved = ({ from, to }: BeforeAfter<Figures>) =>
    Math.abs(to.weighted - from.weighted) + Math.abs(to.lines - from.lines);
  const changed = Object.entries(split)
    .filter(([, both]) => moved(both) > 0)
    .sort(([a, x], [b, y]) => moved(y) - moved(x) || (a < b ? -1 : 1));
  const rows = changed.slice(0, MAX_ROWS).map(([name, both]) => {
    const lines = [shortened(name), change(both, ({ lines }) => lines)];
    if (isOrigin) return lines;
    return [
      ...lines,
      change(both, ({ aiLines }) => aiLines),
      arrow(percent(both.from.ratio), percent(both.to.ratio)),
    ];
  });
  const alike = Object.values(split).filter((both) => moved(both) === 0 && both.from.lines > 0).length;
  const rest = [
    changed.length > rows.length ? `… and ${changed.length - rows.length} more that change` : '',
    alike > 0 ? `${alike} as before` : '',
  ].filter(Boolean);
  const head = isOrigin ? [title, 'lines'] : [title, 'lines', 'AI lines', 'AI share'];
  return [...(rows.length > 0 ? [table(head, rows)] : [`${title}: nothing changes`]), ...rest].join('\n');
}

function flipTable(flips: PolicyDiff['flips']): string {
  const rows = flips
    .slice(0, MAX_ROWS)
    .map(({ from, to, lines }) => [originText(from), originText(to), grouped(lines)]);
  const text = table(['lines that are', 'become', 'lines'], rows, 2);
  return flips.length > rows.length ? `${text}\n… and ${flips.length - rows.length} kinds more` : text;
}

function flippedLines(files: FlippedFiles['files'], more: boolean): string {
  const text = files.flatMap(({ repository, sha, path, lines }) => {
    const places = new Map<string, string[]>();
    for (const { start, count, from, to } of lines) {
      const flip = `${originText(from)} → ${originText(to)}`;
      // People and editors count lines from 1.
      const place = count === 1 ? `${start + 1}` : `${start + 1}–${start + count}`;
      places.set(flip, [...(places.get(flip) ?? []), place]);
    }
    return [
      `${repository} ${sha.slice(0, ABBREVIATED_SHA)} ${path}`,
      ...[...places].flatMap(([flip, at]) => [`  ${flip}`, `    ${at.join(', ')}`]),
    ];
  });
  return [...text, ...(more ? ['… and more files: --files shows as many as you ask for'] : [])].join('\n');
}

const KINDS = { P: 'kept', M: 'changed', H: 'human' } as const;

function originText(origin: Origin): string {
  if (origin === null) return 'not counted';
  const { kind, confidence, evidence, source } = origin;
  if (kind === 'H')
    return confidence === 'UNIQUE' ? 'human' : `human, ${confidence}${source ? ` ${source}` : ''}`;
  return `${KINDS[kind]} from ${source ?? 'AI'}, ${confidence}${evidence === 'matched' ? '' : `, ${evidence}`}`;
}

function change(both: BeforeAfter<Figures>, of: (figures: Figures) => number): string {
  const [before, after] = [of(both.from), of(both.to)];
  const difference = before === after ? '' : ` (${signed(after - before, grouped)})`;
  return arrow(grouped(before), grouped(after)) + difference;
}

function arrow(before: string, after: string): string {
  return before === after ? before : `${before} → ${after}`;
}

function points({ from, to }: BeforeAfter<Figures>): string {
  if (from.ratio === to.ratio) return '';
  return ` (${signed(to.ratio - from.ratio, (share) => (share * 100).toFixed(1))} points)`;
}

function signed(value: number, text: (magnitude: number) => string): string {
  return `${value < 0 ? '−' : '+'}${text(Math.abs(value))}`;
}

function day(time: string): string {
  return time.slice(0, 10);
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}
