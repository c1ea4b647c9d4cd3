import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(60_000);

describe('what counts by what refs name', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start({ LINEPRINT_COUNTED_BRANCHES: 'release/*' });
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
    repository.write('src/base.ts', typed('Base'));
    repository.commit();
    await repository.push();
  });

  const branch = (name: string, from = 'HEAD') => repository.git('checkout', '-q', '-b', name, from);
  const checkout = (name: string) => repository.git('checkout', '-q', name);
  const accepted = (subject: string, path = `src/${subject}.ts`) => {
    repository.accept(path, suggested(subject));
    return repository.commit(`add ${subject}`);
  };
  const written = (subject: string, path = `src/${subject}.ts`) => {
    repository.write(path, typed(subject));
    return repository.commit(`add ${subject}`);
  };
  const told = async (name = 'main', ...how: [sha?: string | null, before?: string | null]) => {
    await repository.tell(name, ...how);
    await repository.isTold(name);
  };
  /** A feature with nine lines of the assistant and five of a person, pushed while main is told. */
  const pushedFeature = async () => {
    await told();
    branch('feature');
    accepted('Tide');
    written('Quay');
    await repository.push();
  };

  it('a branch that is not merged is provisional, and counts once it is merged', async () => {
    await pushedFeature();
    expect([await repository.counted(), await repository.provisional()]).toEqual([
      '5 human',
      '9 ai, 5 human',
    ]);
    checkout('main');
    repository.git('merge', '-q', '--no-ff', '--no-edit', 'feature');
    await repository.push();
    await told();
    expect([await repository.counted(), await repository.provisional()]).toEqual([
      '9 ai, 10 human',
      'nothing',
    ]);
  });

  it('a branch that was pushed before anybody told the default branch counts until then', async () => {
    branch('feature');
    accepted('Tide');
    await repository.push();
    await repository.tell('feature');
    expect(await repository.counted()).toBe('9 ai, 5 human');
    await told('main');
    expect([await repository.counted(), await repository.provisional()]).toEqual(['5 human', '9 ai']);
  });

  it('a branch that is thrown away stays provisional, though its name is pushed again with something else', async () => {
    await pushedFeature();
    repository.git('reset', '-q', '--hard', 'main');
    accepted('Berth');
    await repository.push();
    checkout('main');
    repository.git('merge', '-q', 'feature');
    await told();
    expect([await repository.counted(), await repository.provisional()]).toEqual([
      '9 ai, 5 human',
      '9 ai, 5 human',
    ]);
  });

  it('squashed by the host, and the branch deleted, counts in the squash as what it was', async () => {
    await pushedFeature();
    checkout('main');
    repository.git('merge', '-q', '--squash', 'feature');
    repository.commit('feature (#7)');
    repository.git('branch', '-q', '-D', 'feature');
    await repository.push();
    await repository.tell('feature', null);
    await told();
    expect(await repository.counted()).toBe('9 ai, 10 human');
    expect(await repository.verdict(repository.head())).toEqual({
      'src/Quay.ts': '5 human, 5 copied',
      'src/Tide.ts': '9 ai, 9 copied',
    });
  });

  it('squashed in part counts the lines that were brought, and no others', async () => {
    await told();
    branch('feature');
    repository.accept('src/Tide.ts', suggested('Tide') + typed('Quay'));
    repository.commit();
    await repository.push();
    checkout('main');
    repository.write('src/Tide.ts', suggested('Tide').split('\n').slice(0, 6).join('\n') + '\n');
    repository.commit('a part of feature');
    await repository.push();
    await told();
    expect(await repository.counted()).toBe('6 ai, 5 human');
  });

  it('picked from a squash for a release counts once, where it was squashed', async () => {
    await pushedFeature();
    checkout('main');
    repository.git('merge', '-q', '--squash', 'feature');
    const squashed = repository.commit('feature (#7)');
    await repository.push();
    await told();
    branch('release/1', 'main~1');
    written('Crane');
    repository.git('cherry-pick', squashed);
    await repository.push();
    await told('release/1');
    expect(await repository.counted()).toBe('9 ai, 15 human');
    expect(await repository.verdict(repository.head())).toMatchObject({ 'src/Tide.ts': '9 copied' });
  });

  it('amended after it was pushed counts in the amended commit, once', async () => {
    accepted('Tide');
    await repository.push();
    await told();
    repository.git('commit', '-q', '--amend', '-m', 'a better message');
    await repository.push();
    await told();
    expect(await repository.counted()).toBe('9 ai, 5 human');
    expect(await repository.verdict(repository.head())).toEqual({ 'src/Tide.ts': '9 ai, 9 copied' });
  });

  it('forced back to an older commit counts up to that', async () => {
    accepted('Tide');
    await repository.push();
    await told();
    repository.git('reset', '-q', '--hard', 'HEAD~1');
    await told();
    expect([await repository.counted(), await repository.provisional()]).toEqual(['5 human', '9 ai']);
  });

  it('told late, by a job that was overtaken or from an old clone, changes nothing', async () => {
    const first = repository.head();
    accepted('Tide');
    await repository.push();
    await told();
    const now = repository.head();
    await repository.tell('main', first, null);
    await repository.tell('main', first, 'f'.repeat(40));
    branch('release/1', first);
    await told('release/1');
    await repository.isTold('main', now);
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('told before its commits are sent counts when they arrive', async () => {
    await told();
    accepted('Tide');
    const tip = written('Quay');
    await repository.tell('main', tip);
    await repository.isTold('main');
    expect(await repository.counted()).toBe('5 human');
    await repository.push();
    await repository.isTold('main');
    expect([await repository.counted(), await repository.provisional()]).toEqual([
      '9 ai, 10 human',
      'nothing',
    ]);
  });

  it('told twice changes nothing', async () => {
    await pushedFeature();
    const before = await repository.exports();
    await repository.tell('main', repository.head('main'), null);
    branch('release/1', 'main');
    await told('release/1');
    expect(await repository.exports()).toBe(before);
  });

  it('a branch that the installation lets count does so while it is there', async () => {
    await told();
    branch('release/1');
    accepted('Tide');
    await repository.push();
    await told('release/1');
    expect(await repository.counted()).toBe('9 ai, 5 human');
    await told('release/1', null);
    expect([await repository.counted(), await repository.provisional()]).toEqual(['5 human', '9 ai']);
  });

  it('behind a commit that could not be read counts as before anybody told a ref', async () => {
    accepted('Tide');
    const missing = repository.commit('could not be read');
    written('Quay');
    await repository.push(`${missing}~1`);
    await repository.push(`${missing}..HEAD`);
    branch('feature', missing);
    accepted('Berth');
    await repository.push('HEAD~1..HEAD');
    await told();
    expect([await repository.counted(), await repository.provisional()]).toEqual(['9 ai, 10 human', '9 ai']);
  });
});
