/**
 * `npm run check:deploy`: the chart and the manifests as Kubernetes sees them, and the images as they run. Prints how long each
 * check took; the last line is `N passed, N failed`. A part that cannot be checked here, because a program or a registry is
 * not to be had, says `skipped:` and why; it counts neither way.
 *
 *   npm run check:deploy -- --only chart      one of: chart, schemas, compose, cluster, images
 *   npm run check:deploy -- --keep            leaves images and their layers, so that the next run is faster
 *   npm run check:deploy -- --minutes 30      begins no part after so long
 *
 * Needs go, `schemas` Python as well, `images` root on Debian. Programs are built once into $LINEPRINT_KUBE_HOME (default: a
 * folder of the user's cache).
 */
import { parseArgs } from 'node:util';
import { interruption, part, totals, Unavailable } from './kube/report.mjs';
import { setUp } from './setup.mjs';

/** Loaded after the set-up, which installs the packages that they import. */
const CHECKS = {
  chart: async () => (await import('./kube/check-chart.mjs')).checkChart,
  schemas: async () => (await import('./kube/check-schemas.mjs')).checkSchemas,
  compose: async () => (await import('./kube/check-schemas.mjs')).checkCompose,
  cluster: async () => (await import('./kube/check-cluster.mjs')).checkCluster,
  images: async () => (await import('./kube/check-images.mjs')).checkImages,
};

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true },
      keep: { type: 'boolean', default: false },
      minutes: { type: 'string' },
    },
  });
  const wanted = values.only ?? Object.keys(CHECKS);
  const unknown = wanted.find((name) => !(name in CHECKS));
  if (unknown) throw new Error(`There is no check ${unknown}; there are ${Object.keys(CHECKS).join(', ')}`);
  await setUp();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interruption.abort());
  for (const name of wanted) {
    await part(name, async () => {
      if (values.minutes && performance.now() > Number(values.minutes) * 60_000) {
        throw new Unavailable(`${values.minutes} minutes have passed`);
      }
      const check = await CHECKS[name]();
      await check(values);
    });
  }
  const { passed, failed } = totals();
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
