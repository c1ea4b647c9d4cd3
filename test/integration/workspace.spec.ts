import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

interface Lock {
  packages: Record<string, { resolved?: string; link?: boolean; hasInstallScript?: boolean }>;
}
interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}
type Graph = Record<string, { tags: string[]; imports: string[] }>;

/** A file that does not exist, and what it would say. */
interface Draft {
  readonly file: string;
  readonly code: string;
}

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as T;
}

function node(args: string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    input,
    encoding: 'utf8',
    env: { ...process.env, NX_DAEMON: 'false' },
  });
  if (status !== 0) throw new Error(`${args.join(' ')} failed: ${stderr}`);
  return stdout;
}

/**
 * Lints texts as if they were files. In a process of its own: ESLint's configuration is an ES module, which
 * jest cannot load.
 * @returns for each draft the names of the rules it breaks
 */
function lint(drafts: readonly Draft[]): string[][] {
  const script = `
    import { readFileSync } from 'node:fs';
    import { ESLint } from 'eslint';
    const eslint = new ESLint();
    const broken = [];
    for (const { file, code } of JSON.parse(readFileSync(0, 'utf8'))) {
      const [result] = await eslint.lintText(code, { filePath: file });
      broken.push(result.messages.map((message) => message.ruleId));
    }
    console.log(JSON.stringify(broken));
  `;
  const output = node(['--input-type=module', '-e', script], JSON.stringify(drafts));
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as string[][];
}

const BOUNDARIES = '@nx/enforce-module-boundaries';
const importing = (project: string, imported: string): Draft => ({
  file: `${project}/src/draft.ts`,
  code: `import * as imported from '${imported}';\nexport const kept = imported;\n`,
});
const saying = (project: string, code: string): Draft => ({ file: `${project}/src/draft.ts`, code });

/** What must not pass: the sentence, the offence, the rule that stops it. */
const forbidden: [string, Draft, string][] = [
  ['contracts import nothing of ours', importing('libs/contracts', '@lineprint/platform'), BOUNDARIES],
  ['a pure library imports no database', importing('libs/fingerprint', '@lineprint/persistence'), BOUNDARIES],
  ['a pure library imports no platform', importing('libs/attribution', '@lineprint/platform'), BOUNDARIES],
  ['a service does not import kafkajs', importing('apps/ingest', 'kafkajs'), BOUNDARIES],
  ['the recall library does not import kafkajs', importing('libs/recall', 'kafkajs'), BOUNDARIES],
  ['the git library does not import ioredis', importing('libs/git', 'ioredis'), BOUNDARIES],
  ['a service does not import Prisma', importing('apps/rollup', '@prisma/client'), BOUNDARIES],
  ['the log does not import pg', importing('libs/event-log', 'pg'), BOUNDARIES],
  ['the log does not import PGlite', importing('libs/event-log', '@electric-sql/pglite'), BOUNDARIES],
  ['a service does not import a grammar', importing('apps/commit-analyzer', 'tree-sitter-go'), BOUNDARIES],
  ['a service does not import tree-sitter', importing('apps/indexer', 'tree-sitter'), BOUNDARIES],
  ['a service does not import another', importing('apps/ingest', '@lineprint/rollup'), BOUNDARIES],
  ['a library does not import a service', importing('libs/platform', '@lineprint/ingest'), BOUNDARIES],
  [
    'a library is not imported by its path',
    importing('apps/ingest', '../../../libs/platform/src/index'),
    BOUNDARIES,
  ],
  [
    'a service does not read the environment',
    saying('apps/ingest', 'export const port = process.env.PORT;\n'),
    'no-restricted-properties',
  ],
  [
    'a library does not read the environment under another name',
    saying('libs/git', "import { env } from 'node:process';\nexport const port = env.PORT;\n"),
    'no-restricted-imports',
  ],
  [
    'a pure library reads no environment',
    saying('libs/contracts', 'export const port = process.env.PORT;\n'),
    'no-restricted-globals',
  ],
  [
    'a pure library reads no clock',
    saying('libs/attribution', 'export const now = Date.now();\n'),
    'no-restricted-properties',
  ],
  [
    'a pure library reads no clock by a new Date',
    saying('libs/attribution', 'export const now = new Date();\n'),
    'no-restricted-syntax',
  ],
  [
    'a pure library draws no random number',
    saying('libs/fingerprint', 'export const dice = Math.random();\n'),
    'no-restricted-properties',
  ],
  ['a pure library reads no file', importing('libs/fingerprint', 'node:fs'), 'no-restricted-imports'],
  [
    'any is not a type',
    saying('libs/git', 'export const anything: any = 1;\n'),
    '@typescript-eslint/no-explicit-any',
  ],
];

/** What must pass, so that a rule that forbids everything proves nothing. */
const allowed: [string, Draft][] = [
  ['the log imports kafkajs', importing('libs/event-log', 'kafkajs')],
  ['the recall library imports ioredis', importing('libs/recall', 'ioredis')],
  ['the persistence library imports Prisma', importing('libs/persistence', '@prisma/client')],
  ['the syntax library imports a grammar', importing('libs/syntax', 'tree-sitter-go')],
  ['a service imports a library', importing('apps/ingest', '@lineprint/platform')],
  ['standalone imports a service', importing('apps/standalone', '@lineprint/ingest')],
  ['a pure library imports contracts', importing('libs/attribution', '@lineprint/contracts')],
  ['a pure library reads a given time', saying('libs/attribution', 'export const then = new Date(0);\n')],
  ['the platform reads the environment', saying('libs/platform', 'export const port = process.env.PORT;\n')],
];

let graph: Graph;
let broken: string[][];

beforeAll(() => {
  // also fills the cache without which the import rules are skipped
  graph = JSON.parse(node([join('tools', 'graph.mjs')])) as Graph;
  broken = lint([...forbidden, ...allowed].map(([, draft]) => draft));
}, 120_000);

describe('lint', () => {
  test.each(forbidden.map(([sentence, , rule], i) => ({ sentence, rule, i })))(
    'holds that $sentence',
    ({ rule, i }) => {
      expect(broken[i]).toContain(rule);
    },
  );

  test.each(allowed.map(([sentence], i) => ({ sentence, i: forbidden.length + i })))(
    'accepts that $sentence',
    ({ i }) => {
      expect(broken[i]).toEqual([]);
    },
  );
});

describe('the project graph', () => {
  test('knows the imports between projects', () => {
    expect(graph['ingest']?.imports).toEqual(expect.arrayContaining(['contracts', 'platform']));
  });

  test('has no cycle: every project can be built after what it imports', () => {
    const built = new Set<string>();
    let before: number;
    do {
      before = built.size;
      for (const [name, { imports }] of Object.entries(graph)) {
        if (imports.every((imported) => built.has(imported))) built.add(name);
      }
    } while (built.size > before);
    expect(Object.keys(graph).filter((name) => !built.has(name))).toEqual([]);
  });

  test('gives every project one scope, its own name, and one type', () => {
    for (const [name, { tags }] of Object.entries(graph)) {
      expect([name, tags.filter((tag) => tag.startsWith('scope:'))]).toEqual([name, [`scope:${name}`]]);
      const types = tags.filter((tag) => tag.startsWith('type:'));
      expect([name, types]).toEqual([
        name,
        [expect.stringMatching(/^type:(app|feature|data|pure|contract)$/)],
      ]);
    }
  });
});

describe('the packages', () => {
  const manifest = readJson<Manifest>('package.json');
  const lock = readJson<Lock>('package-lock.json');

  test('are named by exact versions', () => {
    const versions = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('are locked without the address of a registry', () => {
    const addressed = Object.entries(lock.packages).filter(([, entry]) => entry.resolved && !entry.link);
    expect(addressed.map(([name]) => name)).toEqual([]);
  });

  test('that run an install script are all decided on in allowScripts', () => {
    const scripted = Object.entries(lock.packages).flatMap(([path, entry]) =>
      entry.hasInstallScript ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
    );
    expect(scripted.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
  });
});
