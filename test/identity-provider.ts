import { fork } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

/** `oidc-provider.mjs` in a process of its own: jest cannot load its modules. */
export interface IdentityProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Starts the provider. @throws Error with what it said when it does not start */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const port = await freePort();
  const child = fork(join(__dirname, 'oidc-provider.mjs'), [String(port)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new Error(`the provider did not start: ${errors}`)));
  });
  return {
    issuer: `http://127.0.0.1:${port}`,
    stop: async () => {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await gone;
    },
  };
}
