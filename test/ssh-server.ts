import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A real sshd, where there is one: `LINEPRINT_TEST_SSHD`, or where openssh-server puts it. */
export const sshd = [process.env['LINEPRINT_TEST_SSHD'], '/usr/sbin/sshd', '/usr/local/sbin/sshd'].find(
  (path) => path !== undefined && existsSync(path),
);

/** Lets whoever has `keyFile` in as the user that runs the tests, on 127.0.0.1. */
export class SshServer {
  private constructor(
    private readonly program: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** @param folder for its keys */
  static async start(program: string, folder: string): Promise<SshServer> {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const name of ['host', 'key', 'other']) {
      execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
    }
    writeFileSync(join(folder, 'authorized'), readFileSync(join(folder, 'key.pub')), { mode: 0o600 });
    const port = await freePort();
    const settings = [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${join(folder, 'host')}`,
      `AuthorizedKeysFile ${join(folder, 'authorized')}`,
      'StrictModes no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PidFile none',
    ];
    writeFileSync(join(folder, 'settings'), `${settings.join('\n')}\n`);
    const child = spawn(program, ['-D', '-e', '-f', join(folder, 'settings')], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    while (!said.includes('Server listening')) {
      if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`);
      await delay(10);
    }
    return new SshServer(child, folder, port);
  }

  url(path: string): string {
    return `ssh://${userInfo().username}@127.0.0.1:${this.port}${path}`;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** `key` is let in, `other` is not. */
  keyFile(name: 'key' | 'other'): string {
    return join(this.folder, name);
  }

  /** Known hosts in which this server has its own key, or another one. */
  knownHosts(key: 'host' | 'other'): string {
    const file = join(this.folder, `known hosts ${key}`);
    writeFileSync(file, `[127.0.0.1]:${this.port} ${readFileSync(join(this.folder, `${key}.pub`), 'utf8')}`);
    return file;
  }

  async stop(): Promise<void> {
    this.program.kill();
    if (this.program.exitCode === null) await once(this.program, 'exit');
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
