/**
 * How many AI lines are found, and how many human lines are called AI, on labelled commits: the services' own
 * functions and the first design document's method on the same records. docs/benchmarks.md defines the figures
 * and the form of the data.
 */
import { resolve } from 'node:path';
import { dataSetsIn, loadDataSet, spread } from './dist/accuracy/data.js';
import { compareWithPipeline } from './dist/accuracy/pipeline.js';
import { ENGINE_NAMES, measureCrowd, measureSet } from './dist/accuracy/run.js';
import { selfMadeSet } from './dist/accuracy/self-made/self-made.js';
import { cutHunks, keysOf, packageOf } from './index/hunks.mjs';
import { withServer } from './server.mjs';
import { table } from './table.mjs';

/** Needs no data: made of the packages that are installed. */
const SELF_MADE = 'selfmade';
/** The one that `npm test` measures. */
const USUAL_SEED = '1';
/** Packages of the projects that the data's records are made of: copies of their lines are no strangers'. */
const OWN_PACKAGES = new Set(['express', 'router', 'koa', 'hono', 'got', 'keyv']);

/**
 * @returns {Promise<Record<string, import('./dist/accuracy/run.js').SetFigures |
 *   import('./dist/accuracy/pipeline.js').Comparison | import('./dist/accuracy/run.js').CrowdFigures>>} by set
 */
export async function measure({
  data = '../shared/bench',
  set,
  engine,
  sample,
  seed = USUAL_SEED,
  pipeline,
  strangers,
}) {
  if (engine !== undefined && !ENGINE_NAMES.includes(engine)) {
    throw new Error(`There is no engine ${engine}; there are ${ENGINE_NAMES.join(' and ')}.`);
  }
  const size = sample === undefined ? Infinity : Number(sample);
  if (!(size >= 1)) throw new Error(`--sample ${sample} is not a number of records.`);
  const crowd = Number(strangers ?? 0);
  if (!Number.isInteger(crowd) || crowd < 0) {
    throw new Error(`--strangers ${strangers} is not a number of snippets.`);
  }
  const sets = set === SELF_MADE ? [SELF_MADE] : setsIn(resolve(data), set);
  const answer = {};
  for (const name of sets) {
    if (name === SELF_MADE) console.error(`${SELF_MADE}: seed ${seed}`);
    const labelled = name === SELF_MADE ? selfMadeSet(Number(seed)) : loadDataSet(resolve(data), name);
    if (crowd > 0) answer[name] = await measureCrowd(labelled, cutStrangers(crowd), size);
    else if (pipeline) {
      const records = spread(labelled.records, size);
      answer[name] = await withServer((server) => compareWithPipeline(labelled, records, server));
    } else answer[name] = await measureSet(labelled, engine === undefined ? ENGINE_NAMES : [engine], size);
  }
  return answer;
}

/** Snippets of the packages in `node_modules`, as the indexer would index them. */
function* cutStrangers(count) {
  let cut = 0;
  for (const hunk of cutHunks(count, (path) => !OWN_PACKAGES.has(packageOf(path)))) {
    yield { ...hunk, keys: keysOf(hunk).keys };
    if (++cut % 100_000 === 0) console.error(`${cut} strangers`);
  }
}

/** The set named, or all that the folder has. */
function setsIn(folder, set) {
  const sets = dataSetsIn(folder).filter((name) => set === undefined || name === set);
  if (sets.length > 0) return sets;
  throw new Error(
    `There is no data${set === undefined ? '' : ` of a set ${set}`} in ${folder}. Name its folder: ` +
      'npm run bench -- accuracy --data DIR (docs/benchmarks.md says what is in it), ' +
      `or measure the set that needs none: --set ${SELF_MADE}.`,
  );
}

export function render(sets) {
  return Object.entries(sets)
    .map(([set, answer]) => {
      if ('pipeline' in answer)
        return [`${set}, libraries and whole pipeline`, comparisonTable(answer)].join('\n\n');
      if ('crowded' in answer) return crowdTable(set, answer);
      return [`${set}: ${describe(answer)}`, aiTable(answer), humanTable(answer)].join('\n\n');
    })
    .join('\n\n');
}

function crowdTable(set, { strangers, languages, alone, crowded }) {
  const row = (name, figures) => [
    name,
    fixed(figures.f1, 4),
    fixed(figures.falsePerThousand, 2),
    fixed(figures.humanOnlyFalsePerThousand, 2),
    fixed(figures.candidateRecall, 4),
    fixed(figures.candidatesPerThousandLines, 0),
  ];
  return [
    `${set}, records in ${languages.join(', ')}`,
    table(
      ['in the index', 'F1', 'false/1000', 'human only', 'recalled', 'candidates/1000'],
      [row('its snippets', alone), row(`and ${strangers} strangers`, crowded)],
    ),
  ].join('\n\n');
}

function comparisonTable({ records, lines, differentLines, library, pipeline }) {
  const row = (name, { withAi, humanOnly }) => [
    name,
    fixed(withAi.precision, 4),
    fixed(withAi.recall, 4),
    fixed(withAi.f1, 4),
    fixed(withAi.falsePerThousand, 2),
    fixed(withAi.ratioError, 4),
    fixed(humanOnly.falsePerThousand, 2),
  ];
  return [
    table(
      ['', 'P', 'R', 'F1', 'false/1000', 'ratio err', 'human only'],
      [row('libraries', library), row('pipeline', pipeline)],
    ),
    `${differentLines} of ${lines} lines of ${records} records differ in label, confidence or snippet.`,
  ].join('\n\n');
}

function describe(engines) {
  const { records, lines } = Object.values(engines)[0];
  const times = Object.entries(engines).map(
    ([name, { seconds, linesPerSecond }]) => `${name} ${seconds} s (${linesPerSecond} lines/s)`,
  );
  return `${records} records, ${lines} scored lines; ${times.join(', ')}`;
}

/** Rows of records with AI: each engine beside the other. */
function aiTable(engines) {
  const head = Object.keys(engines).flatMap((name) => [
    `${name} P`,
    'R',
    'F1',
    'false/1000',
    'ratio err',
    'recalled',
  ]);
  const row = (name, figuresOf) => {
    const all = Object.values(engines).map(figuresOf);
    return [
      name,
      String(all[0].records),
      ...all.flatMap((figures) => [
        fixed(figures.precision, 3),
        fixed(figures.recall, 3),
        fixed(figures.f1, 3),
        fixed(figures.falsePerThousand, 1),
        fixed(figures.ratioError, 3),
        fixed(figures.candidateRecall, 3),
      ]),
    ];
  };
  const first = Object.values(engines)[0];
  const classRows = (label, field) =>
    Object.keys(first[field]).map((name) => row(`${label} ${name}`, (figures) => figures[field][name]));
  return table(
    ['records with AI', 'n', ...head],
    [
      row('all', ({ withAi }) => withAi),
      ...classRows('size', 'bySize'),
      ...classRows('transform', 'byTransform'),
      ...classRows('language', 'byLanguage'),
    ],
  );
}

function humanTable(engines) {
  const row = (name, figuresOf) => {
    const all = Object.values(engines).map(figuresOf);
    return [name, String(all[0].records), ...all.map((figures) => fixed(figures.falsePerThousand, 1))];
  };
  const first = Object.values(engines)[0];
  return table(
    ['human lines called AI, per 1,000', 'n', ...Object.keys(engines)],
    [
      row('human only: all', ({ humanOnly }) => humanOnly),
      ...['sameRepository', 'itsTests', 'rest'].map((name) =>
        row(`human only: ${name}`, ({ humanOnly }) => humanOnly[name]),
      ),
      ...Object.keys(first.humanOnly.byTransform).map((name) =>
        row(`human only: ${name}`, ({ humanOnly }) => humanOnly.byTransform[name]),
      ),
    ],
  );
}

const fixed = (value, decimals) => (value === null ? '–' : value.toFixed(decimals));
