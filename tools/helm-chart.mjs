/**
 * What is written from the chart's values: its README and the schema of its values.
 *
 *   node tools/helm-chart.mjs           writes them
 *   node tools/helm-chart.mjs --check   fails where they differ from what would be written
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { root } from './setup.mjs';

const chart = join(root, 'deploy', 'helm', 'lineprint');

/** What a value may be beside what its default says. */
const NARROWER = {
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'kafka.brokers': { items: { type: 'string', pattern: '^[^\\s:/]+:\\d{1,5}$' } },
  'kafka.partitions': { minimum: 1, maximum: 1024 },
  'kafka.compression': { enum: ['none', 'gzip', 'snappy', 'lz4', 'zstd'] },
  'kafka.sasl.mechanism': { enum: ['', 'plain', 'scram-sha-256', 'scram-sha-512'] },
  'settings.logLevel': { enum: ['fatal', 'error', 'warn', 'info', 'debug'] },
  'settings.causalWaitMs': { minimum: 0 },
  'settings.shutdownGraceMs': { minimum: 0 },
  'organisation.id': { minLength: 1, maxLength: 64 },
  'autoscaling.mode': { enum: ['none', 'hpa', 'keda'] },
  'autoscaling.maxReplicas': { minimum: 1 },
  'autoscaling.targetCPUUtilizationPercentage': { minimum: 1, maximum: 100 },
  'topologySpread.whenUnsatisfiable': { enum: ['ScheduleAnyway', 'DoNotSchedule'] },
  'podDisruptionBudget.maxUnavailable': { type: ['integer', 'string'], minimum: 1 },
  'mirrors.persistence.accessModes': {
    items: { enum: ['ReadWriteOnce', 'ReadWriteMany', 'ReadWriteOncePod'] },
  },
};

/** Objects of Kubernetes, or with names that nobody can foresee: what is in them is not ours to say. */
const FREE = new Set([
  'podSecurityContext',
  'securityContext',
  'affinity',
  'nodeSelector',
  'podAnnotations',
  'podLabels',
  'serviceAccount.annotations',
  'ingress.annotations',
  'settings.env',
  'metrics.serviceMonitor.labels',
  'metrics.prometheusRule.labels',
  'metrics.dashboards.labels',
]);

const SERVICE = {
  type: 'object',
  additionalProperties: false,
  properties: {
    replicas: { type: 'integer', minimum: 1 },
    parserProcesses: { type: 'integer', minimum: 1, maximum: 64 },
    resources: { type: 'object' },
  },
};

function schemaOf(value, path) {
  const narrower = NARROWER[path] ?? {};
  if (path.startsWith('services.')) return SERVICE;
  if (Array.isArray(value)) return { type: 'array', ...narrower };
  if (value !== null && typeof value === 'object') {
    if (FREE.has(path)) return { type: 'object' };
    const properties = Object.fromEntries(
      Object.entries(value).map(([key, child]) => [
        key,
        schemaOf(child, path === '' ? key : `${path}.${key}`),
      ]),
    );
    return { type: 'object', additionalProperties: false, properties };
  }
  const type = typeof value === 'number' ? 'integer' : typeof value;
  return { type, ...narrower };
}

/** What `helm` itself puts among the values. */
const GIVEN = { global: { type: 'object' } };

export function valuesSchema(values) {
  const schema = schemaOf(values, '');
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart lineprint',
    ...schema,
    properties: { ...schema.properties, ...GIVEN },
  };
}

/** Rows of the README's table: each value that has a comment, or no parts. */
function* rowsOf(map, path, inherited = '') {
  for (const { key, value } of map.items) {
    const name = path === '' ? key.value : `${path}.${key.value}`;
    const comment = describe(key.commentBefore) || (map.items[0].key === key ? inherited : '');
    const isLeaf =
      !isMap(value) || value.items.length === 0 || FREE.has(name) || /^services\.[^.]+$/.test(name);
    if (isLeaf) yield { name, value: JSON.stringify(value.toJSON()), comment };
    else yield* rowsOf(value, name, isMap(value) ? describe(value.commentBefore) : '');
    if (!isLeaf && !isScalar(value) && comment) continue;
  }
}

/** The words after `# --`. */
function describe(comment) {
  if (!comment?.includes('--')) return '';
  return comment
    .slice(comment.indexOf('--') + 2)
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

export function readme(source, template) {
  const rows = [...rowsOf(parseDocument(source).contents, '')].map(
    ({ name, value, comment }) =>
      `| \`${name}\` | ${value.length > 80 ? 'see values.yaml' : `\`${value}\``} | ${comment.replaceAll('|', '\\|')} |`,
  );
  const table = ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
  return template.replace('<!-- values -->', table);
}

async function main(isCheck) {
  const prettier = await import('prettier');
  const source = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const written = {
    'values.schema.json': JSON.stringify(valuesSchema(parseDocument(source).toJSON())),
    'README.md': readme(source, readFileSync(join(chart, 'README.md.tmpl'), 'utf8')),
  };
  const stale = [];
  for (const [name, text] of Object.entries(written)) {
    const file = join(chart, name);
    const formatted = await prettier.format(text, {
      ...(await prettier.resolveConfig(file)),
      filepath: file,
    });
    if (!isCheck) writeFileSync(file, formatted);
    else if (readFileSync(file, 'utf8') !== formatted) stale.push(name);
  }
  if (stale.length > 0) {
    console.error(`Written anew by node tools/helm-chart.mjs: ${stale.join(', ')}`);
    process.exitCode = 1;
  }
}

await main(process.argv.includes('--check'));
