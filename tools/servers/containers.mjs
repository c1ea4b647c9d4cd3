/** Kafka, Redis and Postgres in containers, through testcontainers, which also removes them after a crash. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { freePort } from './ports.mjs';

const images = {
  kafka: 'apache/kafka:4.3.1',
  redis: 'redis:7.4-alpine',
  postgres: 'postgres:17-alpine',
};

/** @returns {boolean} whether a container engine answers */
export function engineAnswers() {
  const info = spawnSync('docker', ['info', '--format', '{{.ServerVersion}}'], {
    timeout: 5000,
    encoding: 'utf8',
  });
  return info.status === 0 && info.stdout.trim() !== '';
}

/**
 * @param {('kafka' | 'redis' | 'postgres')[]} wanted
 * @param {{log: (line: string) => void}} options
 * @returns {Promise<import('../servers.mjs').Started>}
 */
export async function startContainers(wanted, { log }) {
  const testcontainers = await import('testcontainers');
  const runtime = await testcontainers.getContainerRuntimeClient();
  const { host } = runtime.info.containerRuntime;
  const started = await Promise.allSettled(
    wanted.map(async (name) => {
      log(`${name} in a container (${images[name]})`);
      const { container, url } = await describe[name](testcontainers, host);
      const running = await container.start();
      return {
        name,
        url: url(running),
        stop: () => running.stop(),
        // The container's own `stop` could not be followed by a start.
        pause: () => runtime.container.stop(runtime.container.getById(running.getId()), { timeout: 0 }),
        resume: () => running.restart(),
      };
    }),
  );
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const stop = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  const failed = started.find((result) => result.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const byName = Object.fromEntries(running.map((server) => [server.name, server]));
  return {
    urls: Object.fromEntries(running.map((server) => [server.name, server.url])),
    stop,
    pause: (name) => byName[name].pause(),
    resume: (name) => byName[name].resume(),
  };
}

const describe = {
  async kafka({ GenericContainer, Wait }, host) {
    // A broker tells its clients its address, so its port outside must be known before it starts.
    const port = await freePort();
    const container = new GenericContainer(images.kafka)
      .withExposedPorts({ container: port, host: port })
      .withEnvironment({
        KAFKA_NODE_ID: '1',
        KAFKA_PROCESS_ROLES: 'broker,controller',
        KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:29093',
        KAFKA_LISTENERS: `PLAINTEXT://0.0.0.0:${port},CONTROLLER://localhost:29093`,
        KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://${host}:${port}`,
        KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
        KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
        KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
        KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS: '8',
        KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
        KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
        KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR: '1',
        KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR: '1',
        KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
        KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS: '1000',
        KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      })
      .withWaitStrategy(Wait.forLogMessage('Kafka Server started'));
    return { container, url: () => `kafka://${host}:${port}` };
  },
  async redis({ GenericContainer, Wait }) {
    const container = new GenericContainer(images.redis)
      .withExposedPorts(6379)
      .withWaitStrategy(Wait.forLogMessage('Ready to accept connections'));
    return { container, url: (running) => `redis://${running.getHost()}:${running.getMappedPort(6379)}` };
  },
  async postgres({ GenericContainer, Wait }) {
    const password = randomBytes(12).toString('hex');
    const container = new GenericContainer(images.postgres)
      .withExposedPorts(5432)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand([
        'postgres',
        '-c',
        'fsync=off',
        '-c',
        'synchronous_commit=off',
        '-c',
        'max_connections=200',
      ])
      // it starts twice: once to initialise itself
      .withWaitStrategy(Wait.forLogMessage('database system is ready to accept connections', 2));
    return {
      container,
      url: (running) =>
        `postgres://postgres:${password}@${running.getHost()}:${running.getMappedPort(5432)}/postgres`,
    };
  },
};
