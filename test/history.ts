import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';

interface Language {
  readonly file: (n: number) => string;
  readonly lines: (name: string, words: () => string) => string[];
}

const LANGUAGES: readonly Language[] = [
  {
    file: (n) => `service/module_${n}.py`,
    lines: (name, word) => [
      `def ${name}(${word()}, ${word()}):`,
      `    ${word()} = load_${word()}(${word()}.${word()}, "${word()}")`,
      `    if ${word()} is None or len(${word()}) > ${word().length * 7}:`,
      `        raise ValueError(f"${word()} {${word()}} of ${word()}")`,
      `    return [${word()}(item, ${word()}=${word()}) for item in ${word()}]`,
      '',
    ],
  },
  {
    file: (n) => `web/panel-${n}.ts`,
    lines: (name, word) => [
      `export function ${name}(${word()}: string, ${word()}: number): ${word()}[] {`,
      `  const ${word()} = ${word()}.map((${word()}) => ${word()}.${word()} ?? '${word()}');`,
      `  // keeps the ${word()} of each ${word()}`,
      `  return ${word()}.filter(({ ${word()} }) => ${word()} === ${word()});`,
      '}',
      '',
    ],
  },
  {
    file: (n) => `cmd/tool${n}.go`,
    lines: (name, word) => [
      `func ${name}(${word()} string) (${word()}, error) {`,
      `\t${word()}, err := ${word()}.Open${word()}(${word()}, "${word()}")`,
      '\tif err != nil {',
      `\t\treturn nil, fmt.Errorf("${word()}: %w", err)`,
      '\t}',
      `\treturn ${word()}.Collect(${word()}), nil`,
      '}',
      '',
    ],
  },
];

const SYLLABLES = [
  'ka',
  'lo',
  'mi',
  'ren',
  'sto',
  'vel',
  'pin',
  'dar',
  'que',
  'tor',
  'nex',
  'bul',
  'fen',
  'gra',
];
const PEOPLE = ['Ada Berg', 'Ben Cole', 'Cleo Dias', 'Dana Eck'];

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Makes a git repository with a straight history of `commits` commits: some by an assistant that commits
 * under its own name (and so declares itself), the others by people who change, delete and add lines, and bring
 * back what was deleted: that is where an earlier snippet is the only place that a line stands in.
 * The same seed gives the same ids.
 */
export async function generateHistory(directory: string, commits: number, seed: number): Promise<void> {
  const random = generator(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const word = () => pick(SYLLABLES) + pick(SYLLABLES) + (random() < 0.4 ? pick(SYLLABLES) : '');
  const files = new Map<string, string[]>();
  const deleted: string[][] = [];
  const stream: string[] = [];
  const start = Date.UTC(2026, 0, 5, 9) / 1000;
  for (let n = 0; n < commits; n++) {
    const language = pick(LANGUAGES);
    const path = language.file(Math.floor(random() * 8));
    const lines = [...(files.get(path) ?? [])];
    const assistant = random() < 0.4;
    if (!assistant && deleted.length > 0 && random() < 0.2) {
      lines.push(...deleted.shift()!);
    } else if (!assistant && lines.length > 20 && random() < 0.3) {
      deleted.push(lines.splice(Math.floor(random() * (lines.length - 12)), 12));
    } else if (assistant || lines.length < 6 || random() < 0.3) {
      const added = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
        language.lines(word(), word),
      ).flat();
      lines.splice(random() < 0.5 ? lines.length : 0, 0, ...added);
    } else {
      for (let edit = 0; edit < 1 + random() * 3; edit++) {
        const at = Math.floor(random() * lines.length);
        const what = random();
        if (what < 0.5) lines[at] = lines[at]!.replace(/[a-z]{4,}/, word());
        else if (what < 0.7) lines.splice(at, 1);
        else lines.splice(at, 0, language.lines(word(), word)[1]!);
      }
    }
    files.set(path, lines);
    const person = pick(PEOPLE);
    const mail = `${person.split(' ')[0]!.toLowerCase()}@example.com`;
    const author = `${person}${assistant ? ' (aider)' : ''} <${mail}> ${start + n * 1800} +0000`;
    const message = `Change ${n}`;
    const text = lines.length > 0 ? `${lines.join('\n')}\n` : '';
    stream.push(
      'commit refs/heads/main',
      `author ${author}`,
      `committer ${author}`,
      `data ${message.length}`,
      message,
      `M 100644 inline ${path}`,
      `data ${Buffer.byteLength(text)}`,
      text,
    );
  }
  await mkdir(directory, { recursive: true });
  await git(directory, ['init', '--quiet', '--initial-branch=main', '.']);
  await git(directory, ['fast-import', '--quiet'], `${stream.join('\n')}\n`);
}

async function git(directory: string, args: readonly string[], input = ''): Promise<void> {
  const child = spawn('git', args, { cwd: directory, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
}
