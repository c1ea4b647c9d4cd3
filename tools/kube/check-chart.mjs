/** The chart, and what is written from it, without a cluster. */
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { given as givenToTree, objectsOfTree, presets } from '../kustomize-tree.mjs';
import { root } from '../setup.mjs';
import { chart, given, objectsOf, objectsOfChart, presetsOf, VERSION, withValues } from './chart.mjs';
import { faults } from './objects.mjs';
import { provideCompiled, run } from './programs.mjs';
import { check, expect } from './report.mjs';
import { matrix, refused } from './values.mjs';

export async function checkChart() {
  await provideCompiled('helm', 'kustomize');
  for (const [file, what] of [
    ['helm-chart.mjs', "the chart's README and schema"],
    ['kustomize-tree.mjs', 'the manifests in k8s/'],
  ]) {
    await check(`${what} are up to date`, () =>
      run(process.execPath, [join(root, 'tools', file), '--check']),
    );
  }
  for (const [name, entry] of Object.entries(matrix)) {
    await check(`chart, ${name}: lint, references, policies`, async () => {
      await withValues(entry.values, (file) =>
        run('helm', ['lint', '--strict', ...VERSION, chart, ...presetsOf(entry), '--values', file]),
      );
      expectSound(await objectsOfChart(entry), given);
    });
  }
  for (const { values, words } of refused) {
    await check(`chart refuses: ${words.source}`, async () => {
      const error = await objectsOfChart({ values }).then(
        () => undefined,
        (reason) => reason,
      );
      expect(error !== undefined, `accepted ${JSON.stringify(values)}`);
      expect(words.test(error.stderr), error.stderr);
    });
  }
  for (const [name, preset] of [['base', undefined], ...presets.map((name) => [`overlays/${name}`, name])]) {
    await check(`k8s/${name}: is the chart, references, policies`, async () => {
      const objects = await objectsOfFolder(name);
      expectSound(objects, givenToTree);
      expectSame(objects, await objectsOfTree(preset));
    });
  }
}

function expectSound(objects, there) {
  const partitions = Number(objects.find(({ kind }) => kind === 'ConfigMap').data.LINEPRINT_PARTITIONS);
  const wrong = faults(objects, { given: there, partitions });
  expect(wrong.length === 0, wrong.join('\n'));
  const services = objects.filter(({ kind }) => kind === 'Deployment').length;
  expect(services === 6, `${services} deployments instead of 6`);
}

/** @param {string} name a folder of k8s/ @returns {Promise<object[]>} what kustomize makes of it */
export async function objectsOfFolder(name) {
  return objectsOf((await run('kustomize', ['build', join(root, 'k8s', name)])).stdout);
}

/** Beside namespaces, and the digests that kustomize puts behind names of ConfigMaps, all is as helm renders it. */
function expectSame(built, rendered) {
  const settings = built.find(({ kind }) => kind === 'ConfigMap').metadata.name;
  const plain = JSON.parse(
    JSON.stringify(built).replaceAll(settings, settings.replace(/-[a-z0-9]{10}$/, '')),
  );
  const byId = (objects) =>
    new Map(
      objects.map(({ metadata: { namespace: _, ...metadata }, ...object }) => [
        `${object.kind} ${metadata.name}`,
        { ...object, metadata },
      ]),
    );
  const [found, wanted] = [byId(plain), byId(rendered)];
  found.delete('Namespace lineprint');
  const differing = [...new Set([...found.keys(), ...wanted.keys()])].filter(
    (id) => !isDeepStrictEqual(found.get(id), wanted.get(id)),
  );
  expect(differing.length === 0, `differ from the chart: ${differing.join(', ')}`);
}
