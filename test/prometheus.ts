import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A real Prometheus that scrapes every second. */
export interface Prometheus {
  /** @throws Error with Prometheus' own words when it refuses the expression */
  query(expr: string): Promise<Sample[]>;
  stop(): Promise<void>;
}

/**
 * Starts Debian's Prometheus on 127.0.0.1; `npm test` installs it.
 * @param targets addresses `http://host:port` whose `/metrics` it scrapes
 * @param rules paths of rule files, evaluated every second
 */
export async function startPrometheus(
  targets: readonly string[],
  rules: readonly string[],
): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-prometheus-'));
  const config = join(folder, 'prometheus.yml');
  // JSON is YAML.
  writeFileSync(
    config,
    JSON.stringify({
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      rule_files: rules,
      scrape_configs: [
        {
          job_name: 'lineprint',
          // As an operator's: what the services say of themselves stands.
          honor_labels: true,
          static_configs: [{ targets: targets.map((url) => new URL(url).host) }],
        },
      ],
    }),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString('utf8')).slice(-5_000)));
  const ended = once(child, 'exit').catch((error: Error) => (said = error.message));
  let isOver = false;
  void ended.then(() => (isOver = true));
  while (!(await isReady(url))) {
    if (isOver) throw new Error(`Prometheus ended. It said:\n${said}`);
    await delay(100);
  }
  return {
    async query(expr) {
      const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expr }).toString()}`);
      const body = (await answer.json()) as {
        error?: string;
        data?: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      if (!body.data) throw new Error(`${expr}: ${body.error}`);
      return body.data.result.map(({ metric, value }) => ({ metric, value: Number(value[1]) }));
    },
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
  return answer?.ok ?? false;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
