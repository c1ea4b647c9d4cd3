/**
 * `npm run bench -- NAME [--json] [options]`: measures Lineprint beside a baseline in the same run. Stdout gets
 * a table or, with `--json`, exactly one JSON object; everything else goes to stderr. docs/benchmarks.md says
 * what each bench measures.
 */
import { readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { setUp } from '../tools/setup.mjs';

/** Options of the bench `capacity`: its assumptions. */
const assumptions = Object.keys(
  JSON.parse(readFileSync(new URL('capacity/assumptions.json', import.meta.url), 'utf8')),
);

/**
 * Each module exports `measure(options)`, whose answer is printed as JSON, and `render(answer)`. `bare`: the JSON is
 * the answer alone, without the bench's name and the machine. `manyRepos`: `--repo` may be given more than once.
 */
const benches = {
  kernels: { module: './kernels.mjs', options: ['peers'] },
  accuracy: {
    module: './accuracy.mjs',
    options: ['data', 'set', 'engine', 'sample', 'seed', 'pipeline', 'strangers'],
    bare: true,
  },
  pipeline: {
    module: './pipeline.mjs',
    options: ['repo', 'max', 'fingerprints', 'commits', 'seed', 'spike'],
  },
  draw: { module: './draw.mjs', options: ['kind', 'repo', 'seed', 'out'], bare: true, manyRepos: true },
  transcripts: { module: './transcripts.mjs', options: ['repo', 'ref', 'out'], bare: true },
  backfill: { module: './backfill.mjs', options: ['repo', 'max'], bare: true },
  replay: { module: './replay.mjs', options: ['repo', 'max'], bare: true },
  index: { module: './index.mjs', options: ['snippets'], bare: true },
  aider: { module: './aider.mjs', options: ['repo', 'data'], bare: true },
  blame: { module: './blame.mjs', options: ['repo'], bare: true },
  capture: { module: './capture.mjs', options: [] },
  query: { module: './query.mjs', options: ['rows'], bare: true },
  capacity: { module: './capacity.mjs', options: ['write', 'check', 'seed', ...assumptions], bare: true },
  start: { module: './start.mjs', options: ['runs', 'standalone'] },
  soak: { module: './soak.mjs', options: ['minutes', 'rate', 'seed'] },
};

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      data: { type: 'string' },
      set: { type: 'string' },
      engine: { type: 'string' },
      seed: { type: 'string' },
      pipeline: { type: 'boolean' },
      peers: { type: 'boolean' },
      sample: { type: 'string' },
      strangers: { type: 'string' },
      repo: { type: 'string', multiple: true },
      ref: { type: 'string' },
      kind: { type: 'string' },
      out: { type: 'string' },
      max: { type: 'string' },
      snippets: { type: 'string' },
      rows: { type: 'string' },
      fingerprints: { type: 'string' },
      commits: { type: 'string' },
      spike: { type: 'string' },
      runs: { type: 'string' },
      standalone: { type: 'boolean' },
      write: { type: 'boolean' },
      check: { type: 'boolean' },
      ...Object.fromEntries(assumptions.map((name) => [name, { type: 'string' }])),
      minutes: { type: 'string' },
      rate: { type: 'string' },
    },
  });
  const { json = false, repo: repos, ...others } = values;
  const [name] = positionals;
  const bench = benches[name];
  const options = repos ? { ...others, repo: bench?.manyRepos ? repos : repos.at(-1) } : others;
  if (!bench || positionals.length > 1) {
    throw new Error(`Usage: npm run bench -- ${Object.keys(benches).join('|')} [--json] [options]`);
  }
  const foreign = Object.keys(options).filter((option) => !bench.options.includes(option));
  if (foreign.length > 0) throw new Error(`The bench ${name} has no option --${foreign[0]}.`);
  await setUp();
  const { measure, render } = await import(bench.module);
  const answer = await measure(options);
  const printed = bench.bare ? answer : { bench: name, machine: machine(), ...answer };
  console.log(json ? JSON.stringify(printed) : `${describe(machine())}\n\n${render(answer)}`);
}

function machine() {
  const cores = cpus();
  return {
    node: process.version,
    cpu: cores[0]?.model.trim() ?? 'unknown',
    cores: cores.length,
    memoryGb: Math.round(totalmem() / 1e9),
  };
}

function describe({ node, cpu, cores, memoryGb }) {
  return `Node ${node}, ${cores} × ${cpu}, ${memoryGb} GB`;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
