import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isTransient, LineprintError } from '@lineprint/platform';
import type { ApiClient } from '../api/api-client';
import type { Replay, ReplayList } from '../replay/replay-answers';
import { replayTable, replayText } from '../replay/replay-text';
import { ProgressBar } from '../terminal/progress-bar';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { queryApi } from './connection';

interface StartOptions extends AnswerOptions {
  readonly policy: string;
  readonly topic: string;
  readonly repo?: string;
  readonly from?: string;
  readonly to?: string;
  readonly rate?: number;
  readonly wait?: boolean;
}

const REPLAYS = '/api/v1/replays';
const POLL_MS = 500;
/** A server that is restarted meanwhile is back by then. */
const MISSED_POLLS = 120;

export function addReplayCommand(program: Command): void {
  const replay = program
    .command('replay')
    .description('Judge every commit again under another policy, beside the live stream.');
  withJson(
    replay
      .command('start')
      .description('Start a replay. Once it follows the live stream, its policy can be activated.'),
  )
    .requiredOption('--policy <id>', 'the policy to judge under')
    .addOption(
      new Option('--topic <topic>', 'what is read again')
        .choices(['candidates', 'commits'])
        .default('candidates'),
    )
    .option('--repo <name>', 'write results of this repository only')
    .option('--from <date>', 'write results of commits from this date or date-time on')
    .option('--to <date>', 'write results of commits before this date or date-time')
    .option('--rate <n>', 'at most this many commits a second', positiveNumber)
    .option('--wait', 'show the progress until it has caught up')
    .action(start);
  withJson(replay.command('status [id]').description('Show a replay, or list all of them.'))
    .option('--watch', 'show the progress until it has caught up')
    .action(status);
  withJson(replay.command('pause <id>').description('Stop a replay for a while.')).action(change('pause'));
  withJson(
    replay.command('resume <id>').description('Go on with a replay that is paused, cancelled or failed.'),
  ).action(change('resume'));
  withJson(
    replay
      .command('cancel <id>')
      .description('End a replay. What it has written stays until its policy is dropped.'),
  ).action(change('cancel'));
}

function positiveNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0) {
    throw new InvalidArgumentError('It is not a positive number.');
  }
  return value;
}

const pathOf = (id: string) => `${REPLAYS}/${encodeURIComponent(id)}`;

async function start(options: StartOptions): Promise<void> {
  const api = queryApi(options);
  const { policy, topic, repo, from, to, rate } = options;
  const started = await api.post<Replay>(REPLAYS, {
    policy,
    topic,
    ...(repo !== undefined && { repository: repo }),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(rate !== undefined && { maxRate: rate }),
  });
  const replay = options.wait ? await watch(api, started) : started;
  printAnswer(options, replay, () => replayText(replay));
}

async function status(id: string | undefined, options: AnswerOptions & { watch?: boolean }): Promise<void> {
  const api = queryApi(options);
  if (id === undefined) {
    if (options.watch) throw new LineprintError('replay-missing', 'Say which replay to watch.');
    const list = await api.get<ReplayList>(REPLAYS);
    printAnswer(options, list, () => replayTable(list));
    return;
  }
  const found = await api.get<Replay>(pathOf(id));
  const replay = options.watch ? await watch(api, found) : found;
  printAnswer(options, replay, () => replayText(replay));
}

function change(action: 'pause' | 'resume' | 'cancel') {
  return async (id: string, options: AnswerOptions): Promise<void> => {
    const replay = await queryApi(options).post<Replay>(`${pathOf(id)}/${action}`);
    printAnswer(options, replay, () => replayText(replay));
  };
}

/**
 * The replay once it runs no more, its progress shown meanwhile.
 * @throws LineprintError the replay's own error when it fails
 */
async function watch(api: ApiClient, first: Replay): Promise<Replay> {
  let replay = first;
  let bar: ProgressBar | undefined;
  let shown = '';
  let missed = 0;
  for (;;) {
    const { stage, total, done } = replay;
    // Its end is known once a worker has looked, and is another one after a resumption or in the next stage.
    if (`${stage}/${total}` !== shown && (total > 0 || replay.status !== 'running')) {
      bar = new ProgressBar(`replay ${stage}`, total, 'records', process.stderr);
      shown = `${stage}/${total}`;
    }
    if (replay.status !== 'running') {
      bar?.finish(done, replay.status);
      break;
    }
    bar?.update(done);
    await delay(POLL_MS);
    try {
      replay = await api.get<Replay>(pathOf(replay.id));
      missed = 0;
    } catch (error) {
      if (!isTransient(error) || ++missed > MISSED_POLLS) throw error;
    }
  }
  if (replay.error) throw new LineprintError(replay.error.code, replay.error.message);
  return replay;
}
