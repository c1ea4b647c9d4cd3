/**
 * How many AI lines are found, and how many human lines are called AI, on labelled commits: the services' own
 * functions and the first design document's method on the same records. docs/benchmarks.md defines the figures
 * and the form of the data.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { attributeCommit } from '@lineprint/attribution';
import { DEFAULT_POLICY } from '@lineprint/contracts';
import {
  computeLinePrints,
  deriveLineKey,
  hasShingles,
  hex64,
  pathKey,
  recallKeys,
  textBands,
  textSignature,
} from '@lineprint/fingerprint';
import { openRecallIndex } from '@lineprint/recall';
import { analyseFile } from '@lineprint/commit-analyzer/dist/analysis/file-analysis.js';
import { recallCandidates } from '@lineprint/commit-analyzer/dist/recall/candidate-recall.js';
import { attributeAsSeed, SeedIndex } from './seed-attribution.mjs';
import { round, table } from './table.mjs';

const SETS = ['synthetic', 'natural'];
const TENANT = 'bench';
const LANGUAGES = { py: 'python', go: 'go', ts: 'typescript', js: 'javascript' };
/** A record may sum up years of commits: only its own `time` decides which snippets it may see, not the TTL. */
const COMMIT_TIME = 1;

export async function measure({ data, sample }) {
  const folder = resolve(data ?? '.');
  const sets = SETS.filter((set) => existsSync(join(folder, `${set}.records.jsonl.gz`)));
  if (sets.length === 0) {
    throw new Error(
      `There is no data in ${folder}. Name its folder: npm run bench -- accuracy --data DIR (docs/benchmarks.md says what is in it).`,
    );
  }
  const size = sample === undefined ? Infinity : Number(sample);
  if (!(size >= 1)) throw new Error(`--sample ${sample} is not a number of records.`);
  const answer = {};
  for (const set of sets) answer[set] = await measureSet(folder, set, size);
  return { policy: DEFAULT_POLICY.id, sets: answer };
}

export function render({ sets }) {
  return Object.entries(sets)
    .map(([set, result]) => {
      const { records, snippets, lines, seconds, linesPerSecond, classes } = result;
      return [
        `${set}: ${records} records, ${snippets} snippets, ${lines} scored lines; ours ${seconds} s (${linesPerSecond} lines/s)`,
        '',
        table(
          [
            'records with AI',
            'n',
            'P',
            'R',
            'F1',
            'human/1000',
            'ratio err',
            'seed F1',
            'human/1000',
            'ratio err',
          ],
          Object.entries(classes)
            .filter(([name]) => !name.startsWith('human only'))
            .map(([name, { records, ours, seed }]) => [
              name,
              String(records),
              ...[ours.precision, ours.recall, ours.f1].map((x) => fixed(x, 3)),
              fixed(ours.falsePerThousand, 1),
              fixed(ours.ratioError, 3),
              fixed(seed.f1, 3),
              fixed(seed.falsePerThousand, 1),
              fixed(seed.ratioError, 3),
            ]),
        ),
        '',
        table(
          ['human lines called AI, per 1,000', 'n', 'ours', 'seed'],
          Object.entries(classes)
            .filter(([name]) => name.startsWith('human only'))
            .map(([name, { records, ours, seed }]) => [
              name,
              String(records),
              fixed(ours.falsePerThousand, 1),
              fixed(seed.falsePerThousand, 1),
            ]),
        ),
      ].join('\n');
    })
    .join('\n\n');
}

const fixed = (value, decimals) => (value === null ? '–' : value.toFixed(decimals));

async function measureSet(folder, set, size) {
  const load = (part) =>
    gunzipSync(readFileSync(join(folder, `${set}.${part}.jsonl.gz`)))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const key = deriveLineKey(Buffer.alloc(32, 7), 'bench');
  const snippets = load('snippets');
  const index = await indexSnippets(snippets, key);
  const seedIndex = new SeedIndex();
  for (const { id, snippet, time } of snippets) seedIndex.add({ id, text: snippet, time: time ?? 0 });

  const records = spread(load('records'), size);
  const scores = new Map();
  const spent = { lines: 0, scored: 0, ms: 0 };
  for (const record of records) {
    const files = filesOf(record);
    const started = performance.now();
    const ours = await attributeAsServices(record, files, index, key);
    spent.ms += performance.now() - started;
    const seed = files.map(({ hunks }) => attributeAsSeed(seedIndex, hunks, record.time ?? Infinity));
    const lines = scoredLines(files);
    spent.scored += lines.length;
    spent.lines += ours.attributable;
    const counts = {
      ours: count(lines, (file, line) => ours.labels[file].get(line) ?? 'H'),
      seed: count(lines, (file, line) => seed[file].labels.get(line) ?? 'H'),
    };
    // The document's own ratio, which also credits AI lines that were deleted.
    counts.seed.predicted = sum(seed.map(({ weighted }) => weighted)) / sum(seed.map(({ total }) => total));
    for (const name of classesOf(record)) {
      const score = scores.get(name) ?? { records: 0, ours: newScore(), seed: newScore() };
      score.records++;
      add(score.ours, counts.ours);
      add(score.seed, counts.seed);
      scores.set(name, score);
    }
  }
  return {
    records: records.length,
    snippets: snippets.length,
    lines: spent.scored,
    seconds: round(spent.ms / 1000, 1),
    linesPerSecond: round((1000 * spent.lines) / spent.ms, 0),
    classes: Object.fromEntries(
      [...scores]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { records, ours, seed }]) => [
          name,
          { records, ours: figures(ours, records), seed: figures(seed, records) },
        ]),
    ),
  };
}

/** What a client would have sent, and what the indexer makes of it, in order of acceptance. */
async function indexSnippets(snippets, key) {
  const recall = await openRecallIndex('memory:');
  const stored = new Map();
  const h1 = (line, language) => {
    const [print] = computeLinePrints(line ?? '', language, key);
    return print ? hex64(print.h1) : null;
  };
  const inOrder = [...snippets].sort((a, b) => (a.time ?? 0) - (b.time ?? 0));
  for (const { id, snippet, path, time = 0, before, after, ...rest } of inOrder) {
    const language = LANGUAGES[rest.language];
    const prints = computeLinePrints(snippet, language, key);
    const signature = textSignature(snippet);
    const context = {
      pathKey: pathKey(path, key),
      before: h1(before, language),
      after: h1(after, language),
    };
    stored.set(id, {
      codeId: id,
      userId: 'bench',
      sessionId: id,
      source: 'agent',
      model: null,
      language,
      createdAt: time * 1000,
      protocol: 2,
      lineCount: snippet.split('\n').length,
      declaredBy: null,
      prints,
      ...context,
    });
    const keys = recallKeys(
      {
        prints,
        pathKey: context.pathKey,
        before: context.before ?? undefined,
        after: context.after ?? undefined,
        textBands: hasShingles(signature) ? textBands(signature) : undefined,
      },
      'snippet',
    ).map((recallKey) => recallKey.key);
    await recall.add(TENANT, [{ codeId: id, eventTime: COMMIT_TIME, partition: 0, offset: 0, keys }]);
  }
  return { recall, stored };
}

/** The way of a commit through commit-analyzer and line-attributor, without their stores and topics. */
async function attributeAsServices(record, files, { recall, stored }, key) {
  const analysed = files.map(({ path, content, aliases, hunks }) =>
    analyseFile(
      {
        path,
        ...(aliases.length > 0 ? { oldPath: aliases.at(-1) } : {}),
        status: 'modified',
        binary: false,
        addedLines: sum(hunks.map(({ lines }) => lines.length)),
        deletedLines: 0,
        content,
        hunks: hunks.map(({ start, lines }) => ({
          oldStart: 0,
          oldLines: 0,
          newStart: start + 1,
          newLines: lines.length,
          removed: [],
        })),
      },
      key,
    ),
  );
  const keys = new Set(analysed.flatMap((file) => [...file.keys.keys()]));
  const postings = await recall.postings(TENANT, [...keys]);
  const commit = {
    tenant: TENANT,
    projectId: 'bench',
    repository: 'bench',
    sha: '0'.repeat(40),
    parents: [],
    authorName: 'bench',
    authorEmail: '',
    userId: 'bench',
    authoredAt: COMMIT_TIME,
    committedAt: COMMIT_TIME,
    late: false,
    snippetHorizon: [1],
  };
  const past = pastOnly(postings, stored, record.time);
  const candidates = recallCandidates(commit, analysed, past);
  const attributed = attributeCommit({
    commit,
    files: analysed.map(({ candidateFile }) => candidateFile),
    candidates,
    snippets: [...new Set(candidates.map(({ codeId }) => codeId))].map((id) => stored.get(id)),
    policy: DEFAULT_POLICY,
  });
  return {
    attributable: sum(analysed.map(({ attributable }) => attributable)),
    labels: attributed.map(({ lines }) => {
      const labels = new Map();
      for (const { start, count, kind } of lines) {
        for (let line = start; line < start + count; line++) labels.set(line, kind);
      }
      return labels;
    }),
  };
}

/** Judging with the snippets of the future would flatter: a record sees those that existed at its time. */
function pastOnly(postings, stored, time) {
  if (time === undefined) return postings;
  return new Map(
    [...postings].map(([key, list]) => [
      key,
      list.filter(({ codeId }) => stored.get(codeId).createdAt <= time * 1000),
    ]),
  );
}

function filesOf(record) {
  const { path, aliases = [] } = record;
  const dot = path.lastIndexOf('.');
  // The data names one path; two files of one commit cannot share it.
  const secondPath = `${path.slice(0, dot)}.second${path.slice(dot)}`;
  return [
    {
      path,
      aliases,
      content: record.final_file,
      truth: record.truth,
      added: record.added,
      skip: record.skip,
    },
    {
      path: secondPath,
      aliases: [],
      content: record.final_file2,
      truth: record.truth2,
      added: record.added2,
    },
  ]
    .filter(({ content }) => content !== undefined)
    .map((file) => {
      const lines = file.content.split('\n');
      return { ...file, lines, hunks: hunksOf(lines, file.added) };
    });
}

/** Runs of added lines. */
function hunksOf(lines, added) {
  const hunks = [];
  lines.forEach((line, i) => {
    if (added[i] !== '1') return;
    const last = hunks.at(-1);
    if (last && last.start + last.lines.length === i) last.lines.push(line);
    else hunks.push({ start: i, lines: [line] });
  });
  return hunks;
}

/** Lines that count: added, not blank, not to be skipped. */
function scoredLines(files) {
  return files.flatMap(({ lines, added, skip, truth }, file) =>
    lines.flatMap((text, line) =>
      added[line] === '1' && text.trim() !== '' && skip?.[line] !== '1'
        ? [{ file, line, truth: truth[line] }]
        : [],
    ),
  );
}

function count(lines, labelOf) {
  const counts = { found: 0, false: 0, missed: 0, human: 0, actual: 0, predicted: 0 };
  for (const { file, line, truth } of lines) {
    const label = labelOf(file, line);
    if (truth === 'H') counts.human++;
    if (truth !== 'H' && label !== 'H') counts.found++;
    if (truth === 'H' && label !== 'H') counts.false++;
    if (truth !== 'H' && label === 'H') counts.missed++;
    counts.actual += SHARE[truth] / lines.length;
    counts.predicted += SHARE[label] / lines.length;
  }
  return counts;
}

/** What a line adds to a commit's AI ratio. */
const SHARE = { P: 1, M: 0.5, H: 0 };

const newScore = () => ({ found: 0, false: 0, missed: 0, human: 0, ratioError: 0 });

function add(score, counts) {
  for (const field of ['found', 'false', 'missed', 'human']) score[field] += counts[field];
  score.ratioError += Math.abs(counts.actual - counts.predicted);
}

function figures({ found, false: wrong, missed, human, ratioError }, records) {
  return {
    precision: round(found / (found + wrong), 4),
    recall: round(found / (found + missed), 4),
    f1: round((2 * found) / (2 * found + wrong + missed), 4),
    falsePerThousand: round((1000 * wrong) / human, 2),
    ratioError: round(ratioError / records, 4),
  };
}

/** The rows of the table that a record belongs to. */
function classesOf({ base, snippets, transform, size }) {
  const withAi = snippets ? snippets.length > 0 : Boolean(base);
  if (withAi) return ['all', `size ${size}`, `transform ${transform}`];
  const where =
    { neg_same_repo: 'same repository', neg_same_repo_tests: 'its tests' }[transform] ?? 'the rest';
  return ['human only: all', `human only: ${where}`];
}

/** At most `size` of them, evenly spread, so that every class stays represented. */
function spread(list, size) {
  if (list.length <= size) return list;
  return Array.from({ length: Math.floor(size) }, (_, i) => list[Math.floor((i * list.length) / size)]);
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
