/**
 * `npm run check:deploy`: the chart and the manifests as Kubernetes sees them, and the images as they run. Prints how long each
 * check took; the last line is `N passed, N failed`.
 *
 *   npm run check:deploy -- --only chart      one of: chart, schemas, cluster, images
 *
 * Needs helm; `cluster` needs go, `schemas` Python, `images` buildah (root). Programs are built once into
 * $LINEPRINT_KUBE_HOME (default: a folder of the user's cache).
 */
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { Api } from './kube/api.mjs';
import { faults } from './kube/objects.mjs';
import { matrix, refused } from './kube/values.mjs';
import { root } from './setup.mjs';

const run = promisify(execFile);
const chart = join(root, 'deploy', 'helm', 'lineprint');
const home =
  process.env.LINEPRINT_KUBE_HOME ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'lineprint-kube');
const bin = join(home, 'bin');
const env = { ...process.env, KUBE_HOME: home, PATH: `${bin}:${process.env.PATH}` };
/** helm takes 1.20 for the cluster's version where it speaks with none. */
const VERSION = ['--kube-version', '1.33'];
const LARGE = { maxBuffer: 256 * 1024 * 1024 };

/** Secrets that values of the matrix name: an installation makes them itself. */
const SECRETS = [
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
const given = new Set(SECRETS.map((name) => `Secret ${name}`));

const outcomes = [];

/** Runs a check and says how it ended. */
async function check(name, work) {
  const start = process.hrtime.bigint();
  let words = '';
  try {
    await work();
  } catch (error) {
    words = String(error.stderr || error.stdout || error.message).trim();
  }
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  outcomes.push({ name, ok: words === '' });
  console.log(`${words === '' ? 'ok  ' : 'FAIL'} ${name.padEnd(44)} ${seconds.toFixed(1).padStart(6)} s`);
  if (words !== '') console.log(words.replace(/^/gm, '     '));
}

function expect(isTrue, words) {
  if (!isTrue) throw new Error(words);
}

/** Lends files with values. */
async function withValues(values, use) {
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
const presetsOf = ({ presets = [] }) =>
  presets.flatMap((name) => ['--values', join(chart, 'presets', `${name}.yaml`)]);

async function template(entry, ...more) {
  const { stdout } = await withValues(entry.values, (file) =>
    run(
      'helm',
      [
        'template',
        'lp',
        chart,
        '--namespace',
        'restricted',
        ...VERSION,
        ...presetsOf(entry),
        '--values',
        file,
        ...more,
      ],
      {
        env,
        ...LARGE,
      },
    ),
  );
  return stdout;
}

const objectsOf = (text) =>
  parseAllDocuments(text)
    .map((document) => document.toJSON())
    .filter(Boolean);

async function checkChart() {
  await check('README and schema are those of the values', () =>
    run(process.execPath, [join(root, 'tools', 'helm-chart.mjs'), '--check']),
  );
  for (const [name, entry] of Object.entries(matrix)) {
    await check(`chart, ${name}: lint, references, policies`, async () => {
      await withValues(entry.values, (file) =>
        run('helm', ['lint', '--strict', ...VERSION, chart, ...presetsOf(entry), '--values', file], { env }),
      );
      const objects = objectsOf(await template(entry));
      const partitions = Number(objects.find(({ kind }) => kind === 'ConfigMap').data.LINEPRINT_PARTITIONS);
      const wrong = faults(objects, { given, partitions });
      expect(wrong.length === 0, wrong.join('\n'));
      const services = objects.filter(({ kind }) => kind === 'Deployment').length;
      expect(services === 6, `${services} deployments instead of 6`);
    });
  }
  for (const { values, words } of refused) {
    await check(`chart refuses: ${words.source}`, async () => {
      const error = await template({ values }).then(
        () => undefined,
        (reason) => reason,
      );
      expect(error !== undefined, `accepted ${JSON.stringify(values)}`);
      expect(words.test(error.stderr), error.stderr);
    });
  }
}

/** Every object against the schemas of three versions of Kubernetes. */
async function checkSchemas() {
  const venv = join(home, 'kubernetes-validate');
  const program = join(venv, 'bin', 'kubernetes-validate');
  if (!existsSync(program)) {
    await run('python3', ['-m', 'venv', venv]);
    await run(join(venv, 'bin', 'pip'), ['install', '--quiet', 'kubernetes-validate==1.37.0']);
  }
  for (const version of ['1.31', '1.33', '1.35']) {
    await check(`schemas of Kubernetes ${version}`, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'lineprint-schemas-'));
      try {
        const files = [];
        for (const [name, entry] of Object.entries(matrix)) {
          // Custom resources are checked on the control plane, by their own definitions.
          const own = objectsOf(await template(entry)).filter(
            ({ apiVersion }) => !/coreos\.com|keda\.sh/.test(apiVersion),
          );
          const file = join(folder, `${name}.yaml`);
          writeFileSync(file, own.map((object) => `---\n${stringify(object, { version: '1.1' })}`).join(''));
          files.push(file);
        }
        await run(
          program,
          ['--strict', '--quiet', '--no-warn', '--kubernetes-version', version, ...files],
          LARGE,
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  }
}

const PORT = 16443;
const api = new Api(PORT);
const helm = (...args) => run('helm', [...args, '--namespace', 'restricted'], { env: clusterEnv, ...LARGE });
const clusterEnv = { ...env, KUBECONFIG: join(home, 'run', 'kubeconfig'), KUBE_PORT: String(PORT) };

/** Definitions that the chart's monitors, rules and scalers need, by Go module. */
const DEFINITIONS = {
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': [
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
  ],
  'github.com/kedacore/keda/v2@v2.20.2': [
    'config/crd/bases/keda.sh_scaledobjects.yaml',
    'config/crd/bases/keda.sh_triggerauthentications.yaml',
  ],
};

async function applyDefinitions() {
  for (const [module, files] of Object.entries(DEFINITIONS)) {
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { env, ...LARGE });
    for (const file of files) {
      const [definition] = objectsOf(readFileSync(join(JSON.parse(stdout).Dir, file), 'utf8'));
      await api.create(definition);
      await until(file, () =>
        api
          .call('GET', `${api.pathOf(definition)}/${definition.metadata.name}`)
          .then(
            ({ status }) =>
              status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ||
              'not established',
          ),
      );
    }
  }
}

async function until(what, isTrue, limitMs = 60_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const words = await isTrue();
    if (words === true) return;
    if (Date.now() > end) throw new Error(`${what}: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

/** The chart as if it were an earlier one. */
function earlierChart(folder) {
  const earlier = join(folder, 'lineprint');
  cpSync(chart, earlier, { recursive: true });
  const file = join(earlier, 'Chart.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/ersion: 0\.1\.0/g, 'ersion: 0.0.9'));
  return earlier;
}

const revisionOf = async () => JSON.parse((await helm('status', 'lp', '--output', 'json')).stdout);

async function checkCluster() {
  await check('control plane: programs', () =>
    run(join(root, 'tools/kube/control-plane.sh'), ['build'], { env: clusterEnv, ...LARGE }),
  );
  try {
    await check('control plane: up, with definitions', async () => {
      await run(join(root, 'tools/kube/control-plane.sh'), ['up'], { env: clusterEnv, ...LARGE });
      await api.create({
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'restricted', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
      });
      await applyDefinitions();
      for (const name of SECRETS) {
        await api.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { url: 'x' } });
      }
    });
    await checkObjects();
    await checkReleases();
  } finally {
    await run(join(root, 'tools/kube/control-plane.sh'), ['down'], { env: clusterEnv });
  }
}

/** Every object of every kind of installation, fields that nobody knows refused. */
async function checkObjects() {
  for (const [name, entry] of Object.entries(matrix)) {
    await check(`cluster accepts each object: ${name}`, async () => {
      const wrong = [];
      for (const object of objectsOf(await template(entry))) {
        await api
          .create(object, '?dryRun=All&fieldValidation=Strict')
          .catch((error) => wrong.push(error.message));
      }
      expect(wrong.length === 0, wrong.join('\n'));
    });
  }
}

async function checkReleases() {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-charts-'));
  const { values } = matrix.everything;
  const file = join(folder, 'values.yaml');
  // Nobody provides volumes here, and pods would wait for one.
  writeFileSync(
    file,
    stringify({ ...values, mirrors: {}, imagePullSecrets: [], autoscaling: { mode: 'none' } }),
  );
  const withFile = ['--values', file, '--wait', '--timeout', '90s'];
  const own = 'app.kubernetes.io/instance=lp';
  try {
    await check('helm install --wait, of the version before', async () => {
      await helm('install', 'lp', earlierChart(folder), ...withFile);
      const pods = await api.list('v1', 'Pod', own);
      const isReady = ({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
      const services = pods.filter(
        ({ metadata }) => metadata.labels['app.kubernetes.io/component'] !== 'init',
      );
      expect(
        services.length === 12 && services.every(isReady),
        `${services.filter(isReady).length} of ${services.length} pods are ready, 12 are due`,
      );
    });
    await check('its job has run and is gone', async () => {
      const jobs = await api.list('batch/v1', 'Job', own);
      expect(jobs.length === 0, jobs.map(({ metadata }) => metadata.name).join(', '));
    });
    await check('pods spread over nodes', async () => {
      const pods = await api.list('v1', 'Pod', `${own},app.kubernetes.io/component=ingest`);
      const nodes = new Set(pods.map(({ spec }) => spec.nodeName));
      expect(nodes.size === pods.length, `${pods.length} pods on ${nodes.size} nodes`);
    });
    await check('helm upgrade', async () => {
      await helm('upgrade', 'lp', chart, ...withFile);
      const { version, info } = await revisionOf();
      expect(version === 2 && info.status === 'deployed', `revision ${version} is ${info.status}`);
    });
    await check('helm upgrade refuses fewer partitions', async () => {
      const error = await helm(
        'upgrade',
        'lp',
        chart,
        ...withFile,
        '--set',
        'kafka.partitions=2',
        '--set',
        'services.commit-analyzer.replicas=2',
      ).catch((reason) => reason);
      expect(/topics do not shrink/.test(error.stderr ?? ''), error.stderr ?? 'it was accepted');
    });
    await check('a failed upgrade rolls back by itself', async () => {
      const tooLarge = [
        '--set',
        'services.rollup.resources.requests.cpu=1000',
        '--atomic',
        '--timeout',
        '15s',
      ];
      const error = await helm('upgrade', 'lp', chart, '--values', file, '--wait', ...tooLarge).catch(
        (reason) => reason,
      );
      expect(error.stderr, 'pods that no node can hold became ready');
      const { info } = await revisionOf();
      expect(info.status === 'deployed', `the release is ${info.status}`);
      const [rollup] = await api.list('apps/v1', 'Deployment', `${own},app.kubernetes.io/component=rollup`);
      const { cpu } = rollup.spec.template.spec.containers[0].resources.requests;
      expect(cpu === '100m', `rollup requests ${cpu}`);
    });
    await check('helm rollback to the version before', async () => {
      await helm('rollback', 'lp', '1', '--wait', '--timeout', '90s');
      const [ingest] = await api.list('apps/v1', 'Deployment', `${own},app.kubernetes.io/component=ingest`);
      const { image } = ingest.spec.template.spec.containers[0];
      expect(image.endsWith(':0.0.9'), image);
    });
    await check('a service scales, and a drain keeps its budget', async () => {
      const path = '/apis/apps/v1/namespaces/restricted/deployments/lp-lineprint-indexer';
      const merge = 'application/merge-patch+json';
      await api.call('PATCH', `${path}/scale`, { spec: { replicas: 4 } }, merge);
      const ready = () =>
        api
          .call('GET', path)
          .then(({ status }) => (status.readyReplicas === 4 ? true : `${status.readyReplicas} of 4 ready`));
      await until('scaled', ready);
      const budget = () =>
        api.call('GET', '/apis/policy/v1/namespaces/restricted/poddisruptionbudgets/lp-lineprint-indexer');
      await until('budget', () =>
        budget().then(({ status }) =>
          status.expectedPods === 4 && status.disruptionsAllowed === 1 ? true : JSON.stringify(status),
        ),
      );
      const pods = await api.list('v1', 'Pod', `${own},app.kubernetes.io/component=indexer`);
      // One may go at a time; who comes in its place may be ready before the next is asked for.
      const answers = await Promise.all(pods.map((pod) => evict(pod)));
      expect(answers.includes(201) && answers.includes(429), `evictions were answered ${answers}`);
      await until('replaced', ready);
    });
    await check('helm uninstall leaves nothing', async () => {
      await helm('uninstall', 'lp', '--wait', '--timeout', '60s');
      await until('left', () =>
        api.everything(own).then((left) => (left.length === 0 ? true : left.join(', '))),
      );
    });
    await check('without hooks: install and uninstall', async () => {
      await withValues(matrix.gitops.values, (gitops) =>
        helm('install', 'gitops', chart, '--values', gitops, '--wait', '--wait-for-jobs', '--timeout', '90s'),
      );
      await helm('uninstall', 'gitops', '--wait', '--timeout', '60s');
      await until('left', () =>
        api
          .everything('app.kubernetes.io/instance=gitops')
          .then((left) => (left.length === 0 ? true : left.join(', '))),
      );
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {Promise<number>} status of the answer */
async function evict({ metadata: { name, namespace } }) {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  return api.call('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, eviction).then(
    () => 201,
    ({ status }) => status,
  );
}

const CHECKS = { chart: checkChart, schemas: checkSchemas, cluster: checkCluster };

async function main() {
  const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } });
  const wanted = values.only ?? Object.keys(CHECKS);
  const unknown = wanted.find((name) => !(name in CHECKS));
  if (unknown) throw new Error(`There is no check ${unknown}; there are ${Object.keys(CHECKS).join(', ')}`);
  if (spawnSync('helm', ['version'], { env }).status !== 0) {
    await check('programs', () =>
      run(join(root, 'tools/kube/control-plane.sh'), ['build'], { env, ...LARGE }),
    );
  }
  for (const name of wanted) await CHECKS[name]();
  const passed = outcomes.filter(({ ok }) => ok).length;
  console.log(`${passed} passed, ${outcomes.length - passed} failed`);
  if (passed < outcomes.length) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
