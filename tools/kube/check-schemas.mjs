/** Every object of the chart and of k8s/ against the schemas of three versions of Kubernetes; Compose's file as Compose reads it. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { stringify } from 'yaml';
import { presets } from '../kustomize-tree.mjs';
import { root } from '../setup.mjs';
import { objectsOfChart } from './chart.mjs';
import { objectsOfFolder } from './check-chart.mjs';
import { home, need, provideCompiled, run } from './programs.mjs';
import { check, expect, provide } from './report.mjs';
import { matrix } from './values.mjs';

const VERSIONS = ['1.31', '1.33', '1.35'];

export async function checkSchemas() {
  await provideCompiled('helm', 'kustomize');
  const program = await validator();
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-schemas-'));
  try {
    const files = await writeObjects(folder);
    for (const version of VERSIONS) {
      await check(`schemas of Kubernetes ${version}`, () =>
        run(program, ['--strict', '--quiet', '--no-warn', '--kubernetes-version', version, ...files]),
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns {Promise<string>} path of kubernetes-validate */
async function validator() {
  const venv = join(home, 'kubernetes-validate');
  const program = join(venv, 'bin', 'kubernetes-validate');
  if (existsSync(program)) return program;
  need('python3');
  await provide('kubernetes-validate: installed', async () => {
    await run('python3', ['-m', 'venv', '--clear', venv]);
    await run(join(venv, 'bin', 'pip'), ['install', '--quiet', 'kubernetes-validate==1.37.0']);
  });
  return program;
}

/** A file for each kind of installation. Custom resources are checked on the control plane, by their own definitions. */
async function writeObjects(folder) {
  const sets = {};
  for (const [name, entry] of Object.entries(matrix)) sets[`chart-${name}`] = await objectsOfChart(entry);
  for (const name of presets) sets[`k8s-${name}`] = await objectsOfFolder(join('overlays', name));
  return Object.entries(sets).map(([name, objects]) => {
    const file = join(folder, `${name}.yaml`);
    const own = objects.filter(({ apiVersion }) => !/coreos\.com|keda\.sh/.test(apiVersion));
    writeFileSync(file, own.map((object) => `---\n${stringify(object, { version: '1.1' })}`).join(''));
    return file;
  });
}

/** Services that need no health check: they end. */
const ENDING = new Set(['init']);

export async function checkCompose() {
  await provideCompiled('compose-config');
  const file = join(root, 'docker-compose.yml');
  await check('docker-compose.yml: is valid, waits for what is healthy', async () => {
    const { services, volumes } = JSON.parse((await run('compose-config', [file])).stdout);
    const wrong = Object.entries(services).flatMap(([name, service]) => [
      ...composeFaults(service, services, volumes).map((words) => `${name} ${words}`),
      ...(ENDING.has(name) || service.healthcheck ? [] : [`${name} has no health check`]),
    ]);
    const missing = readdirSync(join(root, 'apps')).filter(
      (app) => !['cli', 'dashboard', 'standalone'].includes(app) && !services[app],
    );
    wrong.push(...missing.map((app) => `there is no service ${app}`));
    expect(wrong.length === 0, wrong.join('\n'));
  });
}

function composeFaults(
  { build, ports = [], volumes: mounts = [], depends_on: needs = {}, ...service },
  services,
  volumes,
) {
  const isOurs = build !== undefined;
  return [
    ...(isOurs && !existsSync(join(root, 'apps', build.args.SERVICE, 'package.json'))
      ? [`builds ${build.args.SERVICE}, which is no app`]
      : []),
    ...(isOurs && !(service.read_only && service.cap_drop?.includes('ALL'))
      ? ['may write, or has rights']
      : []),
    ...(/:[^/]*\d/.test(service.image) || isOurs ? [] : [`has an image without a version: ${service.image}`]),
    ...ports
      .filter(({ host_ip }) => host_ip !== '127.0.0.1')
      .map(({ published }) => `opens port ${published} to all`),
    ...mounts
      .filter(({ type, source }) => (type === 'bind' ? !existsSync(source) : !(source in volumes)))
      .map(({ source }) => `mounts ${relative(root, source).split(sep).join('/')}, which is not there`),
    ...Object.entries(needs)
      .filter(([name, { condition }]) => condition === 'service_healthy' && !services[name].healthcheck)
      .map(([name]) => `waits until ${name} is healthy, which has no check`),
  ];
}
