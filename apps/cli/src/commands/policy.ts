import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError } from 'commander';
import { LineprintError } from '@lineprint/platform';
import type { ApiClient } from '../api/api-client';
import type { Policy, PolicyDiff, PolicyList, FlippedFiles } from '../policy/policy-answers';
import { diffText, policyText, policyTable } from '../policy/policy-text';
import { type AnswerOptions, printAnswer, withJson } from './answer';
import { positiveInteger, queryApi } from './connection';

interface CreateOptions extends AnswerOptions {
  readonly from?: string;
  readonly like?: string;
  readonly set?: Setting[];
  readonly exclude?: string[];
  readonly description?: string;
}

interface DiffOptions extends AnswerOptions {
  readonly repository?: string;
  readonly project?: string;
  readonly files: number;
}

type Setting = readonly [threshold: string, value: number];

const POLICIES = '/api/v1/policies';
const LARGEST_PAGE = 200;
/** Files whose flipped lines a diff shows unless it is told how many. */
const FILES_SHOWN = 10;

export function addPolicyCommand(program: Command): void {
  const policy = program
    .command('policy')
    .description('Thresholds and counting rules: make another set, compare its results, switch to it.');
  withJson(policy.command('list').description('List the policies and who judges and reads them.')).action(
    list,
  );
  withJson(policy.command('show <id>').description('Show one policy.')).action(show);
  withJson(
    policy
      .command('create [id]')
      .description('Make a policy. It is judged when a replay of it is started; dashboards go on as before.'),
  )
    .option('--from <file>', 'a whole policy as JSON; its id unless one is given (- reads standard input)')
    .option('--like <id>', 'the policy to start from (default: the active one)')
    .option('--set <threshold=number...>', 'a threshold that differs, such as thresholds.minBits=30', setting)
    .option('--exclude <glob...>', 'files that do not count, beside those that it excludes already')
    .option('--description <text>', 'what it is for')
    .action(create);
  withJson(
    policy.command('diff <from> <to>').description('Say what would change from one policy to another.'),
  )
    .option('--repository <name>', 'only this repository')
    .option('--project <id>', 'only this project')
    .option('--files <n>', 'show the lines that flip in so many files', positiveInteger, FILES_SHOWN)
    .action(diff);
  withJson(
    policy
      .command('activate <id>')
      .description(
        'Let dashboards read this policy, at once and without computing anything; the way back is the same.',
      ),
  ).action(activate);
  withJson(
    policy
      .command('drop <id>')
      .description(
        'Delete everything that was judged under a policy that is not active. Its id stays taken.',
      ),
  )
    .option('--yes', 'do it')
    .action(drop);
}

/** Reads `thresholds.minBits=30`; the server knows which thresholds there are. */
function setting(given: string, before: Setting[] = []): Setting[] {
  const [, name, value] = /^(?:thresholds\.)?(\w+)=(.+)$/.exec(given) ?? [];
  if (name === undefined || value === undefined || value.trim() === '' || !Number.isFinite(Number(value))) {
    throw new InvalidArgumentError('Give a threshold and a number, such as thresholds.minBits=30.');
  }
  return [...before, [name, Number(value)]];
}

const pathOf = (id: string) => `${POLICIES}/${encodeURIComponent(id)}`;

async function list(options: AnswerOptions): Promise<void> {
  const answer = await queryApi(options).get<PolicyList>(POLICIES);
  printAnswer(options, answer, () => policyTable(answer));
}

async function show(id: string, options: AnswerOptions): Promise<void> {
  const policy = await queryApi(options).get<Policy>(pathOf(id));
  printAnswer(options, policy, () => policyText(policy));
}

async function create(id: string | undefined, options: CreateOptions): Promise<void> {
  const api = queryApi(options);
  const body =
    options.from === undefined ? await derived(api, id, options) : await written(id, options.from, options);
  const policy = await api.post<Policy>(POLICIES, {
    ...body,
    ...(options.description !== undefined && { description: options.description }),
  });
  printAnswer(options, policy, () =>
    [policyText(policy), '', `Judge it beside the others: lineprint replay start --policy ${policy.id}`].join(
      '\n',
    ),
  );
}

async function derived(api: ApiClient, id: string | undefined, options: CreateOptions): Promise<object> {
  if (id === undefined) {
    throw new LineprintError(
      'policy-incomplete',
      'Give the new policy an id, or a whole policy with --from.',
    );
  }
  const like = options.like ?? (await activePolicy(api));
  const thresholds = Object.fromEntries(options.set ?? []);
  if (!options.exclude) return { id, like, changes: { thresholds } };
  const { exclusions = [] } = await api.get<Policy>(pathOf(like));
  const added = options.exclude.map((glob) => ({ glob }));
  return { id, like, changes: { thresholds, exclusions: [...exclusions, ...added] } };
}

async function activePolicy(api: ApiClient): Promise<string> {
  const { policies } = await api.get<PolicyList>(POLICIES);
  const active = policies.find((policy) => policy.active);
  if (active) return active.id;
  throw new LineprintError(
    'policy-incomplete',
    'No policy is active: say which one to start from, with --like.',
  );
}

async function written(id: string | undefined, file: string, options: CreateOptions): Promise<object> {
  if (options.like !== undefined || options.set || options.exclude) {
    throw new LineprintError(
      'policy-ambiguous',
      'A whole policy (--from) takes neither --like, --set nor --exclude.',
    );
  }
  const content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  let policy: unknown;
  try {
    policy = JSON.parse(content);
  } catch (cause) {
    throw new LineprintError('policy-unreadable', `${file} holds no JSON.`, { cause });
  }
  return { ...(policy as object), ...(id !== undefined && { id }) };
}

async function diff(from: string, to: string, options: DiffOptions): Promise<void> {
  const api = queryApi(options);
  const path = `${pathOf(from)}/diff/${encodeURIComponent(to)}`;
  const filter = {
    ...(options.repository !== undefined && { repository: options.repository }),
    ...(options.project !== undefined && { project_id: options.project }),
  };
  const answer = await api.get<PolicyDiff>(`${path}?${new URLSearchParams(filter)}`);
  const { files, more } = await flippedFiles(api, `${path}/lines`, filter, options.files);
  printAnswer(options, { ...answer, files, more }, () => diffText(answer, files, more));
}

async function flippedFiles(
  api: ApiClient,
  path: string,
  filter: Readonly<Record<string, string>>,
  wanted: number,
): Promise<{ files: FlippedFiles['files']; more: boolean }> {
  const files: FlippedFiles['files'][number][] = [];
  let next: string | null = null;
  do {
    const limit = String(Math.min(LARGEST_PAGE, wanted - files.length));
    const query = new URLSearchParams({ ...filter, limit, ...(next && { after: next }) });
    const page: FlippedFiles = await api.get(`${path}?${query}`);
    files.push(...page.files);
    next = page.next;
  } while (next !== null && files.length < wanted);
  return { files, more: next !== null };
}

async function activate(id: string, options: AnswerOptions): Promise<void> {
  const answer = await queryApi(options).post<{ active: string; before: string | null }>(
    `${pathOf(id)}/activate`,
  );
  printAnswer(options, answer, () =>
    answer.before === null || answer.before === id
      ? `${id} is active.`
      : `${id} is active. Back again: lineprint policy activate ${answer.before}`,
  );
}

async function drop(id: string, options: AnswerOptions & { yes?: boolean }): Promise<void> {
  const api = queryApi(options);
  if (!options.yes) {
    const { judged } = await api.get<Policy>(pathOf(id));
    throw new LineprintError(
      'not-confirmed',
      `This deletes what ${id} says of ${judged} commits, for good. Add --yes to do it.`,
    );
  }
  const answer = await api.delete<{ dropped: string; rows: Record<string, number> }>(pathOf(id));
  printAnswer(
    options,
    answer,
    () => `${id} is dropped: the verdicts on ${answer.rows['verdicts']} commits are deleted.`,
  );
}
