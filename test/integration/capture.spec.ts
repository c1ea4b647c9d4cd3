import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bootstrap } from '@lineprint/persistence';
import { distributedPipeline, embeddedPipeline, type Pipeline } from '../pipeline';
import { LINE_KEY, lineprintOutput } from '../programs';

// From what an assistant says of an edit to the lines of the commit: the hook's program, the spool, HTTP, the log, the
// index, `lineprint push`, and the answer of the query API. A new assistant is a case below.

jest.setTimeout(240_000);

const FIXTURES = join(__dirname, '../../libs/capture/src/adapters/fixtures');

interface File {
  /** What the commit before holds; nothing for a new file. */
  readonly before?: string;
  /** What is committed. */
  readonly after: string;
  /** Of each line of `after`: P kept from AI, M changed from AI, H human, `.` not counted. */
  readonly lines: string;
}

interface Case {
  readonly name: string;
  readonly assistant: string;
  /** Below `adapters/fixtures`. */
  readonly fixture: string;
  /** The fixture is the event of a hook, or a transcript that is imported. */
  readonly from: 'hook' | 'import';
  /** Where the fixture's repository lies, which the test puts elsewhere. */
  readonly root: string;
  readonly files: Readonly<Record<string, File>>;
}

const text = (...lines: string[]) => lines.map((line) => `${line}\n`).join('');

const BASKET: File = {
  before: text(
    "import type { Basket } from './model';",
    '',
    'export function total(basket: Basket): number {',
    '  return 0;',
    '}',
    '',
    'export const EMPTY: Basket = { items: [] };',
  ),
  after: text(
    "import type { Basket } from './model';",
    '',
    'export function total(basket: Basket): number {',
    '  const amounts = basket.items.map((item) => item.price * item.quantity);',
    '  return amounts.reduce((sum, amount) => sum + amount, 0);',
    '}',
    '',
    'export const EMPTY: Basket = { items: [] };',
    'export const CURRENCY_DIGITS = new Map([["EUR", 2], ["JPY", 0], ["KWD", 3]]);',
  ),
  lines: '...PP...H',
};
const SHIPPING: File = {
  after: text(
    'FREE_FROM_CENTS = 5000',
    '',
    '',
    'def shipping_cents(weight_grams, total_cents):',
    '    if total_cents >= FREE_FROM_CENTS:',
    '        return 0',
    '    return 390 + 10 * (weight_grams // 100)',
  ),
  lines: 'P..PPPP',
};

const cases: readonly Case[] = [
  {
    name: 'Claude Code’s Edit, and a line that a person wrote below it',
    assistant: 'claude-code',
    fixture: 'claude-code/edit.json',
    from: 'hook',
    root: '/home/ada/shop',
    files: { 'src/basket.ts': BASKET },
  },
  {
    name: 'Claude Code’s Write of a new file',
    assistant: 'claude-code',
    fixture: 'claude-code/write-create.json',
    from: 'hook',
    root: '/home/ada/shop',
    files: { 'src/shipping.py': SHIPPING },
  },
  {
    name: 'Claude Code’s Write over a file, of which only the new lines count',
    assistant: 'claude-code',
    fixture: 'claude-code/write-update.json',
    from: 'hook',
    root: '/home/ada/shop',
    files: {
      'src/tax.go': {
        before: text('package shop', '', 'const vatPercent = 19'),
        after: text(
          'package shop',
          '',
          'const vatPercent = 19',
          '',
          'func Gross(net int) int {',
          '\treturn net + net*vatPercent/100',
          '}',
        ),
        lines: '....PPP',
      },
    },
  },
  {
    name: 'Claude Code’s past transcript, one edit by the session and one by its sub-agent',
    assistant: 'claude-code',
    fixture: 'claude-code/transcript.jsonl',
    from: 'import',
    root: '/home/ada/shop',
    files: { 'src/basket.ts': BASKET, 'src/shipping.py': SHIPPING },
  },
];

describe.each([
  ['embedded', embeddedPipeline],
  ['on Kafka, Redis and Postgres', () => distributedPipeline('capture')],
])('capture, %s', (_, start) => {
  let pipeline: Pipeline;
  let folder: string;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'lineprint-capture-')));
    pipeline = await start();
  });
  afterAll(async () => {
    await pipeline?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each(cases.map((entry, number) => ({ ...entry, number })))(
    'finds in the commit what was captured: $name',
    async ({ number, assistant, fixture, from, root, files }) => {
      const repository = `shop-${number}`;
      const shop = join(folder, repository);
      const state = join(folder, `state-${number}`);
      const made = await bootstrap(pipeline.database, {
        orgId: `capture-${number}`,
        lineKey: LINE_KEY,
        timeZone: 'UTC',
      });
      const connection = [
        '--url',
        pipeline.ingestUrl,
        '--query-url',
        pipeline.queryUrl,
        '--api-key',
        made.apiKey!,
      ];
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', shop, ...args], { encoding: 'utf8' }).trim();
      const commit = (side: 'before' | 'after') => {
        for (const [path, file] of Object.entries(files)) {
          const content = file[side];
          if (content === undefined) continue;
          mkdirSync(dirname(join(shop, path)), { recursive: true });
          writeFileSync(join(shop, path), content);
        }
        git('add', '-A');
        git('commit', '-q', '--allow-empty', '-m', side);
      };
      execFileSync('git', ['init', '-q', shop]);
      git('config', 'user.name', 'Ada');
      git('config', 'user.email', 'ada@example.org');
      commit('before');

      await lineprintOutput(['login', '--state', state, ...connection]);
      const told = readFileSync(join(FIXTURES, fixture), 'utf8')
        .replaceAll(root, shop)
        // A transcript's times are those of its day; a commit finds what is at most 90 days old.
        .replace(/"timestamp":"[^"]+"/g, `"timestamp":"${new Date().toISOString()}"`);
      if (from === 'hook') {
        const settings = join(folder, `settings-${number}.json`);
        await lineprintOutput(['capture', 'install', assistant, '--settings', settings, '--state', state]);
        const [, command] = /"command": "([^"]+)"/.exec(readFileSync(settings, 'utf8'))!;
        const hook = spawnSync('sh', ['-c', command!], { input: told });
        expect([hook.status, hook.stdout.toString(), hook.stderr.toString()]).toEqual([0, '', '']);
      } else {
        writeFileSync(join(folder, 'transcript.jsonl'), told);
        await lineprintOutput([
          'capture',
          'import',
          assistant,
          join(folder, 'transcript.jsonl'),
          '--state',
          state,
        ]);
      }
      await lineprintOutput(['capture', 'flush', '--state', state]);
      const status = JSON.parse(
        await lineprintOutput(['capture', 'status', '--json', '--state', state]),
      ) as Record<string, unknown>;
      expect(status).toMatchObject({ spooled: 0, refused: 0, dropped: 0, inbox: 0, lastError: null });
      expect(status['captured']).toBe(status['sent']);

      commit('after');
      await lineprintOutput(['push', '--repo', shop, '--range', 'HEAD~1..HEAD', ...connection]);
      const answer = async (path: string) => {
        for (;;) {
          const response = await fetch(`${pipeline.queryUrl}${path}`, {
            headers: { authorization: `Bearer ${made.apiKey}` },
          });
          if (response.status !== 404) return (await response.json()) as { lines: Range[] };
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      };
      for (const [path, { after, lines }] of Object.entries(files)) {
        const query = new URLSearchParams({ repository, path });
        const { lines: ranges } = await answer(`/api/v1/commits/${git('rev-parse', 'HEAD')}/lines?${query}`);
        const kinds = Array.from({ length: after.split('\n').length - 1 }, () => '.');
        for (const { start, count, kind } of ranges) kinds.fill(kind, start, start + count);
        expect([path, kinds.join('')]).toEqual([path, lines]);
      }
    },
  );
});

interface Range {
  readonly start: number;
  readonly count: number;
  readonly kind: 'P' | 'M' | 'H';
}
