/** The chart as helm renders it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { root } from '../setup.mjs';
import { run } from './programs.mjs';

export const chart = join(root, 'deploy', 'helm', 'lineprint');

/** helm takes 1.20 for the cluster's version where it speaks with none. */
export const VERSION = ['--kube-version', '1.33'];

/** Secrets that values of the matrix name: an installation makes them itself. */
export const SECRETS = [
  'pg',
  'redis',
  'kafka-tls',
  'pg-ca',
  'kafka-user',
  'first-keys',
  'raw-code',
  'shop-hook',
  'certificate',
];
export const given = new Set(SECRETS.map((name) => `Secret ${name}`));

/** Lends files with values. */
export async function withValues(values, use) {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-values-'));
  try {
    const file = join(folder, 'values.yaml');
    writeFileSync(file, stringify(values));
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {string[]} arguments of helm for one entry of the matrix, but for its values */
export const presetsOf = ({ presets = [] }) =>
  presets.flatMap((name) => ['--values', join(chart, 'presets', `${name}.yaml`)]);

/**
 * @param {{presets?: string[], values: object}} entry of the matrix
 * @param {{release?: string, namespace?: string}} [where]
 * @returns {Promise<object[]>} the objects of the release
 */
export async function objectsOfChart(entry, { release = 'lp', namespace = 'restricted' } = {}) {
  const { stdout } = await withValues(entry.values, (file) =>
    run('helm', [
      'template',
      release,
      chart,
      '--namespace',
      namespace,
      ...VERSION,
      ...presetsOf(entry),
      '--values',
      file,
    ]),
  );
  return objectsOf(stdout);
}

/** @param {string} text YAML documents @returns {object[]} */
export const objectsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJSON())
    .filter(Boolean);
