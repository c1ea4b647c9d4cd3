import { changesOf, isPushEvent } from './push';

const BEFORE = 'a'.repeat(40);
const AFTER = 'b'.repeat(40);
const ZEROS = '0'.repeat(40);

describe('a push', () => {
  it.each(['github', 'gitlab', 'gitea'] as const)('of %s names the branch that it changed', (host) => {
    const push = (ref: string, before: string, after: string) =>
      changesOf(host, { ref, before, after, commits: [], forced: true, extra: {} });
    expect(push('refs/heads/a/b', BEFORE, AFTER)).toEqual([{ branch: 'a/b', after: AFTER }]);
    expect(push('refs/heads/new', ZEROS, AFTER)).toEqual([{ branch: 'new', after: AFTER }]);
    expect(push('refs/heads/old', BEFORE, ZEROS)).toEqual([{ branch: 'old', after: null }]);
    expect(push('refs/tags/v1', ZEROS, AFTER)).toEqual([]);
  });

  it('of Bitbucket Cloud names every branch, deleted ones and those cut short included', () => {
    const branch = (name: string, hash: string) => ({ type: 'branch', name, target: { hash } });
    const changes = [
      { old: branch('main', BEFORE), new: branch('main', AFTER), truncated: true, commits: [] },
      { old: null, new: branch('new', AFTER), created: true },
      { old: branch('old', BEFORE), new: null, closed: true },
      { old: null, new: { type: 'tag', name: 'v1', target: { hash: AFTER } } },
    ];
    expect(changesOf('bitbucket-cloud', { push: { changes }, repository: {} })).toEqual([
      { branch: 'main', after: AFTER },
      { branch: 'new', after: AFTER },
      { branch: 'old', after: null },
    ]);
  });

  it('of Bitbucket Data Center names every ref that changed', () => {
    const change = (refId: string, type: string, toHash: string) => ({
      ref: { id: refId, type: refId.startsWith('refs/tags') ? 'TAG' : 'BRANCH' },
      refId,
      fromHash: BEFORE,
      toHash,
      type,
    });
    const changes = [
      change('refs/heads/main', 'UPDATE', AFTER),
      change('refs/heads/new', 'ADD', AFTER),
      change('refs/heads/old', 'DELETE', ZEROS),
      change('refs/tags/v1', 'ADD', AFTER),
    ];
    expect(changesOf('bitbucket-dc', { eventKey: 'repo:refs_changed', changes })).toEqual([
      { branch: 'main', after: AFTER },
      { branch: 'new', after: AFTER },
      { branch: 'old', after: null },
    ]);
  });

  it('of a shape that nobody knows has git asked', () => {
    for (const host of ['github', 'gitlab', 'gitea', 'bitbucket-cloud', 'bitbucket-dc'] as const) {
      for (const body of [null, [], 'push', {}, { changes: 1 }, { push: {} }]) {
        expect(changesOf(host, body)).toBeUndefined();
      }
    }
  });

  it('is told from what else hosts say, a ping or a tag', () => {
    expect(isPushEvent('github', 'push')).toBe(true);
    expect(isPushEvent('github', 'ping')).toBe(false);
    expect(isPushEvent('gitlab', 'Push Hook')).toBe(true);
    expect(isPushEvent('gitlab', 'Tag Push Hook')).toBe(false);
    expect(isPushEvent('bitbucket-dc', 'diagnostics:ping')).toBe(false);
    expect(isPushEvent('gitea', '')).toBe(false);
  });
});
