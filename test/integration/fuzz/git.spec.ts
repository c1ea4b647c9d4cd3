import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CommitFile,
  commitInconsistency,
  type CommitPush,
  commitPushSchema,
  withinLineLimits,
} from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import {
  checkAgainstGit,
  type HistoryReport,
  type HistorySink,
  listCommits,
  openRepository,
  readCommits,
  sendHistory,
} from '@lineprint/git';
import { fuzz, mutatedText, oddTexts, type SeededRandom } from '../../fuzz';
import { LINE_KEY } from '../../programs';
import { type RawEntry, type RawHeaders, RawRepository } from '../../raw-repository';

jest.setTimeout(600_000);

const MEBIBYTE = 1024 * 1024;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'lineprint-fuzz-git-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const newRepository = (name: string) => new RawRepository(join(directory, name));

const SOURCE = Array.from(
  { length: 30 },
  (_, i) => `  const total${i} = sumOf(entries${i}, (entry) => entry.cents * rates[${i}]);\n`,
).join('');

const inBytes = (path: string) => Buffer.from(path).toString('latin1');

/** Names that git stores and programs trip over, a character for each byte. */
const paths: readonly string[] = [
  ...[
    'src/a.ts',
    'src/b.ts',
    'src/"quoted".ts',
    "src/it's.ts",
    'src/back\\slash.ts',
    'src/tab\there.ts',
    'src/line\nend.ts',
    'src/carriage\r\nreturn.ts',
    'src/ leading and trailing .ts',
    'src/*?[x].ts',
    ':(glob)**.ts',
    '-rf',
    '--help',
    'src/a => b.ts',
    'src/{a => b}/c.ts',
    'src/ü/日本語/🧨.ts',
    'src/e\u0301.ts',
    'src/A.ts',
    'con.ts',
    'a'.repeat(200) + '.ts',
    `${'deep/'.repeat(300)}x.ts`,
    '$(id).ts',
    'x%00y%s.ts',
    '...ts',
    'nul\u0001\u007f.ts',
    '.gitattributes',
    'src/.gitattributes',
  ].map(inBytes),
  'src/caf\xe9.ts',
  '\xff\xfe.ts',
];

const contents: readonly (string | Buffer)[] = [
  '',
  '\n',
  '\n\n\n',
  'no line end',
  SOURCE,
  SOURCE.replaceAll('\n', '\r\n'),
  SOURCE.replaceAll('\n', '\r'),
  SOURCE.split('\n')
    .map((line, i) => line + (i % 2 === 0 ? '\r\n' : '\n'))
    .join(''),
  `\ufeff${SOURCE}`,
  Buffer.from(SOURCE, 'utf16le'),
  Buffer.concat([Buffer.from(SOURCE), Buffer.of(0xff, 0xfe, 0xed, 0xa0, 0x80, 10)]),
  `${SOURCE}\0${SOURCE}`,
  `${SOURCE.repeat(10)}\0\n`,
  '@@ -1 +1 @@\n+++ b/x\n--- a/x\ndiff --git a/x b/x\n\\ No newline at end of file\n',
  `=end ${'0'.repeat(40)}\n:100644 100644 abc def M\tx\n`,
  'x'.repeat(100_000),
  `${'y'.repeat(20_000)}\n${SOURCE}`,
  '}\n'.repeat(3_000),
  '<<<<<<< HEAD\na();\n=======\nb();\n>>>>>>> side\n',
  'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  '*.ts binary diff=x\n[attr]own -text\nsrc/** linguist-generated\n"a b" eol=crlf\n',
];

const authors: readonly string[] = [
  'Ada <ada@example.org> 1780000000 +0000',
  '<ada@example.org> 1780000000 +0000',
  'Ada 1780000000 +0000',
  '',
  '<> 1 +0000',
  '>< 1 +0000',
  `${'A'.repeat(100_000)} <${'a'.repeat(100_000)}@example.org> 1780000000 +0000`,
  `${inBytes(`x${'🧨'.repeat(400)}`)} <${inBytes('🧨'.repeat(400))}> 1780000000 +0000`,
  'J\xf6rg <j\xf6rg@example.org> 1780000000 +0000',
  '\xed\xa0\x80 <\xff@example.org> 1780000000 +0000',
  'Ada <ada@example.org> -1 +0000',
  'Ada <ada@example.org> -99999999999 +0000',
  'Ada <ada@example.org> 253402300799 +0000',
  'Ada <ada@example.org> 253402300800 +0000',
  `Ada <ada@example.org> ${'9'.repeat(30)} +0000`,
  'Ada <ada@example.org> 1780000000 +9999',
  'Ada <ada@example.org> 1e9 -',
  'Ada <ada@example.org>',
  'Ada <ada@example.org> soon',
];

const furtherHeaders: readonly string[] = [
  'encoding ISO-8859-1',
  'encoding no-such-encoding',
  `gpgsig -----BEGIN PGP SIGNATURE-----\n ${'x'.repeat(5_000)}\n -----END PGP SIGNATURE-----`,
  'parent-of nothing\nx-y z',
];

const messages: readonly (string | Buffer)[] = [
  '',
  'x\n'.repeat(100_000),
  Buffer.concat([Buffer.from('a\0b'), Buffer.of(0xff, 0xfe)]),
  `=end ${'1'.repeat(40)}\ndiff --git a/x b/x\n@@ -1 +1 @@\n:100644 100644 a b M\tx\n`,
  `change\n\nCo-authored-by: Claude ${'x'.repeat(5_000)} <noreply@anthropic.com>\n`,
  'change\n\nCo-authored-by: Claude \u{1f9e8}\u0001 <noreply@anthropic.com>\nCo-authored-by:\n',
  ...oddTexts,
];

interface Read extends Pick<HistoryReport, 'skipped'> {
  readonly commits: ReadonlyMap<string, CommitPush>;
}

/** Reads a history as `lineprint backfill` does, and checks what has to hold for every one. */
async function read(repository: RawRepository): Promise<Read> {
  const opened = await openRepository(repository.path);
  const refs = await listCommits(opened);
  const commits = new Map<string, CommitPush>();
  const sink: HistorySink = {
    sendFingerprints: ({ length }) => Promise.resolve({ accepted: length, rejected: [] }),
    sendCommits: (sent) => {
      for (const commit of sent) {
        expectValid(commit);
        commits.set(commit.sha, commit);
      }
      return Promise.resolve({ accepted: sent.length, rejected: [] });
    },
  };
  const report = await sendHistory(refs, {
    repository: opened,
    name: 'fuzz',
    sink,
    lineKey: deriveLineKey(LINE_KEY, 'fuzz'),
    declarations: [],
  });
  expect(commits.size + report.skipped.length).toBe(refs.length);
  expect(await checkAgainstGit(refs, opened, report)).toMatchObject({ equal: true });
  return { skipped: report.skipped, commits };
}

/** It is what the server takes as it is, and no larger than the reader says. */
function expectValid(commit: CommitPush): void {
  const { sha } = commit;
  const parsed = commitPushSchema.safeParse(JSON.parse(JSON.stringify(commit)));
  expect({ sha, fault: parsed.error?.issues[0] }).toEqual({ sha, fault: undefined });
  expect(withinLineLimits(commit)).toEqual(commit);
  expect({ sha, contradiction: commitInconsistency(commit) }).toEqual({ sha, contradiction: undefined });
  expect(commit.files.reduce((sum, file) => sum + charactersOf(file), 0)).toBeLessThanOrEqual(8 * MEBIBYTE);
}

function charactersOf({ content = '', hunks }: CommitFile): number {
  const lines = hunks.flatMap(({ removed, added = [] }) => [...removed, ...added]);
  return lines.reduce((sum, line) => sum + line.length + 1, content.length);
}

fuzz(
  'a history of odd names, contents, people and modes is read as git counts it',
  6,
  async (random, number) => {
    const repository = newRepository(`random-${number}`);
    const files = new Map<string, RawEntry>();
    const texts = new Map<string, string>();
    const shas: string[] = [];
    for (let commits = 0; commits < 25; commits++) {
      for (let left = random.between(0, 4); left > 0; left--) change(repository, files, texts, random);
      const headers: RawHeaders = {
        ...maybe(random, 'author', authors),
        ...maybe(random, 'committer', authors),
        ...maybe(random, 'more', furtherHeaders),
        ...(shas.length > 3 && random.between(0, 5) === 0
          ? {
              parents: [
                shas.at(-1)!,
                ...Array.from({ length: random.between(1, 5) }, () => random.pick(shas)),
              ],
            }
          : {}),
      };
      shas.push(repository.commit(repository.tree(files), random.pick(messages), headers));
    }
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([]);
    // What a commit says does not depend on what is read before it.
    const alone = random.shuffle(shas).slice(0, 10);
    for await (const item of readCommits(await openRepository(repository.path), alone, {
      declarations: [],
    })) {
      if (item.kind === 'skipped') throw new Error(item.reason);
      expect({ ...item.commit, repository: 'fuzz' }).toEqual(commits.get(item.commit.sha));
    }
  },
);

function maybe<K extends string>(
  random: SeededRandom,
  name: K,
  values: readonly string[],
): Partial<Record<K, string>> {
  return random.between(0, 2) > 0 ? {} : ({ [name]: random.pick(values) } as Record<K, string>);
}

function change(
  repository: RawRepository,
  files: Map<string, RawEntry>,
  texts: Map<string, string>,
  random: SeededRandom,
): void {
  const path = random.pick(paths);
  // A file and a folder of one name cannot both be there.
  if ([...files.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`))) return;
  const put = (content: string | Buffer) => {
    texts.set(path, content.toString());
    files.set(path, repository.blob(content, random.pick(['100644', '100755'])));
  };
  switch (random.between(0, 7)) {
    case 0:
      files.delete(path);
      break;
    case 1:
      files.set(path, repository.blob('src/a.ts', '120000'));
      break;
    case 2:
      files.set(path, { mode: '160000', id: 'a'.repeat(40) });
      break;
    case 3: {
      const [other] = files;
      if (other === undefined || other[0] === path) break;
      files.delete(other[0]);
      files.set(path, other[1]);
      break;
    }
    case 4:
    case 5:
      put(mutatedText(texts.get(path) ?? SOURCE, random));
      break;
    default:
      put(random.pick(contents));
  }
}

describe('a history', () => {
  it('of people, times and messages that no git writes is read whole', async () => {
    const repository = newRepository('people');
    const tree = repository.tree(new Map([['a.ts', repository.blob(SOURCE)]]));
    for (const author of authors) repository.commit(tree, 'change', { author, committer: author });
    for (const more of furtherHeaders) repository.commit(tree, 'change', { more });
    for (const message of messages) repository.commit(tree, message);
    const longer = repository.blob(SOURCE + SOURCE.replaceAll('total', 'sum'));
    const last = repository.commit(repository.tree(new Map([['a.ts', longer]])));
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([]);
    expect(commits.get(last)!.files).toMatchObject([{ path: 'a.ts', addedLines: 30 }]);
  });

  it('with a message of more than 8 MiB goes on behind it', async () => {
    const repository = newRepository('messages');
    const tree = repository.tree(new Map([['a.ts', repository.blob(SOURCE)]]));
    const lines = repository.commit(tree, `${'x'.repeat(99)}\n`.repeat(90_000));
    const line = repository.commit(tree, 'x'.repeat(5 * MEBIBYTE));
    repository.commit(tree);
    expect((await read(repository)).skipped).toEqual([
      { sha: lines, reason: 'the commit message has more than 8 MiB' },
      { sha: line, reason: 'the commit message has a line of more than 4 MiB' },
    ]);
  });

  it('of merges with many parents, of one twice and of nothing is counted as git counts it', async () => {
    const repository = newRepository('merges');
    const tree = repository.tree(new Map([['a.ts', repository.blob(SOURCE)]]));
    const root = repository.commit(tree);
    const sides = Array.from({ length: 70 }, (_, i) =>
      repository.commit(tree, `side ${i}`, { parents: [root] }),
    );
    const octopus = repository.commit(tree, 'octopus', { parents: sides.slice(0, 64) });
    const many = repository.commit(tree, 'too many parents', { parents: sides });
    repository.commit(tree, 'one parent twice', { parents: [octopus, many, root, root] });
    repository.commit(repository.tree(new Map()), 'nothing left');
    repository.commit(tree, 'two roots', { parents: [] });
    repository.commit(tree, 'both', { parents: [octopus, sides[69]!] });
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([]);
    expect(commits.get(octopus)!.parents).toHaveLength(64);
  });

  it('of trees that no git writes is read as far as it goes, and says what it left out', async () => {
    const repository = newRepository('trees');
    const blob = repository.blob(SOURCE);
    repository.commit(repository.rawTree([['a.ts', blob]]));
    const names = [
      ['..'],
      ['.git'],
      ['../../x.ts'],
      ['.'],
      [''],
      ['a.ts', 'a.ts'],
      ['z.ts', 'b.ts'],
      ['/etc/passwd'],
      [`${'long/'.repeat(2_000)}x.ts`],
    ];
    const deep = repository.commit(
      repository.tree(new Map([[`${'deep/'.repeat(1_000)}x.ts`, blob]])),
      'a long path',
    );
    const odd = names.map((some) => repository.commit(repository.rawTree(some.map((name) => [name, blob]))));
    const broken = [
      repository.commit('b'.repeat(40), 'a tree that is missing'),
      repository.commit(repository.object('tree', 'rubbish'), 'a tree that is rubbish'),
      repository.commit(
        repository.rawTree([['a.ts', { ...blob, id: 'c'.repeat(40) }]]),
        'a file that is missing',
      ),
      repository.commit(
        repository.rawTree([['a.ts', { mode: '100644', id: odd[0]! }]]),
        'a file that is a commit',
      ),
    ];
    const last = repository.commit(repository.rawTree([['a.ts', blob]]));
    const end = repository.commit(repository.rawTree([['a.ts', repository.blob(`${SOURCE}tail();\n`)]]));
    const { skipped, commits } = await read(repository);
    expect(skipped[0]).toEqual({ sha: deep, reason: 'a path of more than 4096 characters' });
    for (const { sha, reason } of skipped) {
      expect([deep, ...odd, ...broken, last]).toContain(sha);
      expect(reason).not.toBe('');
    }
    expect(skipped.map(({ sha }) => sha)).toEqual(expect.arrayContaining(broken.slice(0, 3)));
    expect(commits.get(end)!.files).toMatchObject([{ path: 'a.ts', addedLines: 1 }]);
  });

  it('is that of its objects, whatever replace refs, grafts and settings say', async () => {
    const repository = newRepository('replaced');
    const commit = (text: string) =>
      repository.commit(repository.tree(new Map([['a.ts', repository.blob(text)]])));
    const first = commit(SOURCE);
    const second = commit(`${SOURCE}tail();\n`);
    const third = commit(SOURCE.repeat(3));
    repository.write(`refs/replace/${second}`, `${first}\n`);
    repository.write('info/grafts', `${third}\n`);
    repository.write('shallow', `${second}\n`);
    repository.write(
      'config',
      '[core]\n\tbare = true\n\tattributesFile = /dev/zero\n\tabbrev = 4\n\tquotePath = true\n' +
        '[diff]\n\texternal = false\n\talgorithm = patience\n\tcontext = 9\n\tnoprefix = true\n\tsubmodule = log\n' +
        '[color]\n\tui = always\n\tdiff = always\n[log]\n\tshowSignature = true\n\tdate = relative\n',
    );
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([]);
    expect(commits.get(second)!.files).toMatchObject([{ addedLines: 1 }]);
    expect(commits.get(third)!.files).toMatchObject([{ addedLines: 60 }]);
  });

  it('with a commit of more than 100,000 files goes on behind it', async () => {
    const repository = newRepository('many-files');
    const small = repository.blob('x();\n');
    const files = new Map(Array.from({ length: 100_001 }, (_, i) => [`src/${i % 300}/m${i}.ts`, small]));
    const many = repository.commit(repository.tree(files));
    const folder = repository.tree(new Map([['a.ts', repository.blob(SOURCE)]]));
    const last = repository.commit(repository.tree(files.set('more', { mode: '40000', id: folder })));
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([{ sha: many, reason: 'more than 100000 files' }]);
    expect(commits.get(last)!.files).toMatchObject([{ path: 'more/a.ts', addedLines: 30 }]);
  });

  it('with a line of 5 MB, a million lines and a text of 9 MB says that they are too large', async () => {
    const repository = newRepository('large');
    const large = {
      'line.ts': `x = "${'a b,'.repeat(1.3 * MEBIBYTE)}";\n`,
      'lines.ts': 'x += 1;\n'.repeat(1_000_000),
      'text.ts': `${'x'.repeat(99)}\n`.repeat(90_000),
    };
    const files = new Map([['a.ts', repository.blob(SOURCE)]]);
    const shas = Object.entries(large).map(([path, text]) =>
      repository.commit(repository.tree(files.set(path, repository.blob(text)))),
    );
    repository.commit(repository.tree(new Map()), 'all gone');
    const { skipped, commits } = await read(repository);
    expect(skipped).toEqual([]);
    Object.entries(large).forEach(([path, text], i) => {
      expect(commits.get(shas[i]!)!.files.find((file) => file.path === path)).toMatchObject({
        excluded: 'too-large',
        addedLines: text.split('\n').length - 1,
        hunks: [],
      });
    });
  });

  it('with a merge of more edits than a commit carries says nothing of where its lines come from', async () => {
    const repository = newRepository('edits');
    const lines = Array.from({ length: 120_000 }, (_, i) => `call(${i});\n`);
    const text = (change: (line: string, i: number) => string) => repository.blob(lines.map(change).join(''));
    const tree = (entry: RawEntry) => repository.tree(new Map([['a.ts', entry]]));
    const left = repository.commit(tree(text((line) => line)));
    const other = text((line, i) => (i % 2 === 0 ? line : `other(${i});\n`));
    const right = repository.commit(tree(other), 'right', { parents: [] });
    const merge = repository.commit(tree(other), 'merge', { parents: [left, right] });
    const mixed = text((line, i) => (i % 2 === 0 ? line : `third(${i});\n`));
    const own = repository.commit(tree(mixed), 'own', { parents: [merge, right] });
    const { commits } = await read(repository);
    expect(commits.has(merge)).toBe(true);
    expect(commits.get(own)).not.toHaveProperty('merged');
  });
});
