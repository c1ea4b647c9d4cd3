/** The chart on a real control plane: every object is accepted, and releases live as they should. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { presets } from '../kustomize-tree.mjs';
import { freePort } from '../servers/ports.mjs';
import { root } from '../setup.mjs';
import { Api } from './api.mjs';
import { chart, objectsOf, objectsOfChart, SECRETS, withValues } from './chart.mjs';
import { objectsOfFolder } from './check-chart.mjs';
import { env, home, need, provideCompiled, run, runToEnd } from './programs.mjs';
import { check as count, expect, provide, Unavailable, until } from './report.mjs';
import { matrix } from './values.mjs';

/** Set while a control plane runs. */
let api;
let controlPlane;
let helm;

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
    const { stdout } = await run('go', ['mod', 'download', '-json', module]);
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

/** The chart as if it were an earlier one. */
function earlierChart(folder) {
  const earlier = join(folder, 'lineprint');
  cpSync(chart, earlier, { recursive: true });
  const file = join(earlier, 'Chart.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/ersion: 0\.1\.0/g, 'ersion: 0.0.9'));
  return earlier;
}

const revisionOf = async () => JSON.parse((await helm('status', 'lp', '--output', 'json')).stdout);

export async function checkCluster() {
  need('openssl', 'curl');
  await provideCompiled('helm', 'kustomize', 'kwok', 'etcd', 'kubernetes');
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-control-plane-'));
  try {
    await provide('control plane: up, with definitions', () => start(folder));
    await checkObjects();
    await checkReleases();
  } finally {
    await controlPlane?.('down');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function start(folder) {
  const ports = [await freePort(), await freePort(), await freePort()];
  const place = { KUBE_HOME: home, KUBE_RUN: folder, KUBE_PORTS: ports.join(' ') };
  controlPlane = (verb) =>
    runToEnd(join(root, 'tools', 'kube', 'control-plane.sh'), [verb], { env: { ...env, ...place } });
  helm = (...args) =>
    run('helm', [...args, '--namespace', 'restricted'], {
      env: { ...env, KUBECONFIG: join(folder, 'kubeconfig') },
    });
  api = new Api(ports[0]);
  await controlPlane('up');
  // The one of releases, and that of k8s/.
  for (const name of ['restricted', 'lineprint']) {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
  }
  await applyDefinitions();
  for (const name of SECRETS) {
    await api.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData: { url: 'x' } });
  }
}

/** A check that fails while the control plane is broken says nothing about the chart. */
async function check(name, work) {
  await count(name, async () => {
    try {
      await work();
    } catch (error) {
      await controlPlane('alive').catch(({ stderr }) => {
        throw new Unavailable(`the control plane broke down: ${String(stderr).trim()}`);
      });
      throw error;
    }
  });
}

/** Every object of every kind of installation, fields that nobody knows refused. */
async function checkObjects() {
  const sets = [
    ...Object.entries(matrix).map(([name, entry]) => [name, () => objectsOfChart(entry)]),
    ...presets.map((name) => [`k8s/overlays/${name}`, () => objectsOfFolder(`overlays/${name}`)]),
  ];
  for (const [name, objects] of sets) {
    await check(`cluster accepts each object: ${name}`, async () => {
      const wrong = [];
      for (const object of (await objects()).filter(({ kind }) => kind !== 'Namespace')) {
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
  const withFile = ['--values', file, '--wait', '--timeout', '300s'];
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
        '30s',
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
      await helm('rollback', 'lp', '1', '--wait', '--timeout', '300s');
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
      await helm('uninstall', 'lp', '--wait', '--timeout', '300s');
      await until('left', () =>
        api.everything(own).then((left) => (left.length === 0 ? true : left.join(', '))),
      );
    });
    await check('without hooks: install and uninstall', async () => {
      await withValues(matrix.gitops.values, (gitops) =>
        helm(
          'install',
          'gitops',
          chart,
          '--values',
          gitops,
          '--wait',
          '--wait-for-jobs',
          '--timeout',
          '300s',
        ),
      );
      await helm('uninstall', 'gitops', '--wait', '--timeout', '300s');
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
