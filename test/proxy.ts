import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between the services and one server, so that a test can take that server away and give it back. */
export class Proxy {
  private readonly sockets = new Set<Socket>();
  private listener: Server | undefined;

  private constructor(
    private readonly target: { readonly host: string; readonly port: number },
    private port: number,
  ) {}

  /** @param url of a server, port included; `url` of the result is the same through the proxy */
  static async before(url: string): Promise<{ proxy: Proxy; url: string }> {
    const address = new URL(url);
    const proxy = new Proxy({ host: address.hostname, port: Number(address.port) }, 0);
    await proxy.restore();
    address.hostname = '127.0.0.1';
    address.port = String(proxy.port);
    return { proxy, url: address.href };
  }

  /** Breaks every connection and refuses new ones, as a server does that was killed. */
  async cut(): Promise<void> {
    const closed = this.listener && once(this.listener, 'close');
    this.listener?.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await closed;
  }

  /** Lets connections through, again on the same port. */
  async restore(): Promise<void> {
    this.listener = createServer((client) => {
      const server = connect(this.target);
      for (const socket of [client, server]) {
        this.sockets.add(socket);
        // Either end may go at any moment: that is what the test is about.
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.sockets.delete(socket);
          client.destroy();
          server.destroy();
        });
      }
      client.pipe(server).pipe(client);
    }).listen(this.port, '127.0.0.1');
    await once(this.listener, 'listening');
    const address = this.listener.address();
    if (address && typeof address === 'object') this.port = address.port;
  }
}
