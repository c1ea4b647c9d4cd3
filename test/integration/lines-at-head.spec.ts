import type { FileListAnswer } from '../../apps/query-api/src/files/files.schema';
import type { FileLinesAnswer } from '../../apps/query-api/src/files/lines.schema';
import type { HeadAnswer } from '../../apps/query-api/src/head/head.schema';
import { blamedCommits, RandomRepository } from '../random-repository';
import { type RealRepository, suggested, Workbench } from './git-reality/real-repository';

// Some two hundred starts of git.
jest.setTimeout(240_000);

const seed = Number(process.env['LINEPRINT_TEST_SEED'] ?? 1);

let bench: Workbench;
let repository: RealRepository;
beforeAll(async () => {
  bench = await Workbench.start();
  repository = await bench.repository();
  let state = seed;
  const below = (limit: number) => (state = (state * 48_271 + 11) % 2_147_483_647) % limit;
  const git = (...args: string[]) => repository.git(...args);
  const random = new RandomRepository(repository.path, git, below);
  random.begin();
  for (let i = 0; i < 20; i++) {
    if (i % 4 === 0) repository.accept(`suggested${i}.ts`, `\n${suggested(`Tide${i}`)}`);
    random.goOn(i);
  }
  await repository.push();
  await repository.tell();
  await repository.isTold();
  await repository.ledgerKept();
});
afterAll(() => bench.stop());

const linesOf = (path: string, commit = '') =>
  repository.answer<FileLinesAnswer>(
    `/api/v1/files/lines?repository=repository&path=${path}${commit && `&commit=${commit}`}`,
  );

/** The commit of each line. */
const commitsOf = ({ lines }: FileLinesAnswer) =>
  lines.flatMap(({ count, origin }) => Array.from({ length: count }, () => origin?.commit));

it(`gives each file’s lines the sums that stand at HEAD, made by another computation (seed ${seed})`, async () => {
  const { total } = await repository.answer<HeadAnswer>('/api/v1/head');
  const { files } = await repository.answer<FileListAnswer>(`/api/v1/files?repository=repository&limit=200`);
  for (const file of files) {
    const { lines } = await linesOf(file.path);
    const count = (kind: string) =>
      lines.reduce((sum, range) => sum + (range.kind === kind ? range.count : 0), 0);
    expect({
      path: file.path,
      P: count('P'),
      M: count('M'),
      H: count('H'),
      unknown: count('unknown'),
    }).toEqual({
      path: file.path,
      P: file.preserved,
      M: file.modified,
      H: file.human,
      unknown: file.unknown,
    });
  }
  const sum = (of: (file: FileListAnswer['files'][number]) => number) =>
    files.reduce((all, file) => all + of(file), 0);
  expect([sum((file) => file.preserved), sum((file) => file.modified), sum((file) => file.human)]).toEqual([
    total.preserved,
    total.modified,
    total.human,
  ]);
  expect(total.preserved).toBeGreaterThan(0);
});

it(`names the commit of every line as git blame does, at HEAD and at commits before it (seed ${seed})`, async () => {
  const git = (...args: string[]) => repository.git(...args);
  for (const commit of ['HEAD', 'HEAD~1', 'HEAD~4', 'HEAD~9'].map((each) => repository.head(each))) {
    for (const path of git('ls-tree', '-r', '--name-only', commit).split('\n').filter(Boolean)) {
      const blamed = blamedCommits(git, commit, path);
      if (blamed.length === 0) continue;
      expect([commit, path, commitsOf(await linesOf(path, commit))]).toEqual([commit, path, blamed]);
    }
  }
});
