import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(60_000);

describe('clones and commits', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start();
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
  });

  /** Four commits, by turns of the assistant and a person, of a file each. */
  const four = () =>
    ['Tide', 'Quay', 'Berth', 'Crane'].map((subject, index) => {
      const path = `src/${subject}.ts`;
      if (index % 2 === 0) repository.accept(path, suggested(subject));
      else repository.write(path, typed(subject));
      return repository.commit();
    });

  it('of a root commit and an empty one: every line of the former is added, the latter has none', async () => {
    repository.write('src/a.ts', typed('Quay'));
    repository.accept('src/a.ts', `${typed('Quay')}\n${suggested('Tide')}`);
    const root = repository.commit();
    const empty = repository.commit('nothing');
    await repository.push();
    expect(await repository.verdict(root)).toEqual({ 'src/a.ts': '9 ai, 5 human, 1 blank' });
    expect(await repository.verdict(empty)).toEqual({});
  });

  it('of two roots, joined by a merge of unrelated histories, count each root once', async () => {
    repository.accept('src/a.ts', suggested('Tide'));
    repository.commit();
    repository.git('checkout', '-q', '--orphan', 'other');
    repository.git('rm', '-rqf', '.');
    repository.write('src/b.ts', typed('Quay'));
    const other = repository.commit();
    repository.git('checkout', '-q', 'main');
    repository.git('merge', '-q', '--allow-unrelated-histories', 'other');
    await repository.push();
    expect(await repository.verdict(other)).toEqual({ 'src/b.ts': '5 human' });
    expect(await repository.verdict(repository.head())).toEqual({});
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('that are shallow lack a parent: that commit is skipped, not taken for the author of the whole tree', async () => {
    const shas = four();
    const shallow = join(bench.directory, 'shallow');
    repository.git('clone', '-q', '--depth', '3', `file://${repository.path}`, shallow);
    await repository.push('HEAD', shallow);
    expect([...repository.skipped]).toEqual([[shas[1], expect.stringContaining(shas[0]!)]]);
    expect(await repository.verdict(shas[2]!)).toEqual({ 'src/Berth.ts': '9 ai' });
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('that are partial lack blobs: commits that need those are skipped, the others count', async () => {
    const shas = four();
    repository.write('src/large.ts', typed('Large').repeat(200));
    const large = repository.commit();
    repository.accept('src/Pilot.ts', suggested('Pilot'));
    const last = repository.commit();
    repository.git('config', 'uploadpack.allowFilter', 'true');
    const partial = join(bench.directory, 'partial');
    const options = ['--no-checkout', '--filter=blob:limit=2k'];
    repository.git('clone', '-q', ...options, `file://${repository.path}`, partial);
    await repository.push('HEAD', partial);
    expect([...repository.skipped.keys()]).toEqual([large]);
    expect(await repository.verdict(shas[0]!)).toEqual({ 'src/Tide.ts': '9 ai' });
    expect(await repository.verdict(last)).toEqual({ 'src/Pilot.ts': '9 ai' });
    expect(await repository.counted()).toBe('27 ai, 10 human');
  });

  it('with replaced commits are read as they are, not as they are replaced', async () => {
    const shas = four();
    repository.git('replace', '--graft', shas[2]!);
    await repository.push();
    expect(await repository.verdict(shas[2]!)).toEqual({ 'src/Berth.ts': '9 ai' });
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('with a grafts file are read as the commits say', async () => {
    const shas = four();
    mkdirSync(join(repository.path, '.git/info'), { recursive: true });
    writeFileSync(join(repository.path, '.git/info/grafts'), `${shas[2]}\n`);
    await repository.push();
    expect(await repository.verdict(shas[2]!)).toEqual({ 'src/Berth.ts': '9 ai' });
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('that are bare say the same as those with a working tree', async () => {
    four();
    const bare = join(bench.directory, 'bare.git');
    repository.git('clone', '-q', '--bare', repository.path, bare);
    await repository.push('HEAD', bare);
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('that are worktrees of another one have their own HEAD, and share the history', async () => {
    repository.write('src/a.ts', typed('Quay'));
    repository.commit();
    const worktree = join(bench.directory, 'worktree');
    repository.git('worktree', 'add', '-q', '-b', 'feature', worktree);
    repository.capture('src/b.ts', '', suggested('Tide'));
    writeFileSync(join(worktree, 'src/b.ts'), suggested('Tide'));
    repository.git('-C', worktree, 'add', '-A');
    repository.git('-C', worktree, 'commit', '-q', '-m', 'in the worktree');
    await repository.push('HEAD', worktree);
    expect(await repository.verdict(repository.head('feature'))).toEqual({ 'src/b.ts': '9 ai' });
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('with a detached HEAD send what it stands on', async () => {
    const shas = four();
    repository.git('checkout', '-q', '--detach', shas[1]!);
    repository.accept('src/Pilot.ts', suggested('Pilot'));
    const detached = repository.commit();
    await repository.push();
    expect(await repository.verdict(detached)).toEqual({ 'src/Pilot.ts': '9 ai' });
    expect(await repository.counted()).toBe('18 ai, 5 human');
  });

  it('with SHA-256 names say the same as others', async () => {
    repository = await bench.repository(['--object-format=sha256']);
    const [first] = four();
    expect(first).toHaveLength(64);
    await repository.push();
    expect(await repository.verdict(first!)).toEqual({ 'src/Tide.ts': '9 ai' });
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('whose settings change what git prints are read as any other', async () => {
    for (const [name, value] of Object.entries({
      'diff.algorithm': 'histogram',
      'diff.noprefix': 'true',
      'diff.renames': 'false',
      'diff.context': '9',
      'diff.external': 'false',
      'core.quotePath': 'true',
      'color.ui': 'always',
      'notes.displayRef': '*',
      'log.showSignature': 'true',
    })) {
      repository.git('config', name, value);
    }
    four();
    repository.git('mv', 'src/Tide.ts', 'src/Tidé.ts');
    const renamed = repository.commit();
    await repository.push();
    expect(await repository.verdict(renamed)).toEqual({ 'src/Tidé.ts': 'nothing' });
    expect(await repository.counted()).toBe('18 ai, 10 human');
  });

  it('with two authors count for the first; a person as co-author declares no AI, an assistant does', async () => {
    repository.write('src/a.ts', typed('Quay'));
    const pair = repository.commit('pair', '-m', 'Co-authored-by: Grace <grace@example.org>');
    repository.write('src/b.ts', typed('Crane'));
    const declared = repository.commit('with', '-m', 'Co-authored-by: Claude <noreply@anthropic.com>');
    await repository.push();
    expect(await repository.exportedCommit(pair)).toMatchObject({
      user_id: 'ada@example.org',
      declared_tool: null,
    });
    expect(await repository.verdict(pair)).toEqual({ 'src/a.ts': '5 human' });
    expect(await repository.exportedCommit(declared)).toMatchObject({
      declared_tool: 'claude-code',
      files: [{ results: [{ evidence: 'declared' }] }],
    });
    expect(await repository.verdict(declared)).toEqual({ 'src/b.ts': '5 ai' });
  });

  it('whose author’s clock stands in 1970 or far ahead are matched by the committer’s, and count on the author’s day', async () => {
    const days = [
      ['1970-01-01', '@0 +0000'],
      ['2099-12-31', '@4102358400 +0000'],
    ] as const;
    const shas = days.map(([, date], index) => {
      repository.accept(`src/${index}.ts`, suggested(`Clock${index}`));
      repository.git('add', '-A');
      repository.gitWith({ GIT_AUTHOR_DATE: date }, 'commit', '-q', '-m', 'change');
      return repository.head();
    });
    await repository.push();
    for (const [index, sha] of shas.entries()) {
      expect(await repository.verdict(sha)).toEqual({ [`src/${index}.ts`]: '9 ai' });
    }
    expect(
      (await repository.days()).map(({ date, ai_preserved_lines }) => [date, ai_preserved_lines]),
    ).toEqual(days.map(([date]) => [date, 9]));
  });

  it('that are signed count as others do', async () => {
    const key = join(bench.directory, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'ada', '-f', key]);
    repository.git('config', 'gpg.format', 'ssh');
    repository.git('config', 'user.signingKey', `${key}.pub`);
    repository.accept('src/a.ts', suggested('Tide'));
    const signed = repository.commit('signed', '-S');
    expect(repository.git('cat-file', 'commit', signed)).toContain('BEGIN SSH SIGNATURE');
    await repository.push();
    expect(await repository.verdict(signed)).toEqual({ 'src/a.ts': '9 ai' });
  });

  it('with notes count as without: notes are no part of a commit’s message, and their own commits are not sent', async () => {
    repository.accept('src/a.ts', suggested('Tide'));
    const sha = repository.commit();
    repository.write('src/b.ts', typed('Quay'));
    const human = repository.commit();
    repository.git('config', 'notes.displayRef', 'refs/notes/*');
    repository.git('notes', 'add', '-m', 'Co-authored-by: Claude <noreply@anthropic.com>', human);
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({ 'src/a.ts': '9 ai' });
    expect(await repository.verdict(human)).toEqual({ 'src/b.ts': '5 human' });
    expect(await repository.counted()).toBe('9 ai, 5 human');
  });

  it('that are damaged lose the commits that need what is gone, and no other', async () => {
    const shas = four();
    const id = repository.head(`${shas[1]}:src/Quay.ts`);
    rmSync(join(repository.path, '.git/objects', id.slice(0, 2), id.slice(2)));
    await repository.push();
    expect([...repository.skipped.keys()]).toEqual([shas[1]]);
    expect(await repository.counted()).toBe('18 ai, 5 human');
  });
});
