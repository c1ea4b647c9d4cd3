import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const settings = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', PATH: process.env['PATH'] };

/** A git repository with a working tree; each commit is a minute after the one before it. */
export class TestRepository {
  private minute = 0;

  constructor(readonly path: string) {
    mkdirSync(path, { recursive: true });
    this.git(['init', '-q', '-b', 'main']);
  }

  git(args: readonly string[], options: { author?: string; input?: string } = {}): string {
    const [, name, email] = /^(.*) <(.*)>$/.exec(options.author ?? 'Ada <ada@example.org>')!;
    const date = `${1_780_000_000 + 60 * this.minute} +0000`;
    return execFileSync('git', ['-C', this.path, ...args], {
      encoding: 'utf8',
      input: options.input ?? '',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...settings,
        GIT_AUTHOR_NAME: name,
        GIT_AUTHOR_EMAIL: email,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.org',
        GIT_COMMITTER_DATE: date,
      },
    }).trim();
  }

  /** Writes files and commits everything. @returns the commit's id */
  commit(message: string, files: Record<string, string> = {}, author?: string): string {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.path, file)), { recursive: true });
      writeFileSync(join(this.path, file), text);
    }
    this.minute++;
    this.git(['add', '-A']);
    this.git(['commit', '-q', '--allow-empty', '-m', message], author === undefined ? {} : { author });
    return this.git(['rev-parse', 'HEAD']);
  }

  /** Takes an object out of the clone, as a partial or damaged one lacks it. */
  lose(name: string): string {
    const id = this.git(['rev-parse', name]);
    rmSync(join(this.path, '.git', 'objects', id.slice(0, 2), id.slice(2)));
    return id;
  }
}

/**
 * A bare repository with a history of `count` commits on one branch: an assistant writes a file, people then
 * change some of its lines, in turn. The same for the same count.
 */
export function generateHistory(path: string, count: number): void {
  mkdirSync(path, { recursive: true });
  const git = (args: string[], input = '') =>
    execFileSync('git', ['-C', path, ...args], { input, env: settings, stdio: ['pipe', 'ignore', 'pipe'] });
  git(['init', '-q', '--bare', '-b', 'main']);
  const text = (value: string) => `data ${Buffer.byteLength(value)}\n${value}\n`;
  const commits = Array.from({ length: count }, (_, index) => {
    const author =
      index % 2 === 0 ? 'Ada (aider) <ada@example.org>' : `Bo ${index % 3} <bo${index % 3}@example.org>`;
    const when = `${1_780_000_000 + 60 * index} +0000`;
    return [
      'commit refs/heads/main',
      `author ${author} ${when}`,
      `committer ${author} ${when}`,
      text(`Change ${index}`) + `M 100644 inline src/part-${Math.floor(index / 2)}.py`,
      text(functions(Math.floor(index / 2), index % 2)),
    ].join('\n');
  });
  git(['fast-import', '--quiet'], commits.join('\n'));
}

/** Twelve lines of Python that differ from file to file; of the second edition, three are changed. */
function functions(file: number, edition: number): string {
  return Array.from({ length: 4 }, (_, index) => {
    const name = `step_${file}_${index}`;
    const start =
      edition > 0 && index < 3 ? `total = weights.get("${name}", ${index})` : `total = ${file * 7 + index}`;
    return `def ${name}(rows, weights):\n    ${start}\n    return total + sum(row.amount * weights["${name}"] for row in rows)\n`;
  }).join('');
}
