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
