/**
 * Loaded before a service's own code (`node --require`): a test names a point, and the process kills or stops itself
 * with a signal when it passes there for the n-th time. The services' code knows nothing of it.
 *
 * A test arms a process by the file `<LINEPRINT_TEST_FAILPOINTS>/<pid>.json`: `{point, passage, signal}`. The file is
 * renamed to `<pid>.fired` before the signal, so a process that goes on, or is started again, is not armed.
 */
const { readFileSync, renameSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..', '..');
const folder = process.env.LINEPRINT_TEST_FAILPOINTS;

/** A member that died holds its partitions for so long; the product's own timeout would only make the test longer. */
const SESSION_TIMEOUT_MS = 4_000;
const HEARTBEAT_MS = 1_000;

/** The same of a process that relays the outbox, or commits that are to be analysed again. */
const LEASE_MS = 2_000;

/** Passages since the process was armed. */
let passages = 0;

/** Whether a signal is due here and now; `strike` sends it. */
function isDue(point) {
  let order;
  try {
    order = JSON.parse(readFileSync(join(folder, `${process.pid}.json`), 'utf8'));
  } catch {
    return false;
  }
  if (order.point !== point) return false;
  passages += 1;
  return passages >= order.passage;
}

function strike() {
  const order = join(folder, `${process.pid}.json`);
  const { signal } = JSON.parse(readFileSync(order, 'utf8'));
  renameSync(order, join(folder, `${process.pid}.fired`));
  passages = 0;
  process.kill(process.pid, signal);
}

function pass(point) {
  if (isDue(point)) strike();
}

/** Replaces a method by one that passes `before` and `after` it. */
function around(owner, method, point) {
  const original = owner[method];
  owner[method] = async function (...args) {
    pass(`${point}, before`);
    const result = await original.apply(this, args);
    pass(`${point}, after`);
    return result;
  };
}

function watchLog() {
  const { KafkaEventLog } = require(join(root, 'libs/event-log/dist/kafka-event-log.js'));
  const { append, consume } = KafkaEventLog.prototype;
  KafkaEventLog.prototype.append = async function (records, ...rest) {
    const isBurial = records.some(({ topic }) => topic.endsWith('.dlq'));
    const point = isBurial ? 'dead letters' : 'append';
    pass(`${point}, before`);
    if (isDue(`${point}, half`)) {
      await append.call(this, records.slice(0, Math.ceil(records.length / 2)), ...rest);
      strike();
    }
    const positions = await append.call(this, records, ...rest);
    pass(`${point}, after`);
    return positions;
  };
  // What comes after the handler and before the end of its call is the commit of the offset, or dead letters.
  KafkaEventLog.prototype.consume = function (options) {
    const watched = { ...options };
    around(watched, 'handler', 'batch');
    return consume.call(this, watched);
  };
}

function watchDatabase() {
  const { PostgresDatabase } = require(join(root, 'libs/persistence/dist/postgres-database.js'));
  const { transaction } = PostgresDatabase.prototype;
  PostgresDatabase.prototype.transaction = async function (work) {
    pass('transaction, before');
    const result = await transaction.call(this, async (tx) => {
      const inside = await work(tx);
      pass('transaction, inside');
      return inside;
    });
    pass('transaction, after');
    return result;
  };
  around(require(join(root, 'libs/persistence/dist/progress.js')), 'saveProgress', 'progress');
}

function watchIndex() {
  const { RedisRecallIndex } = require(join(root, 'libs/recall/dist/redis-recall-index.js'));
  around(RedisRecallIndex.prototype, 'add', 'index');
}

/** `outbox, before`: the log has the records and the outbox still has them. */
function watchOutbox() {
  const outbox = require(join(root, 'libs/event-log/dist/outbox.js'));
  around(outbox, 'removeRelayed', 'outbox');
  const { holdLease } = outbox;
  outbox.holdLease = (queryable, holder) => holdLease(queryable, holder, LEASE_MS);
}

function shortenClaims() {
  const reanalysis = require(join(root, 'libs/persistence/dist/reanalysis.js'));
  const { claimReanalysis } = reanalysis;
  reanalysis.claimReanalysis = (queryable, claim) =>
    claimReanalysis(queryable, { ...claim, claimMs: LEASE_MS });
}

function shortenSessions() {
  const { Kafka } = require('kafkajs');
  const { consumer } = Kafka.prototype;
  Kafka.prototype.consumer = function (options) {
    const shorter = { ...options, sessionTimeout: SESSION_TIMEOUT_MS, heartbeatInterval: HEARTBEAT_MS };
    return consumer.call(this, shorter);
  };
}

// Not in the processes that a service starts, nor in those that start it.
if (folder && /[\\/]apps[\\/][^\\/]+[\\/]dist[\\/]main\.js$/.test(process.argv[1] ?? '')) {
  watchLog();
  watchDatabase();
  watchIndex();
  watchOutbox();
  shortenClaims();
  shortenSessions();
}
