/** What an installation needs by its developers, and who waits where repositories are very unequal. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/setup.mjs';
import { DEVELOPERS, documentOf, replaceTables } from './capacity/document.mjs';
import model from './dist/capacity/model.js';
import simulation from './dist/capacity/simulation.js';
import { round } from './table.mjs';

const read = (name) => JSON.parse(readFileSync(join(root, 'bench', 'capacity', name), 'utf8'));
const DOCUMENT = join(root, 'docs', 'capacity.md');

/** Of the monorepo the age at the 99th percentile is to stay below this. */
const GOAL_MS = 5000;
const HOUR_S = 3600;
/** A simulated time is shorter where it would have more. */
const MOST_COMMITS = 20_000;
const SEARCH = { from: 1_000, to: 4_000_000, steps: 8 };

export async function measure({ write = false, check = false, seed = '1', ...given }) {
  if ((write || check) && Object.keys(given).length > 0) {
    throw new Error('docs/capacity.md is made of the assumptions as they stand: no other options.');
  }
  if (!/^\d+$/.test(seed)) throw new Error(`--seed ${seed} is no number.`);
  const answer = compute(given, Number(seed));
  if (write || check) keepDocument(answer, { write });
  return answer;
}

function compute(given, seed) {
  const figures = read('figures.json');
  const stated = read('assumptions.json');
  const assumptions = Object.fromEntries(
    Object.entries(stated).map(([name, { value }]) => [name, positive(name, given[name] ?? value)]),
  );
  const plan = (developers) => model.capacityOf(developers, figures, assumptions);
  const run = (developers, key, capacity = plan(developers)) =>
    simulation.simulate({ ...loadOf(capacity, figures, assumptions), key, seed });
  const plans = DEVELOPERS.map(plan);
  return {
    goalMs: GOAL_MS,
    assumptions,
    figures,
    plans,
    keys: plans.flatMap((capacity) =>
      ['repository', 'commit', 'path'].map((key) => ({
        developers: capacity.developers,
        key,
        ...run(capacity.developers, key, capacity),
      })),
    ),
    searchedTo: SEARCH.to,
    limits: ['repository', 'path', 'commit'].map((key) => ({ key, developers: limit((n) => run(n, key)) })),
    check: crossCheck(read('cross-check.json'), figures),
  };
}

/** What the simulation is given of a plan: the busiest hour, its middle twice the rate of its ends. */
function loadOf(capacity, figures, assumptions) {
  const usual = model.usualSize(figures, assumptions);
  const stages = ['commit-analyzer', 'line-attributor', 'rollup'].map((name) => {
    const measuredMs = figures[`${name}-ms-per-commit`].value;
    return {
      meanMs: measuredMs * usual,
      // What short batches share less of does not grow with the commit.
      fixedMs: measuredMs * (assumptions['cpu-factor'] - 1),
      replicas: capacity.services[name].replicas,
    };
  });
  return {
    partitions: capacity.partitions,
    stages,
    commitsPerSecond: capacity.peakCommitsPerSecond,
    shape: (share) => 1 - Math.abs(share - 0.5),
    seconds: Math.min(HOUR_S, MOST_COMMITS / capacity.peakCommitsPerSecond),
    repositories: Math.max(1, Math.round(capacity.developers * assumptions['repositories-per-developer'])),
    zipfExponent: assumptions['zipf-exponent'],
    monorepoShare: assumptions['monorepo-share'],
    spread: assumptions.spread,
    largeShare: assumptions['large-share'],
    largeFactor: model.largeSize(figures, assumptions) / usual,
    filesPerCommit: assumptions['files-per-commit'],
    partMs: assumptions['part-ms'],
    floorMs: figures['floor-ms'].value,
  };
}

/** The largest number of developers whose commits are young enough, by halving on a logarithmic scale; null: none up to the end of it. */
function limit(run) {
  const isYoung = (developers) => run(developers).monorepoAgeP99Ms < GOAL_MS;
  let { from, to } = SEARCH;
  if (!isYoung(from)) return 0;
  if (isYoung(to)) return null;
  for (let step = 0; step < SEARCH.steps; step++) {
    const middle = Math.round(Math.sqrt(from * to));
    if (isYoung(middle)) from = middle;
    else to = middle;
  }
  return Number(from.toPrecision(2));
}

/** Processor time of a commit by the model's figures, and in one real run. */
function crossCheck({ command, date, commits, cpuSeconds }, figures) {
  const stages = Object.entries(cpuSeconds).map(([stage, seconds]) => ({
    stage,
    figureMs: figures[`${stage}-ms-per-commit`].value,
    runMs: round((1000 * seconds) / commits, 2),
  }));
  const sum = (column) =>
    round(
      stages.reduce((total, row) => total + row[column], 0),
      2,
    );
  return {
    command,
    date,
    stages: [...stages, { stage: 'all', figureMs: sum('figureMs'), runMs: sum('runMs') }],
  };
}

function positive(name, value) {
  const number = Number(value);
  if (!(number >= 0)) throw new Error(`--${name} ${value} is no number from 0.`);
  return number;
}

/** Writes the tables of docs/capacity.md, or says that they are others. */
function keepDocument(answer, { write }) {
  const before = readFileSync(DOCUMENT, 'utf8');
  const after = replaceTables(before, documentOf(answer));
  if (write) writeFileSync(DOCUMENT, after);
  else if (after !== before) {
    throw new Error('docs/capacity.md is not of these figures: npm run bench -- capacity --write');
  }
}

export const render = (answer) => Object.values(documentOf(answer)).join('\n\n');
