/** Labelled sets from repositories that no threshold was chosen on, for `npm run bench -- accuracy --data DIR`. */
import { resolve } from 'node:path';
import { openRepository } from '@lineprint/git';
import { saveDataSet } from './dist/accuracy/data.js';
import { naturalSet } from './dist/draw/natural.js';
import { syntheticSet } from './dist/draw/synthetic.js';
import { table } from './table.mjs';

const KINDS = { synthetic: syntheticSet, natural: naturalSet };

/**
 * @param {object} options
 * @param {'synthetic' | 'natural'} options.kind
 * @param {string[]} options.repo git repositories
 * @param {string} [options.seed] the same seed and the same repositories give the same set
 * @param {string} options.out the folder that gets the set's files
 */
export async function measure({ kind, repo = [], seed = '1', out }) {
  const draw = KINDS[kind];
  if (!draw) throw new Error(`--kind is ${Object.keys(KINDS).join(' or ')}.`);
  if (repo.length === 0 || out === undefined) {
    throw new Error('Name repositories and a folder for the set: --repo PATH --out DIR.');
  }
  if (!/^\d{1,9}$/.test(seed)) throw new Error(`--seed ${seed} is not a number.`);
  const repositories = await Promise.all(repo.map((path) => openRepository(resolve(path))));
  const set = draw(
    repositories.map(({ gitDir }) => gitDir),
    Number(seed),
  );
  saveDataSet(resolve(out), kind, set);
  const sizes = {};
  for (const { language, size } of set.records) {
    const row = (sizes[language] ??= {});
    row[size] = (row[size] ?? 0) + 1;
  }
  return { kind, seed: Number(seed), records: set.records.length, snippets: set.snippets.length, sizes };
}

export function render({ kind, seed, records, snippets, sizes }) {
  const names = [...new Set(Object.values(sizes).flatMap((row) => Object.keys(row)))];
  const rows = Object.entries(sizes).map(([language, row]) => [
    language,
    ...names.map((name) => String(row[name] ?? 0)),
  ]);
  return `${kind}, seed ${seed}: ${records} records, ${snippets} snippets\n\n${table(['records', ...names], rows)}`;
}
