import { type RealRepository, suggested, typed, Workbench } from './real-repository';

jest.setTimeout(120_000);

const FILES = 100_000;
const LINES = 1_000_000;

describe('giants', () => {
  let bench: Workbench;
  let repository: RealRepository;
  beforeAll(async () => {
    bench = await Workbench.start();
  });
  afterAll(() => bench.stop());
  beforeEach(async () => {
    repository = await bench.repository();
  });

  /** What `git fast-import` makes a first commit of. */
  const imported = (files: Iterable<string>) => {
    const head = 'commit refs/heads/main\ncommitter Ada <ada@example.org> 1780000000 +0000\ndata 5\nfirst\n';
    repository.gitWith({ input: head + [...files].join('') }, 'fast-import', '--quiet');
    repository.git('reset', '-q', '--hard');
    return repository.head();
  };
  const file = (path: string, text: string) =>
    `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`;

  it('of 100,000 files take a commit as quickly as others, which has its own lines only', async () => {
    const first = imported(
      Array.from({ length: FILES }, (_, i) =>
        file(`src/${i % 300}/module${i}.ts`, `export const m = ${i};\n`),
      ),
    );
    repository.accept('src/7/module7.ts', `${repository.read('src/7/module7.ts')}${suggested('Tide')}`);
    repository.write('src/8/panel.ts', typed('Panel'));
    repository.git('add', 'src/7/module7.ts', 'src/8/panel.ts');
    repository.git('commit', '-q', '-m', 'change');
    await repository.push(`${first}..HEAD`);
    expect(await repository.verdict(repository.head())).toEqual({
      'src/7/module7.ts': '9 ai',
      'src/8/panel.ts': '5 human',
    });
  });

  it('of a million lines are excluded as too large when they come, and small edits of them count', async () => {
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => `row(${from + i});\n`).join('');
    const first = imported([file('src/large.ts', rows(0, LINES)), file('src/small.ts', typed('Small'))]);
    const edited = `${rows(0, LINES / 2)}${suggested('Tide')}${rows(LINES / 2, LINES)}`;
    repository.capture(
      'src/large.ts',
      rows(LINES / 2, LINES / 2 + 1),
      suggested('Tide') + rows(LINES / 2, LINES / 2 + 1),
    );
    repository.write('src/large.ts', edited);
    const second = repository.commit();
    await repository.push();
    expect(await repository.verdict(first)).toEqual({
      'src/large.ts': 'excluded: too-large',
      'src/small.ts': '5 human',
    });
    expect(await repository.verdict(second)).toEqual({ 'src/large.ts': '9 ai' });
  });
});
