const { relative } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/** Seconds that the longest files take on two idle cores, as `npm test` prints them. */
const SECONDS = {
  'test/chaos/outages.spec.ts': 140,
  'test/integration/cli.spec.ts': 105,
  'test/integration/replay-commits.spec.ts': 105,
  'test/integration/replay.spec.ts': 100,
  'test/integration/accuracy-pipeline.spec.ts': 78,
  'test/chaos/killed-process.spec.ts': 67,
  'test/integration/late-snippets.spec.ts': 64,
  'test/integration/event-log.spec.ts': 50,
  'test/integration/webhooks.spec.ts': 47,
  'test/integration/policies.spec.ts': 42,
  'test/integration/grafana.spec.ts': 40,
  'test/integration/capture.spec.ts': 34,
  'test/integration/kafka-security.spec.ts': 32,
  'test/integration/dead-letters.spec.ts': 25,
  'test/integration/adapters.spec.ts': 24,
  'test/integration/same-export.spec.ts': 24,
  'test/integration/git-reality/rewriting.spec.ts': 23,
  'apps/line-attributor/src/replay/replay-worker.spec.ts': 23,
  'libs/fingerprint/src/hostile-text.spec.ts': 20,
};

/** The rest take about as long as they are, in milliseconds a byte. */
const MS_A_BYTE = 0.3;

/**
 * The longest files first, so that no worker ends up alone with one. What they took here the last time counts; where
 * they have not run yet, as in every new checkout, what is known of them.
 */
module.exports = class extends Sequencer {
  time(test) {
    const { hasteFS, config } = test.context;
    const seconds = SECONDS[relative(config.rootDir, test.path)];
    return super.time(test) ?? (seconds ? seconds * 1000 : (hasteFS.getSize(test.path) ?? 0) * MS_A_BYTE);
  }
};
