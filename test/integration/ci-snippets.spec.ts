import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { TestRepository } from '../repositories';

jest.setTimeout(120_000);

const folder = join(__dirname, '..', '..', 'integrations', 'ci');
const text = (name: string) => readFileSync(join(folder, name), 'utf8');
const ZEROS = '0'.repeat(40);

/** Every value below. */
function values(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [String(node)];
  return Object.values(node).flatMap(values);
}

describe('the CI snippets', () => {
  it.each(['github-actions.yml', 'gitlab-ci.yml', 'bitbucket-pipelines.yml', 'gitea-actions.yml'])(
    '%s is YAML that sends a range bounded by the default branch, from the whole history',
    (name) => {
      const document = parse(text(name)) as Record<string, unknown>;
      const commands = values(document).filter((value) => value.includes('main.js push'));
      expect(commands.length).toBeGreaterThan(0);
      for (const command of commands) {
        expect(command).toMatch(/push --range "\$BEFORE\.\.\$\w+" --base "(origin\/)?\$\w+" --name "\$\w+"$/);
      }
      expect(text(name)).toMatch(/fetch-depth: 0|GIT_DEPTH: '0'|depth: full/);
    },
  );

  it.each([
    ['github-actions.yml', ['push', 'pull_request']],
    ['gitea-actions.yml', ['push', 'pull_request']],
  ])('%s runs for pushes and for pull requests', (name, events) => {
    const { on } = parse(text(name)) as { on: object };
    expect(Object.keys(on)).toEqual(events);
  });

  it('GitLab’s runs for pushes and for merge requests, Bitbucket’s for branches and pull requests', () => {
    const { lineprint } = parse(text('gitlab-ci.yml')) as { lineprint: { rules: { if: string }[] } };
    expect(lineprint.rules.map((rule) => rule.if)).toEqual([
      '$CI_PIPELINE_SOURCE == "merge_request_event"',
      '$CI_PIPELINE_SOURCE == "push"',
    ]);
    const { pipelines } = parse(text('bitbucket-pipelines.yml')) as { pipelines: object };
    expect(Object.keys(pipelines)).toEqual(['default', 'pull-requests']);
  });

  it('of Jenkins and Bitbucket, whose first builds name no commit before, start from zeros', () => {
    for (const name of ['Jenkinsfile', 'bitbucket-pipelines.yml']) expect(text(name)).toContain(ZEROS);
  });

  it('are all in the README, and none holds a secret', () => {
    const names = readdirSync(folder).filter((name) => name !== 'README.md');
    for (const name of names) {
      expect(text('README.md')).toContain(`](${name})`);
      expect(text(name)).not.toMatch(/lp_[0-9a-f]/);
    }
  });
});

interface ActionsFile {
  readonly jobs: Readonly<Record<string, { steps: { env?: Record<string, string>; run?: string }[] }>>;
}
interface GitLabFile {
  readonly lineprint: { readonly script: readonly string[] };
}
interface BitbucketFile {
  readonly definitions: { readonly steps: readonly { step: { script: readonly string[] } }[] };
}

/** The step of an Actions file, with the context that the host would put into it. */
function actionsStep(name: string, context: Readonly<Record<string, string>>) {
  const { jobs } = parse(text(name)) as ActionsFile;
  const step = jobs['push-commits']!.steps.find(({ run }) => run !== undefined)!;
  const filled = Object.entries(step.env!).map(([variable, value]) => [
    variable,
    // Of `a || b` the second: the first is a pull request's.
    value.replace(/\$\{\{ (?:.+ \|\| )?(.+?) \}\}/, (_, key: string) => context[key]!),
  ]);
  return { script: step.run!, env: Object.fromEntries(filled) as Record<string, string> };
}

describe('what a snippet tells the shell to do, in a clone of the repository', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-ci-'));
  const origin = new TestRepository(join(folder, 'fleet'));
  origin.git(['branch', '-M', 'main']);
  const shas = ['one', 'two', 'three'].map((name) =>
    origin.commit(name, { [`${name}.go`]: `package fleet\n\nvar ${name} = tonnage("${name}", berths)\n` }),
  );
  const [first = '', , last = ''] = shas;
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await embeddedPipeline();
  });
  afterAll(async () => {
    await pipeline?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const actions = (name: string, { url, key }: { url: string; key: string }) =>
    actionsStep(name, {
      ...{ 'vars.LINEPRINT_URL': url, 'secrets.LINEPRINT_API_KEY': key },
      ...{ 'github.event.before': first, 'github.event.after': last },
      ...{ 'github.event.repository.default_branch': 'main', 'github.event.repository.name': 'fleet' },
    });
  const lines = (script: readonly string[]) => script.join('\n');
  const hosts = [
    { host: 'GitHub Actions', sent: 2, step: (to) => actions('github-actions.yml', to) },
    { host: 'Gitea Actions', sent: 2, step: (to) => actions('gitea-actions.yml', to) },
    {
      host: 'GitLab CI',
      sent: 2,
      step: () => ({
        script: lines((parse(text('gitlab-ci.yml')) as GitLabFile).lineprint.script),
        env: {
          ...{ CI_COMMIT_BEFORE_SHA: first, CI_COMMIT_SHA: last },
          ...{ CI_DEFAULT_BRANCH: 'main', CI_PROJECT_NAME: 'fleet' },
        },
      }),
    },
    {
      host: 'Bitbucket Pipelines, which does not say what was there before',
      sent: 3,
      step: () => ({
        script: lines(
          (parse(text('bitbucket-pipelines.yml')) as BitbucketFile).definitions.steps[0]!.step.script,
        ),
        env: { BITBUCKET_COMMIT: last, BITBUCKET_BRANCH: 'main', BITBUCKET_REPO_SLUG: 'fleet' },
      }),
    },
    {
      host: 'Jenkins',
      sent: 2,
      step: () => ({
        script: /sh '''([\s\S]*?)'''/.exec(text('Jenkinsfile'))![1]!,
        env: { GIT_PREVIOUS_COMMIT: first, GIT_COMMIT: last, GIT_URL: 'https://git.example.org/fleet.git' },
      }),
    },
  ] satisfies {
    host: string;
    sent: number;
    step: (to: { url: string; key: string }) => { script: string; env: Record<string, string> };
  }[];

  it.each(hosts.map((entry, number) => ({ ...entry, number })))(
    '$host sends $sent commits of a push of two to a branch that had one',
    async ({ step, sent, number }) => {
      const organisation = await Organisation.create(pipeline, `ci-${number}`);
      const clone = join(folder, `clone-${number}`);
      execFileSync('git', ['clone', '-q', origin.path, clone]);
      const to = { url: pipeline.ingestUrl, key: organisation.apiKey };
      const { script, env } = step(to);
      const shell = spawn(
        'sh',
        ['-e', '-c', script.replaceAll('/lineprint/apps', join(__dirname, '..', '..', 'apps'))],
        {
          cwd: clone,
          env: {
            ...{ PATH: process.env['PATH'], HOME: folder, LINEPRINT_URL: to.url, LINEPRINT_API_KEY: to.key },
            ...env,
          },
          stdio: ['ignore', 'pipe', 'pipe'],
        },
      );
      let said = '';
      for (const stream of [shell.stdout, shell.stderr]) {
        stream.setEncoding('utf8').on('data', (words: string) => (said += words));
      }
      const [code] = (await once(shell, 'close')) as [number];
      expect([code, said]).toEqual([0, expect.any(String)]);
      await organisation.settled(sent, 0);
      const rows = (await organisation.export()).trim().split('\n');
      const commits = rows.map((row) => JSON.parse(row) as { type: string; sha: string });
      expect(
        commits
          .filter(({ type }) => type === 'commit')
          .map(({ sha }) => sha)
          .toSorted(),
      ).toEqual(shas.slice(-sent).toSorted());
    },
  );
});
