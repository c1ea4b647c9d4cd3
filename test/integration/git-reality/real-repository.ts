import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { captureEdit } from '@lineprint/capture';
import type { CodeFingerprint } from '@lineprint/contracts';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { listCommits, openRepository, readCommits } from '@lineprint/git';
import type { Row } from '@lineprint/persistence';
import { embeddedPipeline, Organisation, type Pipeline } from '../../pipeline';
import { LINE_KEY } from '../../programs';

const START = 1_780_000_000;
const MINUTE = 60;

/** Nine lines that only an assistant wrote, of their own for each subject. */
export const suggested = (subject: string) =>
  [
    `export async function load${subject}(${subject}Store: Store, limit: number) {`,
    `  const ${subject}Rows = await ${subject}Store.query('select_${subject}', limit);`,
    `  const fresh${subject} = ${subject}Rows.filter((row) => row.${subject}Age < 30);`,
    `  if (fresh${subject}.length === 0) throw new Empty${subject}Error(limit);`,
    `  const by${subject}Owner = groupBy(fresh${subject}, (row) => row.${subject}Owner);`,
    `  ${subject}Store.remember(by${subject}Owner, fresh${subject}.map((row) => row.${subject}Id));`,
    `  audit.note('${subject}', by${subject}Owner.size, Date.now());`,
    `  return by${subject}Owner;`,
    `}`,
  ]
    .map((line) => `${line}\n`)
    .join('');

/** Five lines that a person typed, of their own for each subject. */
export const typed = (subject: string) =>
  [
    `class ${subject}Panel extends Panel {`,
    `  private open${subject} = false;`,
    `  toggle${subject} = () => (this.open${subject} = !this.open${subject});`,
    `  title${subject}() { return this.open${subject} ? 'less of ${subject}' : 'more of ${subject}'; }`,
    `}`,
  ]
    .map((line) => `${line}\n`)
    .join('');

interface ExportedFile {
  readonly path: string;
  readonly added_lines: number;
  readonly blank_lines: number;
  readonly inherited: readonly {
    readonly count: number;
    readonly how: string;
    readonly fromCommit?: string;
  }[];
  readonly excluded: string | null;
  readonly results: readonly {
    readonly evidence: string;
    readonly ai_preserved_lines: number;
    readonly ai_modified_lines: number;
    readonly human_new_lines: number;
  }[];
}

interface ExportedCommit {
  readonly sha: string;
  readonly user_id: string;
  readonly authored_at: string;
  readonly declared_tool: string | null;
  readonly files: readonly ExportedFile[];
}

interface ExportedDay {
  readonly date: string;
  readonly total_lines: number;
  readonly ai_preserved_lines: number;
  readonly ai_modified_lines: number;
  readonly human_new_lines: number;
}

/** One running Lineprint, and repositories whose histories do not meet in it: each has an organisation of its own. */
export class Workbench {
  readonly directory = mkdtempSync(join(tmpdir(), 'lineprint-git-reality-'));
  private repositories = 0;

  private constructor(private readonly pipeline: Pipeline) {}

  /** @param settings further variables of the services */
  static async start(settings: Record<string, string> = {}): Promise<Workbench> {
    return new Workbench(await embeddedPipeline(settings));
  }

  async repository(options: readonly string[] = []): Promise<RealRepository> {
    const name = `case-${++this.repositories}`;
    const organisation = await Organisation.create(this.pipeline, name);
    return new RealRepository(join(this.directory, name), organisation, options);
  }

  async stop(): Promise<void> {
    await this.pipeline.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** A repository made by git, an assistant that works in it, and what Lineprint says of its commits. */
export class RealRepository {
  private seconds = START;
  private readonly lineKey: LineKey;
  private accepted: CodeFingerprint[] = [];
  private toolCalls = 0;
  private snippets = 0;
  private readonly pushed = new Set<string>();
  /** What branches were told to name. */
  private readonly named = new Map<string, string>();
  /** Commits that could not be read when they were pushed, and why. */
  readonly skipped = new Map<string, string>();

  constructor(
    readonly path: string,
    private readonly organisation: Organisation,
    options: readonly string[],
  ) {
    this.lineKey = deriveLineKey(LINE_KEY, organisation.keyId);
    mkdirSync(path, { recursive: true });
    this.git('init', '-q', '-b', 'main', ...options);
  }

  /** Runs git in the working tree, a minute after the last time. @returns what it printed, without its last line end */
  git(...args: string[]): string {
    return this.gitWith({}, ...args);
  }

  /** @param settings of the environment, over those that make a commit the same in every run */
  gitWith(settings: Record<string, string> & { input?: string }, ...args: string[]): string {
    const { input = '', ...environment } = settings;
    this.seconds += MINUTE;
    const date = `${this.seconds} +0000`;
    return execFileSync('git', args, {
      cwd: this.path,
      encoding: 'utf8',
      input,
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
      env: {
        PATH: process.env['PATH'],
        HOME: this.path,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_EDITOR: 'true',
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.org',
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
        GIT_COMMITTER_DATE: date,
        ...environment,
      },
    }).replace(/\n$/, '');
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.path, path)), { recursive: true });
    writeFileSync(join(this.path, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.path, path), 'utf8');
  }

  /**
   * The assistant writes a file, and its client captures what that changed.
   * @param encoding how the file is stored; the assistant sees text
   */
  accept(path: string, after: string, encoding: BufferEncoding = 'utf8'): void {
    let before = '';
    try {
      before = readFileSync(join(this.path, path), encoding);
    } catch {
      // A new file.
    }
    this.capture(path, before, after);
    this.write(path, Buffer.from(after, encoding));
  }

  /** The assistant changes a text; nothing is written. */
  capture(path: string, before: string, after: string): void {
    this.seconds += MINUTE;
    this.accepted.push(
      ...captureEdit({
        ...{ path, before, after, source: 'agent', sessionId: 'session', userId: 'ada@example.org' },
        ...{ toolCallIndex: this.toolCalls++, repository: 'repository', timestamp: this.seconds * 1000 },
        lineKey: this.lineKey,
      }),
    );
  }

  /** Commits everything. @returns its id */
  commit(message = 'change', ...options: string[]): string {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message, ...options);
    return this.head();
  }

  head(name = 'HEAD'): string {
    return this.git('rev-parse', name);
  }

  /**
   * Sends what was accepted, and the commits of a branch or range that were not sent before, oldest first. Waits until
   * they are judged.
   * @param at another clone
   */
  async push(wanted = 'HEAD', at = this.path): Promise<void> {
    const repository = await openRepository(at);
    const refs = await listCommits(repository, wanted.includes('..') ? { range: wanted } : { ref: wanted });
    const shas = refs.map(({ sha }) => sha).filter((sha) => !this.pushed.has(sha));
    if (this.accepted.length > 0) await this.organisation.client.sendFingerprints(this.accepted);
    this.snippets += this.accepted.length;
    this.accepted = [];
    for await (const read of readCommits(repository, shas)) {
      if (read.kind === 'skipped') {
        this.skipped.set(read.sha, read.reason);
        continue;
      }
      const { rejected } = await this.organisation.client.sendCommits([
        { ...read.commit, repository: 'repository' },
      ]);
      if (rejected.length > 0) throw new Error(`${read.commit.sha} was refused: ${rejected[0]!.detail}`);
      this.pushed.add(read.commit.sha);
    }
    await this.organisation.settled(this.pushed.size, this.snippets);
  }

  /**
   * Says what a branch names, as a push of it does. `main` is the default branch.
   * @param sha null where it was deleted
   * @param before what it named before as far as the pusher knew; null where it did not know
   */
  async tell(
    branch = 'main',
    sha: string | null = this.head(branch),
    before: string | null = this.named.get(branch) ?? null,
  ): Promise<void> {
    await this.organisation.client.sendRefs({
      repository: 'repository',
      refs: [
        {
          ref: `refs/heads/${branch}`,
          sha,
          isDefault: branch === 'main',
          ...(before === null ? {} : { before }),
        },
      ],
    });
    if (sha === null) this.named.delete(branch);
    else this.named.set(branch, sha);
  }

  /** Waits until it is known what a branch names; what was told before is known then, too. */
  async isTold(branch = 'main', sha = this.named.get(branch) ?? null): Promise<void> {
    await this.organisation.named('repository', branch, sha);
    await this.organisation.settled(this.pushed.size, this.snippets);
  }

  /** Waits until the ledger of lines has nothing left to do. */
  ledgerKept(): Promise<void> {
    return this.organisation.ledgerKept();
  }

  /** Rows of the database. @param sql with the organisation's id as $1 */
  rows<R extends Row>(sql: string): Promise<R[]> {
    return this.organisation.rows<R>(sql);
  }

  /** What is beside all totals: lines of commits that no counted branch leads to. */
  async provisional(): Promise<string> {
    const { provisional } = JSON.parse(await this.organisation.get('/api/v1/summary')) as {
      provisional: { lines: Record<'preserved' | 'modified' | 'human', number> };
    };
    const { preserved, modified, human } = provisional.lines;
    return outcome([
      [preserved, 'ai'],
      [modified, 'changed'],
      [human, 'human'],
    ]);
  }

  /** What became of the lines that a commit adds, by path: `9 ai, 1 copied`, `excluded: symlink`, or `nothing`. */
  async verdict(sha: string): Promise<Record<string, string>> {
    const { files } = await this.exportedCommit(sha);
    return Object.fromEntries(files.map((file) => [file.path, outcomeOf(file)]));
  }

  async exportedCommit(sha: string): Promise<ExportedCommit> {
    const commit = (await this.exported<ExportedCommit>('commit')).find((other) => other.sha === sha);
    if (!commit) throw new Error(`there is no verdict on ${sha}`);
    return commit;
  }

  /** The commits that lines of a commit are copies from. */
  async originals(sha: string): Promise<string[]> {
    const { files } = await this.exportedCommit(sha);
    const commits = files.flatMap(({ inherited }) => inherited.flatMap(({ fromCommit }) => fromCommit ?? []));
    return [...new Set(commits)];
  }

  /** What dashboards sum up, over all days. */
  async counted(): Promise<string> {
    const days = await this.days();
    const sum = (field: Exclude<keyof ExportedDay, 'date'>) =>
      days.reduce((total, day) => total + day[field], 0);
    return outcome([
      [sum('ai_preserved_lines'), 'ai'],
      [sum('ai_modified_lines'), 'changed'],
      [sum('human_new_lines'), 'human'],
    ]);
  }

  /** All that is exported, as it is. */
  exports(): Promise<string> {
    return this.organisation.export();
  }

  /** What the read API answers. */
  async answer<T>(path: string): Promise<T> {
    return JSON.parse(await this.organisation.get(path)) as T;
  }

  days(): Promise<ExportedDay[]> {
    return this.exported<ExportedDay>('daily');
  }

  private async exported<T>(type: string): Promise<T[]> {
    return (await this.organisation.export())
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row) as { type: string })
      .filter((row) => row.type === type) as T[];
  }
}

function outcomeOf(file: ExportedFile): string {
  if (file.excluded !== null) return `excluded: ${file.excluded}`;
  const sum = (field: 'ai_preserved_lines' | 'ai_modified_lines' | 'human_new_lines') =>
    file.results.reduce((total, result) => total + result[field], 0);
  return outcome([
    [sum('ai_preserved_lines'), 'ai'],
    [sum('ai_modified_lines'), 'changed'],
    [sum('human_new_lines'), 'human'],
    [inheritedOf(file, false), 'inherited'],
    [inheritedOf(file, true), 'copied'],
    [file.blank_lines, 'blank'],
  ]);
}

function inheritedOf({ inherited }: ExportedFile, copied: boolean): number {
  const ranges = inherited.filter(({ how }) => (how === 'copied') === copied);
  return ranges.reduce((total, { count }) => total + count, 0);
}

function outcome(counts: readonly (readonly [number, string])[]): string {
  const said = counts.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  return said.length > 0 ? said.join(', ') : 'nothing';
}
