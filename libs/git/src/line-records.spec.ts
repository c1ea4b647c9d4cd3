import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineRecords } from './line-records';
import { openRepository } from './repository';

jest.setTimeout(60_000);

const noteOf = (path: string, ranges: string) =>
  `${path}\n  s_00112233445566::t_00112233445566 ${ranges}\n---\n${JSON.stringify({
    schema_version: 'authorship/3.0.0',
    sessions: { s_00112233445566: { agent_id: { tool: 'claude', id: '1', model: 'm' } } },
  })}`;

describe('records beside commits', () => {
  const path = mkdtempSync(join(tmpdir(), 'lineprint-records-'));
  afterAll(() => rmSync(path, { recursive: true, force: true }));

  const git = (args: string[], input = '') =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: path,
      encoding: 'utf8',
      input,
    }).trim();
  const commit = (text: string) => {
    writeFileSync(join(path, 'a.ts'), text);
    git(['add', '-A']);
    git(['commit', '-q', '-m', 'change']);
    return git(['rev-parse', 'HEAD']);
  };
  const note = (sha: string, text: string) =>
    git(['notes', '--ref', 'ai', 'add', '-f', '-F', '-', sha], text);
  const open = async (traces?: string) => LineRecords.open(await openRepository(path), traces);
  const traceOf = (revision: string, file: string, start_line: number) =>
    `${JSON.stringify({
      ...{ version: '0.1.0', id: '1', timestamp: '2026-11-04T08:00:00Z', vcs: { type: 'git', revision } },
      files: [
        {
          path: file,
          conversations: [{ contributor: { type: 'ai' }, ranges: [{ start_line, end_line: start_line }] }],
        },
      ],
    })}\n`;

  let first: string;
  let second: string;
  beforeAll(() => {
    git(['init', '-q', '-b', 'main']);
    first = commit('a\n');
    second = commit('b\n');
  });

  it('are none in a repository without notes and traces', async () => {
    const records = await open();
    expect(records.commits()).toEqual(new Set());
    expect(await records.of(first)).toBeUndefined();
    records.close();
  });

  it('are git-ai’s notes, spread over folders or not, and traces; of a file that both name the note', async () => {
    note(first, noteOf('a.ts', '1-2'));
    // So many that git spreads them.
    const blob = git(['hash-object', '-w', '--stdin'], 'no note of git-ai');
    const others = Array.from({ length: 300 }, (_, i) => (i * 7919 + 4096).toString(16).padStart(40, '0'));
    git(['notes', '--ref', 'ai', 'add', '-f', '-C', blob, second]);
    const entries = others.map((sha) => `100644 blob ${blob}\t${sha.slice(0, 2)}/${sha.slice(2)}\n`);
    const tree = git(['ls-tree', '-r', 'refs/notes/ai']);
    const flat = tree.split('\n').map((line) => `${line}\n`);
    git(['read-tree', '--empty']);
    git(
      ['update-index', '--index-info'],
      [...entries, ...flat].map((line) => line.replace(/^(\d+) blob (\S+)\t/, '$1 $2\t')).join(''),
    );
    const spread = git(['write-tree']);
    git(['update-ref', 'refs/notes/ai', git(['commit-tree', spread, '-m', 'notes'])]);
    git(['read-tree', 'HEAD']);
    const records = await open(
      traceOf(first, 'a.ts', 7) + traceOf(first, 'b.ts', 3) + traceOf(second, 'b.ts', 1),
    );
    expect(records.commits()).toEqual(new Set([...others, first, second]));
    expect(await records.of(first)).toEqual(
      new Map([
        ['b.ts', [{ start: 2, count: 1, kind: 'P', source: 'agent' }]],
        ['a.ts', [{ start: 0, count: 2, kind: 'P', source: 'agent', model: 'm' }]],
      ]),
    );
    expect(await records.of(second)).toEqual(
      new Map([['b.ts', [{ start: 0, count: 1, kind: 'P', source: 'agent' }]]]),
    );
    expect(await records.of(others[0]!)).toBeUndefined();
    records.close();
  });
});
