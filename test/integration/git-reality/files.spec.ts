import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(60_000);

describe('files in git', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start();
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
  });

  const move = (from: string, to: string) => {
    mkdirSync(join(repository.path, to, '..'), { recursive: true });
    renameSync(join(repository.path, from), join(repository.path, to));
  };

  it('that are renamed add nothing', async () => {
    repository.accept('src/tide.ts', suggested('Tide'));
    repository.commit();
    move('src/tide.ts', 'lib/tide.ts');
    const renamed = repository.commit();
    await repository.push();
    expect(await repository.verdict(renamed)).toEqual({ 'lib/tide.ts': 'nothing' });
    expect(await repository.counted()).toBe('9 ai');
  });

  it('that are renamed and edited add only the edit', async () => {
    repository.accept('src/tide.ts', suggested('Tide') + suggested('Berth'));
    repository.commit();
    move('src/tide.ts', 'lib/tide.ts');
    repository.write('lib/tide.ts', repository.read('lib/tide.ts') + typed('Tide'));
    const byPerson = repository.commit();
    move('lib/tide.ts', 'lib/tides.ts');
    repository.accept('lib/tides.ts', repository.read('lib/tides.ts') + suggested('Ledger'));
    const byAssistant = repository.commit();
    await repository.push();
    expect(await repository.verdict(byPerson)).toEqual({ 'lib/tide.ts': '5 human' });
    expect(await repository.verdict(byAssistant)).toEqual({ 'lib/tides.ts': '9 ai' });
  });

  it('that are renamed in their case only add nothing', async () => {
    repository.accept('src/Tide.ts', suggested('Tide'));
    repository.commit();
    repository.git('mv', 'src/Tide.ts', 'src/tide.ts');
    const renamed = repository.commit();
    await repository.push();
    expect(await repository.verdict(renamed)).toEqual({ 'src/tide.ts': 'nothing' });
  });

  it('that are copied are added lines of who copied them, and use no snippet twice', async () => {
    repository.accept('src/tide.ts', suggested('Tide'));
    repository.write('src/panel.ts', typed('Panel'));
    repository.commit();
    repository.write('src/tide-copy.ts', suggested('Tide'));
    repository.write('src/panel-copy.ts', typed('Panel'));
    const copied = repository.commit();
    await repository.push();
    expect(await repository.verdict(copied)).toEqual({
      'src/tide-copy.ts': '9 human',
      'src/panel-copy.ts': '5 human',
    });
  });

  it('give a function to another file, which inherits it', async () => {
    repository.write('src/a.ts', typed('Harbour') + typed('Quay'));
    repository.write('src/b.ts', typed('Pilot'));
    repository.accept('src/a.ts', repository.read('src/a.ts') + suggested('Tide'));
    repository.commit();
    repository.write('src/a.ts', typed('Harbour') + typed('Quay'));
    repository.write('src/b.ts', typed('Pilot') + suggested('Tide'));
    const moved = repository.commit();
    await repository.push();
    expect(await repository.verdict(moved)).toEqual({ 'src/a.ts': 'nothing', 'src/b.ts': '9 inherited' });
    expect(await repository.counted()).toBe('9 ai, 15 human');
  });

  it('that change their mode only add nothing', async () => {
    repository.accept('run.ts', suggested('Tide'));
    repository.commit();
    chmodSync(join(repository.path, 'run.ts'), 0o755);
    const mode = repository.commit();
    await repository.push();
    expect(await repository.verdict(mode)).toEqual({ 'run.ts': 'nothing' });
    expect(await repository.counted()).toBe('9 ai');
  });

  it('that are symbolic links are excluded, as is a link that becomes a file for its target', async () => {
    repository.write('src/tide.ts', typed('Tide'));
    symlinkSync('tide.ts', join(repository.path, 'src/link.ts'));
    const linked = repository.commit();
    rmSync(join(repository.path, 'src/link.ts'));
    repository.accept('src/link.ts', suggested('Link'));
    const file = repository.commit();
    await repository.push();
    expect(await repository.verdict(linked)).toEqual({
      'src/tide.ts': '5 human',
      'src/link.ts': 'excluded: symlink',
    });
    expect(await repository.verdict(file)).toEqual({ 'src/link.ts': '9 ai' });
  });

  it('of a submodule are its own repository’s: neither adding nor moving it adds a line', async () => {
    const other = await bench.repository();
    other.accept('lib.ts', suggested('Library'));
    other.commit();
    repository.write('main.ts', typed('Main'));
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, 'library');
    const added = repository.commit();
    other.write('lib.ts', typed('Library'));
    other.commit();
    repository.git('-C', 'library', 'pull', '-q');
    const bumped = repository.commit();
    await repository.push();
    expect(await repository.verdict(added)).toEqual({
      '.gitmodules': '3 human',
      library: 'excluded: submodule',
      'main.ts': '5 human',
    });
    expect(await repository.verdict(bumped)).toEqual({ library: 'excluded: submodule' });
  });

  it('that LFS keeps elsewhere are pointers, which nobody wrote', async () => {
    repository.write('.gitattributes', '*.psd filter=lfs diff=lfs merge=lfs -text\n');
    repository.commit();
    repository.git('config', 'filter.lfs.clean', 'cat');
    repository.write(
      'art/logo.psd',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'ab'.repeat(32)}\nsize 12345\n`,
    );
    repository.write(
      'art/model.ts',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'cd'.repeat(32)}\nsize 77\n`,
    );
    const pointers = repository.commit();
    await repository.push();
    expect(await repository.verdict(pointers)).toEqual({
      'art/logo.psd': 'excluded: lfs',
      'art/model.ts': 'excluded: lfs',
    });
  });

  it('that are binary are excluded, whatever their name; text beside them counts', async () => {
    repository.write('tool.ts', Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * 7919) % 256)));
    repository.write('utf-16.ts', Buffer.from(suggested('Wide'), 'utf16le'));
    repository.accept('src/tide.ts', suggested('Tide'));
    const sha = repository.commit();
    await repository.push();
    expect(await repository.verdict(sha)).toEqual({
      'tool.ts': 'excluded: binary',
      'utf-16.ts': 'excluded: binary',
      'src/tide.ts': '9 ai',
    });
  });

  it('have paths with spaces, line ends, quotes, other alphabets and bytes that are no UTF-8', async () => {
    const paths = [
      'two words.ts',
      'line\nend.ts',
      'say "tide"\t.ts',
      'übung/潮汐.ts',
      '-dash.ts',
      'a => b.ts',
    ];
    for (const [index, path] of paths.entries()) repository.accept(path, suggested(`Subject${index}`));
    repository.capture('caf\\351.ts', '', suggested('Bytes'));
    const bytes = Buffer.concat([
      Buffer.from(join(repository.path, 'caf')),
      Buffer.of(0xe9),
      Buffer.from('.ts'),
    ]);
    writeFileSync(bytes, suggested('Bytes'));
    const sha = repository.commit();
    await repository.push();
    expect(await repository.verdict(sha)).toEqual(
      Object.fromEntries([...paths, 'caf\\351.ts'].map((path) => [path, '9 ai'])),
    );
  });

  it('that are deleted add nothing, and their AI lines stay counted once', async () => {
    repository.accept('src/tide.ts', suggested('Tide'));
    repository.commit();
    rmSync(join(repository.path, 'src/tide.ts'));
    const deleted = repository.commit();
    await repository.push();
    expect(await repository.verdict(deleted)).toEqual({ 'src/tide.ts': 'nothing' });
    expect(await repository.counted()).toBe('9 ai');
  });
});
