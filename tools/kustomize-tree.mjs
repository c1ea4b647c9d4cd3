/**
 * `k8s/`: plain manifests of the chart, as a base with an overlay for each preset, for kustomize. Needs helm (see
 * `npm run check:deploy`).
 *
 *   node tools/kustomize-tree.mjs           writes them
 *   node tools/kustomize-tree.mjs --check   fails where they differ from what would be written
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { objectsOfChart } from './kube/chart.mjs';
import { root } from './setup.mjs';

const tree = join(root, 'k8s');

/** Where it is installed, and the name of its release: names of objects begin with it. */
const NAME = 'lineprint';

export const presets = ['small', 'medium', 'large'];

/** What the manifests name and an overlay of one's own replaces: secrets by these names, and the brokers. */
const values = {
  kafka: { brokers: ['kafka:9092'] },
  postgresql: { existingSecret: `${NAME}-postgres` },
  redis: { existingSecret: `${NAME}-redis` },
  // Without helm nothing runs hooks.
  migrations: { hook: false },
  // Grafana's own files: deploy/grafana/dashboards.
  metrics: { dashboards: { enabled: false } },
};

/** Names of secrets that whoever installs the manifests makes. */
export const given = new Set([`Secret ${NAME}-postgres`, `Secret ${NAME}-redis`]);

const header = (words) => `# ${words} Written by node tools/kustomize-tree.mjs from the chart.\n`;

/**
 * @param {string} [preset] none: the chart's defaults
 * @returns {Promise<object[]>} what the manifests are to be
 */
export async function objectsOfTree(preset) {
  const entry = { presets: preset ? [preset] : [], values };
  return (await objectsOfChart(entry, { release: NAME, namespace: NAME })).map(withoutHelm);
}

/** What helm alone has a use for; kustomize starts pods anew when settings change by its names of ConfigMaps. */
function withoutHelm(object) {
  const clean = JSON.parse(JSON.stringify(object));
  for (const { labels, annotations } of [clean.metadata, clean.spec?.template?.metadata ?? {}]) {
    if (labels) {
      delete labels['helm.sh/chart'];
      if ('app.kubernetes.io/managed-by' in labels) labels['app.kubernetes.io/managed-by'] = 'kustomize';
    }
    if (annotations) delete annotations['checksum/settings'];
  }
  // The name has a digest of values that an overlay replaces.
  if (clean.kind === 'Job') clean.metadata.name = `${NAME}-init`;
  const pod = clean.spec?.template?.metadata;
  if (pod?.annotations && Object.keys(pod.annotations).length === 0) delete pod.annotations;
  return clean;
}

const idOf = ({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${metadata.name}`;

/** Settings become a generated ConfigMap. */
const isSettings = ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === NAME;

/** Operations (RFC 6902) that make one value of another. */
function* changes(from, to, path) {
  if (isDeepStrictEqual(from, to)) return;
  const isMap = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
  const areLists = Array.isArray(from) && Array.isArray(to) && from.length === to.length;
  if (!areLists && !(isMap(from) && isMap(to))) {
    yield { op: 'replace', path, value: to };
    return;
  }
  for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const place = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!(key in to)) yield { op: 'remove', path: place };
    else if (!(key in from)) yield { op: 'add', path: place, value: to[key] };
    else yield* changes(from[key], to[key], place);
  }
}

/** Texts of several lines stay as they are: folded ones come out of a formatter with empty lines in them. */
const yaml = (value) => stringify(value, { blockQuote: 'literal', lineWidth: 0 });

const documents = (objects) => objects.map(yaml).join('---\n');

const kustomization = (what) =>
  yaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', ...what });

/** A file for each service and each other thing. */
function base(objects) {
  const files = {};
  for (const object of objects) {
    if (isSettings(object)) continue;
    const name = object.metadata.labels['app.kubernetes.io/component'] ?? object.kind.toLowerCase();
    (files[`${name}.yaml`] ??= []).push(object);
  }
  const { data, metadata } = objects.find(isSettings);
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: NAME, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  };
  const names = Object.keys(files).sort();
  return {
    'kustomization.yaml':
      header("Lineprint with the chart's defaults.") +
      kustomization({
        namespace: NAME,
        resources: ['namespace.yaml', ...names],
        configMapGenerator: [
          {
            name: NAME,
            literals: Object.entries(data).map(([key, value]) => `${key}=${value}`),
            options: { labels: metadata.labels },
          },
        ],
      }),
    'namespace.yaml': yaml(namespace),
    ...Object.fromEntries(names.map((name) => [name, documents(files[name])])),
  };
}

function overlay(preset, from, to) {
  const before = new Map(from.map((object) => [idOf(object), object]));
  const after = new Map(to.map((object) => [idOf(object), object]));
  const added = to.filter((object) => !before.has(idOf(object)));
  const removed = from.filter((object) => !after.has(idOf(object)));
  const settings = Object.entries(to.find(isSettings).data).filter(
    ([key, value]) => from.find(isSettings).data[key] !== value,
  );
  const patches = [
    ...removed.map(({ apiVersion, kind, metadata: { name } }) => ({
      patch: yaml({ apiVersion, kind, metadata: { name }, $patch: 'delete' }),
    })),
    ...to.flatMap((object) => {
      const old = before.get(idOf(object));
      const operations = old && !isSettings(object) ? [...changes(old, object, '')] : [];
      if (operations.length === 0) return [];
      const target = { kind: object.kind, name: object.metadata.name };
      return [{ target, patch: yaml(operations) }];
    }),
  ];
  return {
    'kustomization.yaml':
      header(`Lineprint as presets/${preset}.yaml has it.`) +
      kustomization({
        namespace: NAME,
        resources: ['../../base', ...(added.length > 0 ? ['added.yaml'] : [])],
        configMapGenerator: [
          { name: NAME, behavior: 'merge', literals: settings.map(([key, value]) => `${key}=${value}`) },
        ],
        patches,
      }),
    ...(added.length > 0 && { 'added.yaml': documents(added) }),
  };
}

/** @returns {Promise<Record<string, string>>} text of the files by their path below k8s/ */
async function written() {
  const defaults = await objectsOfTree();
  const folders = { base: base(defaults) };
  for (const preset of presets) {
    folders[join('overlays', preset)] = overlay(preset, defaults, await objectsOfTree(preset));
  }
  const files = Object.entries(folders).flatMap(([folder, texts]) =>
    Object.entries(texts).map(([name, text]) => [join(folder, name), text]),
  );
  const prettier = await import('prettier');
  const formatted = files.map(async ([path, text]) => {
    const filepath = join(tree, path);
    return [path, await prettier.format(text, { ...(await prettier.resolveConfig(filepath)), filepath })];
  });
  return Object.fromEntries(await Promise.all(formatted));
}

function existing() {
  return readdirSync(tree, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(tree, join(entry.parentPath, entry.name)));
}

/** @returns {string[]} paths of files that are not as they would be written */
function stale(files) {
  const there = existing();
  const differs = (path) => !there.includes(path) || readFileSync(join(tree, path), 'utf8') !== files[path];
  return [...Object.keys(files).filter(differs), ...there.filter((path) => !(path in files))];
}

async function main(isCheck) {
  const files = await written();
  if (isCheck) {
    const wrong = stale(files);
    if (wrong.length === 0) return;
    console.error(`Written anew by node tools/kustomize-tree.mjs: ${wrong.join(', ')}`);
    process.exitCode = 1;
    return;
  }
  rmSync(tree, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.includes('--check'));
