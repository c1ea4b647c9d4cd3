/** What is found of the code that past transcripts tell of, in the commits of the repository that keeps them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { listCommits, openRepository, readBaseline, readCommits } from '@lineprint/git';
import { runCommand } from './command-line.mjs';
import {
  CHECKPOINT_BRANCH,
  checkpointsOfCommits,
  extractTranscripts,
  foldersOf,
} from './dist/transcripts/checkpoints.js';
import { saveDataSet } from './dist/accuracy/data.js';
import { addCounts, compareCommit, noLines, TELLING_CHARACTERS } from './dist/transcripts/compare.js';
import { labelledSet } from './dist/transcripts/labelled.js';
import { readTold, rootsAmong } from './dist/transcripts/told.js';
import { withServer } from './server.mjs';
import { round, table } from './table.mjs';

const NAME = 'repository';
/** Of the commits that differ most, so many are shown. */
const SHOWN = 10;
/** Fewer lines than these make a share that says nothing. */
const LEAST_LINES = 10;

/**
 * @param {object} options
 * @param {string} options.repo a git repository that has transcripts
 * @param {string} [options.ref] the branch whose commits are looked at
 * @param {string} [options.out] a folder to write the same commits to as a labelled set, for the bench `accuracy`
 */
export async function measure({ repo, ref = 'HEAD', out }) {
  if (repo === undefined) {
    throw new Error(`Name a git repository that keeps transcripts on ${CHECKPOINT_BRANCH}: --repo PATH.`);
  }
  const repository = await openRepository(resolve(repo));
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-transcripts-'));
  try {
    const transcripts = join(folder, 'transcripts');
    mkdirSync(transcripts);
    const checkpoints = await extractTranscripts(repository.gitDir, transcripts);
    console.error(`${checkpoints.files.length} transcripts, ${checkpoints.absent} absent`);
    const told = readTold(checkpoints.files);
    const roots = rootsAmong(told.folders, foldersOf(repository.gitDir, ref));
    const { imported, exported } = await withServer((server) =>
      throughPipeline(server, { repository, ref, transcripts, roots, state: folder }),
    );
    const named = checkpointsOfCommits(repository.gitDir, ref);
    const commits = [];
    const known = [];
    const shas = (await listCommits(repository, { ref })).map(({ sha }) => sha);
    for await (const read of readCommits(repository, shas)) {
      if (read.kind !== 'commit') continue;
      const { commit } = read;
      const transcript = transcriptOf(named.get(commit.sha), checkpoints);
      if (out !== undefined) known.push({ commit, transcript });
      const compared = compareCommit(commit, exported.get(commit.sha), told);
      if (compared.all.lines > 0) commits.push({ ...compared, transcript });
    }
    if (out !== undefined) {
      const background = await filesBefore(repository, known);
      saveDataSet(
        resolve(out),
        'transcripts',
        labelledSet(checkpoints.files, roots, told, known, background),
      );
    }
    return answerOf({ checkpoints, roots, imported, commits });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the transcripts of the checkpoints that a commit names are here. */
function transcriptOf(named, { known, complete }) {
  if (named === undefined) return 'none';
  if (named.every((id) => complete.has(id))) return 'complete';
  return named.some((id) => known.has(id)) ? 'partly absent' : 'unknown';
}

/** The files that stood there before the first commit that names a transcript. */
async function filesBefore(repository, known) {
  const first = known.find(({ transcript }) => transcript !== 'none')?.commit.parents[0];
  const files = [];
  if (first === undefined) return files;
  for await (const part of readBaseline(repository, first)) {
    for (const { path, content } of part.files) {
      if (content !== undefined) files.push({ path, text: content });
    }
  }
  return files;
}

/** Logs in, imports, and sends the history, as a user would. */
async function throughPipeline({ url, apiKey }, { repository, ref, transcripts, roots, state }) {
  const env = {
    LINEPRINT_URL: url,
    LINEPRINT_QUERY_URL: url,
    LINEPRINT_API_KEY: apiKey,
    LINEPRINT_STATE_DIRECTORY: state,
  };
  const spool = ['--state', join(state, 'capture')];
  await runCommand(['login', ...spool, '--user', 'assistant'], env);
  const places = roots.flatMap((root) => ['--root', root]);
  const report = await runCommand(
    [
      'capture',
      'import',
      'claude-code',
      transcripts,
      ...places,
      '--name',
      NAME,
      ...spool,
      '--no-send',
      '--json',
    ],
    env,
  );
  const flushed = JSON.parse(
    await runCommand(['capture', 'flush', ...spool, '--timeout', '600000', '--json'], env),
  );
  // What commits say of themselves would hide what is found.
  const history = [
    'backfill',
    '--repo',
    repository.path,
    '--ref',
    ref,
    '--name',
    NAME,
    '--no-ai-defaults',
    '--json',
  ];
  await runCommand(history, env);
  const exported = new Map();
  for (const line of (await runCommand(['export'], env)).split('\n')) {
    const value = line === '' ? undefined : JSON.parse(line);
    if (value?.type === 'commit') exported.set(value.sha, value);
  }
  const { sent, refused } = flushed;
  return { imported: { ...JSON.parse(report), sent, refused: refused.length ?? refused }, exported };
}

function answerOf({ checkpoints, roots, imported, commits }) {
  const own = commits.filter(({ transcript }) => transcript === 'complete');
  return {
    transcripts: {
      files: checkpoints.files.length,
      absent: checkpoints.absent,
      workingTrees: roots.length,
      ...imported,
    },
    all: summary(commits),
    withTranscript: summary(own),
    mostDifferent: own
      .filter(({ all }) => all.lines >= LEAST_LINES)
      .map((commit) => ({ ...described(commit), difference: round(difference(commit.all), 4) }))
      .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference))
      .slice(0, SHOWN),
    commits: commits.map(described),
  };
}

const found = ({ kept, changed }) => kept + changed;
/** Share found less share that is literally there. */
const difference = (counts) => (found(counts) - counts.literal) / counts.lines;

function described({ sha, transcript, all, telling }) {
  return { sha, transcript, ...shares(all), telling: shares(telling) };
}

function shares(counts) {
  const { lines, kept, changed, literal, both, shellOnly } = counts;
  const share = (part) => round(part / lines, 4);
  return {
    lines,
    kept: share(kept),
    changed: share(changed),
    human: share(lines - kept - changed),
    found: share(kept + changed),
    literal: share(literal),
    literalNotFound: share(literal - both),
    foundNotLiteral: share(kept + changed - both),
    shellOnly: share(shellOnly),
  };
}

function summary(commits) {
  const all = noLines();
  const telling = noLines();
  for (const commit of commits) {
    addCounts(all, commit.all);
    addCounts(telling, commit.telling);
  }
  const distances = (of) =>
    commits
      .map(of)
      .filter(({ lines }) => lines > 0)
      .map((counts) => Math.abs(difference(counts)))
      .sort((a, b) => a - b);
  const spread = (of) => {
    const sorted = distances(of);
    const at = (share) => round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))], 4);
    return { median: at(0.5), p90: at(0.9) };
  };
  return {
    commits: commits.length,
    ...shares(all),
    difference: spread(({ all: counts }) => counts),
    telling: { ...shares(telling), difference: spread(({ telling: counts }) => counts) },
  };
}

export function render({ transcripts, all, withTranscript, mostDifferent }) {
  const percent = (share) => (share === null ? '–' : `${(100 * share).toFixed(1)} %`);
  const row = (name, counts) => [
    name,
    String(counts.lines),
    ...['found', 'kept', 'changed', 'literal', 'literalNotFound', 'foundNotLiteral', 'shellOnly'].map(
      (figure) => percent(counts[figure]),
    ),
  ];
  const head = ['lines', 'found', 'kept', 'changed', 'literal', 'only literal', 'only found', 'only shell'];
  const block = (name, counts) => [
    row(`${name}: ${counts.commits} commits`, counts),
    row(`… lines of ${TELLING_CHARACTERS} characters`, counts.telling),
  ];
  return [
    `${transcripts.files} transcripts (${transcripts.absent} absent) of ${transcripts.workingTrees} working trees: ` +
      `${transcripts.edits} edits, ${transcripts.fingerprints} fingerprints`,
    table(['', ...head], [...block('all', all), ...block('with transcript', withTranscript)]),
    table(
      ['differ most', ...head],
      mostDifferent.map((commit) => row(commit.sha.slice(0, 10), commit)),
    ),
  ].join('\n\n');
}
