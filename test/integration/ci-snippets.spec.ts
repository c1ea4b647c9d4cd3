import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

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
