import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(60_000);

describe('rewritten history', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start();
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
    repository.write('src/base.ts', typed('Base'));
    repository.commit();
  });

  const branch = (name: string) => repository.git('checkout', '-q', '-b', name);
  const checkout = (name: string) => repository.git('checkout', '-q', name);
  const accepted = (subject: string, path = `src/${subject}.ts`) => {
    repository.accept(path, suggested(subject));
    return repository.commit(`add ${subject}`);
  };
  const written = (subject: string, path = `src/${subject}.ts`) => {
    repository.write(path, typed(subject));
    return repository.commit(`add ${subject}`);
  };

  it('amended before it is pushed counts as it was amended', async () => {
    accepted('Tide');
    repository.write('src/Tide.ts', suggested('Tide') + typed('Quay'));
    repository.git('add', '-A');
    repository.git('commit', '-q', '--amend', '--no-edit');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Tide.ts': '9 ai, 5 human' });
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('amended in its message after it was pushed counts once, and says of which commit its lines are copies', async () => {
    const first = accepted('Tide');
    await repository.push();
    repository.git('commit', '-q', '--amend', '-m', 'a better message');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Tide.ts': '9 copied' });
    expect(await repository.originals(repository.head())).toEqual([first]);
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('amended after it was pushed counts what the amendment adds', async () => {
    accepted('Tide');
    await repository.push();
    repository.write('src/Tide.ts', suggested('Tide') + typed('Quay'));
    repository.git('commit', '-q', '-a', '--amend', '--no-edit');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Tide.ts': '5 human, 9 copied' });
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('rebased counts once, though lines around it have changed meanwhile', async () => {
    branch('feature');
    repository.accept('src/base.ts', typed('Base') + suggested('Tide'));
    const original = repository.commit();
    written('Quay');
    await repository.push();
    checkout('main');
    repository.write('src/base.ts', `// first\n${typed('Base')}`);
    repository.commit();
    checkout('feature');
    repository.git('rebase', '-q', 'main');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Quay.ts': '5 copied' });
    expect(await repository.verdict(repository.head('HEAD~1'))).toEqual({ 'src/base.ts': '9 copied' });
    expect(await repository.originals(repository.head('HEAD~1'))).toEqual([original]);
    expect(await repository.counted()).toBe('9 ai, 11 human');
  });

  it('rebased before anything was pushed counts as if it had been made there', async () => {
    branch('feature');
    accepted('Tide');
    checkout('main');
    written('Quay');
    checkout('feature');
    repository.git('rebase', '-q', 'main');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Tide.ts': '9 ai' });
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('rebased with the commit of the same file before it keeps the small edit that was accepted between the two', async () => {
    branch('feature');
    repository.write('src/base.ts', `// first\n${typed('Base')}`);
    repository.commit();
    repository.accept(
      'src/base.ts',
      `// first\n${typed('Base')}export const BERTH_LIMIT = readLimit(harbour);\n`,
    );
    repository.commit();
    checkout('main');
    written('Quay');
    checkout('feature');
    repository.git('rebase', '-q', 'main');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({ 'src/base.ts': '1 ai' });
  });

  it('squashed interactively before it was pushed is the assistant’s and the person’s of all its commits', async () => {
    accepted('Tide');
    written('Quay');
    accepted('Berth');
    repository.gitWith(
      { GIT_SEQUENCE_EDITOR: "sed -i '2,$s/^pick/fixup/'" },
      ...['rebase', '-q', '-i', 'HEAD~3'],
    );
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({
      'src/Berth.ts': '9 ai',
      'src/Quay.ts': '5 human',
      'src/Tide.ts': '9 ai',
    });
  });

  it('squashed interactively after it was pushed counts once', async () => {
    const originals = [accepted('Berth'), written('Quay'), accepted('Tide')];
    await repository.push();
    repository.gitWith(
      { GIT_SEQUENCE_EDITOR: "sed -i '2,$s/^pick/fixup/'" },
      ...['rebase', '-q', '-i', 'HEAD~3'],
    );
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({
      'src/Berth.ts': '9 copied',
      'src/Quay.ts': '5 copied',
      'src/Tide.ts': '9 copied',
    });
    expect(await repository.originals(repository.head())).toEqual(originals);
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('squashed by the host counts once, though later commits of its branch rewrote lines of earlier ones', async () => {
    branch('feature');
    repository.accept('src/base.ts', typed('Base') + suggested('Tide'));
    repository.commit();
    repository.write(
      'src/base.ts',
      repository.read('src/base.ts').replace('row.TideAge < 30', 'isRecent(row)'),
    );
    repository.commit();
    written('Quay');
    checkout('main');
    written('Crane');
    await repository.push();
    await repository.push('feature');
    const before = await repository.counted();
    repository.git('merge', '-q', '--squash', 'feature');
    const squashed = repository.commit('feature (#7)');
    await repository.push();
    expect(await repository.verdict(squashed)).toEqual({
      'src/Quay.ts': '5 copied',
      'src/base.ts': '9 copied',
    });
    expect(await repository.counted()).toBe(before);
  });

  it('squashed by the host counts once where main was merged into the branch before', async () => {
    branch('feature');
    const first = accepted('Tide');
    checkout('main');
    written('Crane');
    checkout('feature');
    repository.git('merge', '-q', '--no-edit', 'main');
    const last = written('Quay');
    await repository.push();
    checkout('main');
    repository.git('merge', '-q', '--squash', 'feature');
    const squashed = repository.commit('feature (#8)');
    await repository.push();
    expect(await repository.originals(squashed)).toEqual([last, first]);
    expect(await repository.counted()).toBe('9 ai, 15 human');
  });

  it('squashed by the host counts in full where only main is pushed', async () => {
    branch('feature');
    accepted('Tide');
    written('Quay');
    checkout('main');
    repository.git('merge', '-q', '--squash', 'feature');
    const squashed = repository.commit('feature (#9)');
    await repository.push();
    expect(await repository.verdict(squashed)).toEqual({ 'src/Quay.ts': '5 human', 'src/Tide.ts': '9 ai' });
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('squashed with an edit counts the edit only', async () => {
    branch('feature');
    accepted('Tide');
    await repository.push();
    checkout('main');
    repository.git('merge', '-q', '--squash', 'feature');
    repository.write(
      'src/Tide.ts',
      `${suggested('Tide')}register(loadTide, { every: 'hour', jitter: 5 });\n`,
    );
    const squashed = repository.commit('feature (#10)');
    await repository.push();
    expect(await repository.verdict(squashed)).toEqual({ 'src/Tide.ts': '1 human, 9 copied' });
    expect(await repository.counted()).toBe('9 ai, 6 human');
  });

  it('cherry-picked counts once, and once only when its branch is merged as well', async () => {
    branch('feature');
    const original = accepted('Tide');
    await repository.push();
    checkout('main');
    written('Quay');
    repository.git('cherry-pick', '-x', original);
    const picked = repository.head();
    await repository.push();
    expect(await repository.verdict(picked)).toEqual({ 'src/Tide.ts': '9 copied' });
    expect(await repository.originals(picked)).toEqual([original]);
    repository.git('merge', '-q', '--no-edit', 'feature');
    await repository.push();
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('cherry-picked uses the lines of its snippet: a copy behind it is not the assistant’s again', async () => {
    branch('feature');
    const original = accepted('Tide');
    await repository.push();
    checkout('main');
    repository.git('cherry-pick', original);
    repository.write('src/again.ts', suggested('Tide'));
    const copied = repository.commit();
    await repository.push();
    expect(await repository.verdict(copied)).toEqual({ 'src/again.ts': '9 human' });
  });

  it('backported with a conflict counts the lines that it has of its own', async () => {
    branch('feature');
    accepted('Tide');
    await repository.push();
    checkout('main');
    repository.write(
      'src/Tide.ts',
      suggested('Tide').replace('throw new EmptyTideError(limit)', 'return emptyMap'),
    );
    const backported = repository.commit('backport');
    await repository.push();
    expect(await repository.verdict(backported)).toEqual({ 'src/Tide.ts': '1 human, 8 copied' });
  });

  it('backported to a release, and to another one, counts once', async () => {
    const original = accepted('Tide');
    for (const release of ['release-1', 'release-2']) {
      repository.git('checkout', '-q', '-b', release, 'main~1');
      written(release === 'release-1' ? 'Quay' : 'Crane');
      repository.git('cherry-pick', original);
    }
    for (const name of ['main', 'release-1', 'release-2']) await repository.push(name);
    expect(await repository.verdict(repository.head('release-1'))).toEqual({ 'src/Tide.ts': '9 copied' });
    expect(await repository.originals(repository.head('release-2'))).toEqual([original]);
    expect(await repository.counted()).toBe('9 ai, 15 human');
  });

  it('on two branches that happen to have a line in common stays whose it is', async () => {
    branch('feature');
    repository.write('src/base.ts', `${typed('Base')}${typed('Quay')}`);
    repository.commit();
    checkout('main');
    repository.write('src/base.ts', `${typed('Base')}${typed('Crane')}`);
    const other = repository.commit();
    await repository.push('feature');
    await repository.push();
    expect(await repository.verdict(other)).toEqual({ 'src/base.ts': '5 human' });
  });

  it('reverted adds what it brings back, which is whose it was', async () => {
    accepted('Tide', 'src/base.ts');
    repository.git('revert', '--no-edit', 'HEAD');
    await repository.push();
    // The closing brace stands in both.
    expect(await repository.verdict(repository.head())).toEqual({ 'src/base.ts': '4 human' });
  });

  it('reverted and reverted again is the assistant’s again', async () => {
    accepted('Tide');
    repository.git('revert', '--no-edit', 'HEAD');
    const reverted = repository.head();
    repository.git('revert', '--no-edit', 'HEAD');
    const again = repository.head();
    await repository.push();
    expect(await repository.verdict(reverted)).toEqual({ 'src/Tide.ts': 'nothing' });
    expect(await repository.verdict(again)).toEqual({ 'src/Tide.ts': '9 ai' });
    expect(await repository.originals(again)).toEqual([]);
  });

  it('forced over a branch counts what is new; what was there before stays, and is no copy of anything', async () => {
    branch('feature');
    accepted('Tide');
    await repository.push();
    repository.git('reset', '-q', '--hard', 'main');
    const other = accepted('Berth');
    await repository.push();
    expect(await repository.verdict(other)).toEqual({ 'src/Berth.ts': '9 ai' });
    expect(await repository.originals(other)).toEqual([]);
    expect(await repository.counted()).toBe('18 ai, 5 human');
  });

  it('merged without a conflict adds nothing in the merge', async () => {
    branch('feature');
    accepted('Tide');
    checkout('main');
    written('Quay');
    repository.git('merge', '-q', '--no-edit', 'feature');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({});
    expect(await repository.counted()).toBe('9 ai, 10 human');
  });

  it('merged with a conflict adds the lines that neither side has, whoever wrote them', async () => {
    branch('feature');
    repository.write('src/base.ts', typed('Base').replace('private open', 'protected open'));
    repository.commit();
    checkout('main');
    repository.write('src/base.ts', typed('Base').replace('private open', 'public open'));
    repository.commit();
    expect(() => repository.git('merge', '-q', 'feature')).toThrow();
    repository.write('src/base.ts', typed('Base').replace('private open', 'readonly open'));
    repository.accept('src/base.ts', repository.read('src/base.ts') + suggested('Tide'));
    const merge = repository.commit('merge');
    await repository.push();
    expect(repository.git('rev-list', '--parents', '-1', merge).split(' ')).toHaveLength(3);
    expect(await repository.verdict(merge)).toEqual({ 'src/base.ts': '9 ai, 1 human' });
  });

  it('merged with a conflict that takes one side adds nothing', async () => {
    branch('feature');
    repository.accept('src/base.ts', suggested('Tide'));
    repository.commit();
    checkout('main');
    repository.write('src/base.ts', typed('Other'));
    repository.commit();
    repository.git('merge', '-q', '--no-edit', '-X', 'theirs', 'feature');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({});
    // The closing brace stands in all.
    expect(await repository.counted()).toBe('8 ai, 9 human');
  });

  it('of three branches merged at once adds nothing in the merge', async () => {
    for (const subject of ['Tide', 'Berth', 'Crane']) {
      checkout('main');
      branch(subject.toLowerCase());
      accepted(subject);
    }
    checkout('main');
    repository.git('merge', '-q', '--no-edit', 'tide', 'berth', 'crane');
    await repository.push();
    expect(await repository.verdict(repository.head())).toEqual({});
    expect(await repository.counted()).toBe('27 ai, 5 human');
  });
});
