import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves the bare repositories of a directory by HTTP on 127.0.0.1, as git hosts do, to whoever has a password. */
export class GitServer {
  /** Requests that were answered. */
  requests = 0;
  private constructor(
    private readonly server: Server,
    private readonly root: string,
    private readonly authorization: string,
  ) {}

  static async start(root: string, user: string, password: string): Promise<GitServer> {
    const server = createServer();
    const pair = Buffer.from(`${user}:${password}`).toString('base64');
    const git = new GitServer(server, root, `Basic ${pair}`);
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      git.answer(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return git;
  }

  /** `127.0.0.1:PORT` */
  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    this.requests++;
    if (request.headers.authorization !== this.authorization) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const url = new URL(request.url ?? '/', 'http://git');
    const backend = spawn('git', ['http-backend'], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_PROJECT_ROOT: this.root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_USER: 'reader',
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        GIT_PROTOCOL: request.headers['git-protocol'] as string | undefined,
      },
    });
    request.pipe(backend.stdin);
    backend.stdin.on('error', () => undefined);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const output = Buffer.concat(chunks);
      const end = output.indexOf('\r\n\r\n');
      const head = output.subarray(0, end).toString('latin1').split('\r\n');
      const headers = head.map((line) => line.split(/:\s*/, 2) as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
      response.writeHead(
        Number.parseInt(status, 10),
        Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
      );
      response.end(output.subarray(end + 4));
    });
  }
}
