import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  attributeCommit,
  changedLines,
  encodeOccurrences,
  encodeTokenBits,
  inheritedLines,
  type Snippet,
} from '@lineprint/attribution';
import { captureEdit } from '@lineprint/capture';
import {
  DEFAULT_POLICY,
  type AttributedFile,
  type CandidateFile,
  type CommitFile,
  type CommitHeader,
  type InheritedRange,
} from '@lineprint/contracts';
import {
  analyseText,
  deriveLineKey,
  hex64,
  languageOf,
  linePrintsFromBase64,
  linePrintsToBase64,
  pathKey,
} from '@lineprint/fingerprint';
import { openRepository, readCommits, type CommitContent } from '@lineprint/git';
import { buildSample, scoreSample, type Sample, type SampleEdit } from '.';

const KEY = deriveLineKey(new TextEncoder().encode('only a sample, no secret'), 'sample');

let directory: string;
let sample: Sample;
let commits: CommitContent[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lineprint-sample-'));
  sample = await buildSample(join(directory, 'repository'));
  const repository = await openRepository(sample.repositoryPath);
  commits = [];
  for await (const read of readCommits(repository, sample.shas)) {
    if (read.kind === 'commit') commits.push(read.commit);
  }
});

afterAll(() => rm(directory, { recursive: true, force: true }));

/** The snippets that our client makes of an edit. */
function capture(edit: SampleEdit): Snippet[] {
  return captureEdit({ ...edit, lineKey: KEY }).map((fingerprint) => ({
    codeId: fingerprint.codeId,
    userId: fingerprint.userId,
    sessionId: fingerprint.sessionId,
    source: fingerprint.source,
    model: fingerprint.model ?? null,
    language: fingerprint.language,
    createdAt: fingerprint.timestamp,
    protocol: 2,
    lineCount: fingerprint.lineCount,
    declaredBy: null,
    prints: linePrintsFromBase64(fingerprint.linePrints!),
    pathKey: fingerprint.pathKey ?? null,
    before: fingerprint.before ?? null,
    after: fingerprint.after ?? null,
  }));
}

/** The file as commit-analyzer would hand it on, in process. */
function analyse(file: CommitFile, inherited: readonly InheritedRange[]): CandidateFile {
  const { prints, tokenBits } = analyseText(file.content ?? '', languageOf(file.path), KEY);
  const isInherited = new Set(inherited.flatMap(numbersOf));
  const kept: number[] = [];
  const hunks: CandidateFile['hunks'] = [];
  for (const { newStart, newLines } of file.hunks) {
    const inside = [...prints.keys()].filter((index) => {
      const line = prints[index]!.line + 1;
      return line >= newStart && line < newStart + newLines && !isInherited.has(line - 1);
    });
    if (inside.length === 0) continue;
    const before = prints[inside[0]! - 1];
    const after = prints[inside.at(-1)! + 1];
    hunks.push({
      first: kept.length,
      last: kept.length + inside.length - 1,
      ...(before ? { before: hex64(before.h1) } : {}),
      ...(after ? { after: hex64(after.h1) } : {}),
    });
    kept.push(...inside);
  }
  const { path, oldPath, status, addedLines, deletedLines, excluded } = file;
  return {
    path,
    ...(oldPath === undefined ? {} : { oldPath }),
    status,
    language: languageOf(path),
    addedLines,
    deletedLines,
    blankLines: excluded ? 0 : addedLines - kept.length - isInherited.size,
    inherited: [...inherited],
    ...(excluded === undefined ? {} : { excluded }),
    linePrints: linePrintsToBase64(kept.map((index) => prints[index]!)),
    tokenBits: encodeTokenBits(kept.map((index) => tokenBits[index]!)),
    occurrences: encodeOccurrences(kept.flatMap(() => [0, 0])),
    pathKeys: [path, ...(oldPath === undefined ? [] : [oldPath])].map((name) => pathKey(name, KEY)),
    hunks,
  };
}

function analyseAll(files: readonly CommitFile[]): CandidateFile[] {
  const changes = files.map((file) =>
    changedLines(
      file,
      KEY,
      file.content === undefined ? undefined : analyseText(file.content, languageOf(file.path), KEY),
    ),
  );
  const inherited = inheritedLines(changes);
  return files.map((file, index) => analyse(file, inherited[index]!));
}

const numbersOf = ({ start, count }: { start: number; count: number }) =>
  Array.from({ length: count }, (_, i) => start + i);

function headerOf(commit: CommitContent): CommitHeader {
  const { sha, parents, authorName, authorEmail, authoredAt, committedAt, declared } = commit;
  return {
    tenant: 'sample',
    projectId: 'harbour',
    repository: 'harbour',
    userId: authorEmail,
    late: false,
    ...{ sha, parents, authorName, authorEmail, authoredAt, committedAt },
    ...(declared ? { declared } : {}),
  };
}

/** Attributes the whole history; every earlier snippet is a candidate for every file. */
function attributeHistory(): { sha: string; files: AttributedFile[] }[] {
  const captured = sample.edits.map((edit) => ({ edit, snippets: capture(edit) }));
  return commits.map((commit, index) => {
    const snippets = captured
      .filter(({ edit }) => edit.beforeCommitIndex <= index)
      .flatMap((capture) => capture.snippets);
    const files = analyseAll(commit.files);
    const candidates = snippets.flatMap(({ codeId }) => files.map((_, file) => ({ codeId, file, score: 1 })));
    const commitHeader = headerOf(commit);
    return {
      sha: commit.sha,
      files: attributeCommit({
        commit: commitHeader,
        repositoryLines: 0,
        files,
        candidates,
        snippets,
        policy: DEFAULT_POLICY,
      }),
    };
  });
}

describe('the sample', () => {
  it('is the same repository on every machine', () => {
    expect(sample.shas).toHaveLength(commits.length);
    expect(sample.shas.at(-1)).toMatchInlineSnapshot(`"f4ddc165f944bccf59998d19d71c05d12804fcf5"`);
  });

  it('has an answer for exactly the lines that git calls added, blank ones and excluded files aside', () => {
    const asGitSays = commits.map(({ sha, files }) => ({
      sha,
      files: analyseAll(files)
        .filter((file) => file.excluded === undefined && file.status !== 'deleted')
        .map((file) => ({ path: file.path, lines: addedNumbers(file) })),
    }));
    const asTold = commits.map(({ sha }) => ({
      sha,
      files: [...sample.truth.get(sha)!]
        .map(([path, answers]) => ({ path, lines: answers.map(({ line }) => line) }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    }));
    expect(asTold).toEqual(asGitSays);
  });

  it('excludes documentation, the lock file and the generated file', () => {
    const excluded = commits.flatMap(({ files }) =>
      files.filter((file) => file.excluded).map(({ path }) => path),
    );
    expect(excluded).toEqual([
      'README.md',
      'web/package-lock.json',
      'web/src/generated/authority.ts',
      'CHANGELOG.md',
    ]);
  });

  it('tells of several people, languages, sources, and of commits that name an AI', () => {
    expect(new Set(commits.map((commit) => commit.authorEmail)).size).toBeGreaterThanOrEqual(4);
    expect(new Set(sample.edits.map((edit) => languageOf(edit.path))).size).toBeGreaterThanOrEqual(6);
    expect(new Set(sample.edits.map((edit) => edit.source))).toEqual(new Set(['tab', 'chat', 'agent']));
    expect(commits.filter((commit) => commit.declared)).toHaveLength(2);
  });

  it('is attributed right on at least 97 of 100 added lines', () => {
    const attributed = attributeHistory().flatMap(({ sha, files }) =>
      files.map(({ path, lines, inherited }) => ({ sha, path, lines, inherited })),
    );
    const { lines, right, wrong } = scoreSample(sample.truth, attributed);
    expect(wrong.filter((line) => line.expected === null)).toEqual([]);
    expect(lines).toBeGreaterThan(1_400);
    expect(right / lines).toBeGreaterThanOrEqual(0.97);
    const answers = [...sample.truth.values()].flatMap((files) => [...files.values()].flat());
    expect(answers.filter(({ kind }) => kind === 'I')).toHaveLength(20);
    expect(wrong.filter(({ expected, got }) => expected === 'I' || got === 'I')).toEqual([]);
  });
});

function addedNumbers({ linePrints, inherited }: CandidateFile): number[] {
  const attributable = linePrintsFromBase64(linePrints).map((print) => print.line);
  return [...attributable, ...inherited.flatMap(numbersOf)].sort((a, b) => a - b);
}

describe('scoreSample', () => {
  const truth = new Map([
    [
      's',
      new Map([
        [
          'a.ts',
          [
            { line: 0, kind: 'P' as const },
            { line: 2, kind: 'H' as const },
          ],
        ],
      ]),
    ],
  ]);
  const verdict = (start: number, count: number, kind: 'P' | 'H') => ({ start, count, kind, result: 0 });

  it('counts the lines whose verdict is the answer', () => {
    const lines = [verdict(0, 1, 'P'), verdict(2, 1, 'H')];
    expect(scoreSample(truth, [{ sha: 's', path: 'a.ts', lines, inherited: [] }])).toEqual({
      lines: 2,
      right: 2,
      wrong: [],
    });
  });

  it('names the lines with another verdict, with none, and with one that nobody asked for', () => {
    const lines = [verdict(0, 2, 'H')];
    expect(scoreSample(truth, [{ sha: 's', path: 'a.ts', lines, inherited: [] }])).toEqual({
      lines: 2,
      right: 0,
      wrong: [
        { sha: 's', path: 'a.ts', line: 1, expected: null, got: 'H' },
        { sha: 's', path: 'a.ts', line: 0, expected: 'P', got: 'H' },
        { sha: 's', path: 'a.ts', line: 2, expected: 'H', got: null },
      ],
    });
  });
});
