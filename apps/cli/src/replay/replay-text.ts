import { duration } from '../terminal/progress-bar';
import { grouped, percent, shortened, table } from '../terminal/table';
import type { Replay, ReplayList } from './replay-answers';

/** The replays of an organisation, newest first. */
export function replayTable({ replays }: ReplayList): string {
  if (replays.length === 0) return 'No replays. Start one: lineprint replay start --policy ID';
  return table(
    ['replay', 'policy', 'status', 'done', 'judged', 'rate', 'left'],
    replays.map((replay) => [
      replay.id,
      shortened(replay.policy),
      replay.status,
      share(replay),
      grouped(replay.judged),
      rateOf(replay),
      replay.secondsLeft === null ? '' : duration(replay.secondsLeft),
    ]),
    3,
  );
}

/** Everything about one replay. */
export function replayText(replay: Replay): string {
  const { id, policy, topic, stage, status, error, repository, from, to, maxRate } = replay;
  const bounds = [
    repository === null ? '' : `of ${repository}`,
    from === null ? '' : `from ${from}`,
    to === null ? '' : `before ${to}`,
  ].filter(Boolean);
  return [
    `${id}: policy ${policy} from ${topic}, ${status}${error ? ` (${error.code}: ${error.message})` : ''}`,
    `  ${stage}: ${grouped(replay.done)} of ${grouped(replay.total)} records (${share(replay)})`,
    `  judged ${grouped(replay.judged)} commits, wrote ${grouped(replay.written)}, refused ${grouped(replay.refused)}`,
    ...(bounds.length > 0 ? [`  results only for commits ${bounds.join(' ')}`] : []),
    ...(maxRate === null ? [] : [`  at most ${maxRate} commits a second`]),
    ...(replay.secondsLeft === null ? [] : [`  ${rateOf(replay)}, ${duration(replay.secondsLeft)} left`]),
    ...(next(replay) === undefined ? [] : ['', next(replay)!]),
  ].join('\n');
}

function next({ id, policy, status }: Replay): string | undefined {
  if (status === 'following')
    return `Compare and switch: lineprint policy diff FROM ${policy}; lineprint policy activate ${policy}`;
  if (status === 'complete') return `Compare: lineprint policy diff FROM ${policy}`;
  if (status === 'running') return `Watch: lineprint replay status ${id} --watch`;
  return `Go on: lineprint replay resume ${id}`;
}

function share({ done, total }: Replay): string {
  return percent(total === 0 ? 1 : done / total);
}

function rateOf({ rate }: Replay): string {
  return rate === null ? '' : `${rate.toFixed(1)}/s`;
}
