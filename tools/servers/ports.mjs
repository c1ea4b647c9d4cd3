import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** @returns {Promise<number>} a port of 127.0.0.1 that is free now; another process may still take it first */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** @param {number} port @returns {Promise<boolean>} whether somebody listens on it */
export function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      // The kernel may choose the very port as its own end: then the socket has met itself.
      resolve(socket.localPort !== port);
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * Asks until the answer is yes.
 *
 * @param {() => Promise<boolean> | boolean} ready
 * @param {number} limitMs
 * @returns {Promise<boolean>} false when the limit passed first
 */
export async function until(ready, limitMs) {
  const end = performance.now() + limitMs;
  while (!(await ready())) {
    if (performance.now() > end) return false;
    await delay(100);
  }
  return true;
}
