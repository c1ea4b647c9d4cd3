import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';

/** What a tree has under a name. */
export interface RawEntry {
  /** Octal, as `100644`. */
  readonly mode: string;
  /** Id of an object, whether there is one or not. */
  readonly id: string;
}

/** Headers of a commit in place of those that git would write, as Latin-1. */
export interface RawHeaders {
  readonly author?: string;
  readonly committer?: string;
  /** One or more further lines. */
  readonly more?: string;
  readonly parents?: readonly string[];
}

const bytesOf = (content: string | Buffer) => (typeof content === 'string' ? Buffer.from(content) : content);

/** A bare repository whose objects are written byte by byte, also such as no git writes. */
export class RawRepository {
  private seconds = 1_780_000_000;
  private tip: string | undefined;

  constructor(readonly path: string) {
    mkdirSync(path);
    const env = { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' };
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main'], { cwd: path, env });
  }

  object(type: 'blob' | 'commit' | 'tree', content: string | Buffer): string {
    const body = bytesOf(content);
    const bytes = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body]);
    const id = createHash('sha1').update(bytes).digest('hex');
    this.write(`objects/${id.slice(0, 2)}/${id.slice(2)}`, deflateSync(bytes, { level: 1 }));
    return id;
  }

  blob(content: string | Buffer, mode = '100644'): RawEntry {
    return { mode, id: this.object('blob', content) };
  }

  /** @param files by their paths, whose characters stand for bytes (Latin-1) */
  tree(files: ReadonlyMap<string, RawEntry>): string {
    const entries: (readonly [string, RawEntry])[] = [];
    const folders = new Map<string, Map<string, RawEntry>>();
    for (const [path, entry] of files) {
      const slash = path.indexOf('/');
      if (slash < 0) {
        entries.push([path, entry]);
        continue;
      }
      const name = path.slice(0, slash);
      const inner = folders.get(name) ?? new Map<string, RawEntry>();
      folders.set(name, inner.set(path.slice(slash + 1), entry));
    }
    for (const [name, inner] of folders) entries.push([name, { mode: '40000', id: this.tree(inner) }]);
    const place = ([name, { mode }]: readonly [string, RawEntry]) => (mode === '40000' ? `${name}/` : name);
    entries.sort((a, b) => (place(a) < place(b) ? -1 : 1));
    return this.rawTree(entries);
  }

  /** A tree of names as they are given, sorted or not. */
  rawTree(entries: readonly (readonly [string, RawEntry])[]): string {
    const parts = entries.flatMap(([name, { mode, id }]) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(id, 'hex'),
    ]);
    return this.object('tree', Buffer.concat(parts));
  }

  /** A commit, as a child of the last one; `main` names it. @returns its id */
  commit(tree: string, message: string | Buffer = 'change', headers: RawHeaders = {}): string {
    const who = `Ada <ada@example.org> ${(this.seconds += 60)} +0000`;
    const parents = headers.parents ?? (this.tip === undefined ? [] : [this.tip]);
    const head = [
      `tree ${tree}`,
      ...parents.map((parent) => `parent ${parent}`),
      `author ${headers.author ?? who}`,
      `committer ${headers.committer ?? who}`,
      ...(headers.more === undefined ? [] : [headers.more]),
    ];
    const text = [Buffer.from(`${head.join('\n')}\n\n`, 'latin1'), bytesOf(message)];
    this.tip = this.object('commit', Buffer.concat(text));
    this.write('refs/heads/main', `${this.tip}\n`);
    return this.tip;
  }

  /** @param file relative to the git directory */
  write(file: string, content: string | Buffer): void {
    mkdirSync(join(this.path, file, '..'), { recursive: true });
    writeFileSync(join(this.path, file), content);
  }
}
