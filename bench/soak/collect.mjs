/**
 * Preloaded into the services of a soak: on SIGURG all garbage is collected, and what is left in memory goes to stdout as one
 * line of JSON. What V8 has not collected yet says nothing about a leak. Nest ends a service on SIGUSR2; nobody else uses SIGURG, and
 * a process that does not listen yet ignores it.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGURG', () => {
  // Twice: what finalizers let go of goes with the second.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ collectedBytes: heapUsed + external })}\n`);
});
