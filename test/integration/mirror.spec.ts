import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LineRecords, Mirror, type MirrorOptions, remoteOf } from '@lineprint/git';
import { secretFile } from '@lineprint/platform';
import { GitServer } from '../git-server';
import { TestRepository } from '../repositories';
import { sshd, SshServer } from '../ssh-server';

jest.setTimeout(60_000);

const NO_NOTES = { hasNotes: false };
const TOKEN = 'token-that-nobody-may-see';

/** Command lines of running programs. */
function commandLines(): string[] {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['axww', '-o', 'command'], { encoding: 'utf8' }).split('\n');
  }
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        // It ended meanwhile.
        return [];
      }
    });
}

describe('a mirror', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-mirror-'));
  let git: GitServer;
  let work: TestRepository;
  let others: Server[] = [];
  let count = 0;

  beforeAll(async () => {
    git = await GitServer.start(folder, 'reader', TOKEN);
    work = new TestRepository(join(folder, 'desk'));
    work.commit('start', { 'a.ts': 'export const a = 1;\n' });
  });
  afterEach(() => {
    for (const server of others) {
      server.closeAllConnections();
      server.close();
    }
    others = [];
  });
  afterAll(async () => {
    await git.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const mirror = (host = git.host, changes: Partial<MirrorOptions> = {}) =>
    new Mirror({
      path: join(folder, `mirror-${count++}`),
      remote: remoteOf(`http://${host}/desk/.git`, { hosts: [`http://${host}`] }),
      credential: `reader:${TOKEN}`,
      timeoutMs: 30_000,
      maxBytes: 10_000_000,
      ...changes,
    });
  async function answering(listener: Parameters<typeof createServer>[1]): Promise<string> {
    const server = createServer(listener as never);
    others.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('has the branches that were asked for, those that differ in upper and lower case included', async () => {
    const head = work.git(['rev-parse', 'HEAD']);
    work.git(['update-ref', 'refs/heads/topic', head]);
    work.git(['pack-refs', '--all']);
    const one = mirror();
    const { defaultBranch, branches } = await one.remoteBranches();
    expect({ defaultBranch, branches: [...branches] }).toEqual({
      defaultBranch: 'main',
      branches: [
        ['main', head],
        ['topic', head],
      ],
    });
    expect([...(await one.fetch(['main', 'topic'], NO_NOTES)).tips]).toEqual([...branches]);
  });

  it('has git-ai’s notes where the remote has them', async () => {
    const one = mirror();
    expect((await one.remoteBranches()).hasNotes).toBe(false);
    const head = work.git(['rev-parse', 'HEAD']);
    const note = readFileSync(
      join(__dirname, '../../libs/capture/src/adapters/fixtures/git-ai/3.0.0.txt'),
      'utf8',
    );
    work.git(['notes', '--ref', 'ai', 'add', '-F', '-', head], { input: note });
    const { hasNotes } = await one.remoteBranches();
    const { repository } = await one.fetch(['main'], { hasNotes });
    const records = await LineRecords.open(repository);
    expect([...records.commits()]).toEqual([head]);
    records.close();
    work.git(['update-ref', '-d', 'refs/notes/ai']);
  });

  it('is asked for with a credential that no list of programs shows', async () => {
    const stopping = new AbortController();
    let seen: string[] = [];
    const host = await answering((request) => {
      seen = commandLines().filter((line) => line.includes(`http://${request.headers.host}`));
      stopping.abort();
    });
    await expect(mirror(host, { signal: stopping.signal }).remoteBranches()).rejects.toMatchObject({
      code: 'git-aborted',
    });
    expect(seen.length).toBeGreaterThan(0);
    const secrets = [TOKEN, Buffer.from(`reader:${TOKEN}`).toString('base64')];
    for (const line of seen) for (const secret of secrets) expect(line).not.toContain(secret);
  });

  it('says that a credential is wrong, without saying which it is', async () => {
    const refused = mirror(git.host, { credential: 'reader:wrong-token' }).remoteBranches();
    await expect(refused).rejects.toMatchObject({
      code: 'git-remote',
      transient: true,
      message: expect.not.stringContaining('wrong-token') as string,
    });
  });

  it('follows no redirect', async () => {
    let asked = 0;
    const elsewhere = await answering((_request, response) => {
      asked++;
      response.end();
    });
    const host = await answering((request, response) => {
      response.writeHead(302, { location: `http://${elsewhere}${request.url}` }).end();
    });
    await expect(mirror(host).remoteBranches()).rejects.toMatchObject({ code: 'git-remote' });
    expect(asked).toBe(0);
  });

  it('asks no other host for objects that its own calls alternates', async () => {
    let asked = 0;
    const elsewhere = await answering((_request, response) => {
      asked++;
      response.end();
    });
    const sha = '1'.repeat(40);
    const answers: Record<string, string> = {
      'info/refs': `${sha}\trefs/heads/main\n`,
      HEAD: 'ref: refs/heads/main\n',
      'objects/info/http-alternates': `http://${elsewhere}/objects\n`,
      'objects/info/alternates': `http://${elsewhere}/objects\n`,
    };
    const paths: string[] = [];
    const host = await answering((request, response) => {
      const path = new URL(request.url ?? '/', 'http://git').pathname.replace('/desk/.git/', '');
      paths.push(path);
      response.writeHead(path in answers ? 200 : 404, { 'content-type': 'text/plain' }).end(answers[path]);
    });
    await expect(mirror(host).fetch(['main'], NO_NOTES)).rejects.toMatchObject({ code: 'git-remote' });
    expect(paths).toContain('info/refs');
    expect(asked).toBe(0);
  });

  it('gives up a host that does not answer', async () => {
    const host = await answering(() => undefined);
    await expect(mirror(host, { timeoutMs: 500 }).remoteBranches()).rejects.toMatchObject({
      code: 'git-timeout',
      transient: true,
    });
    expect(commandLines().filter((line) => line.includes(host))).toEqual([]);
  });

  it('is not fetched beyond its largest size', async () => {
    await expect(mirror(git.host, { maxBytes: 10 }).fetch(['main'], NO_NOTES)).rejects.toMatchObject({
      code: 'mirror-too-large',
    });
  });

  it('follows no submodule and checks nothing out', async () => {
    const trap = join(folder, 'trap');
    work.commit('submodule', {
      '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::touch ${trap}\n\tupdate = !touch ${trap}\n`,
    });
    const { repository, tips } = await mirror().fetch(['main'], NO_NOTES);
    expect(tips.get('main')).toBe(work.git(['rev-parse', 'HEAD']));
    expect(existsSync(trap)).toBe(false);
    expect(readdirSync(repository.gitDir)).not.toContain('.gitmodules');
  });

  it('goes on after a process that was killed while it fetched', async () => {
    const one = mirror();
    const { repository } = await one.fetch(['main'], NO_NOTES);
    const [ref] = readdirSync(join(repository.gitDir, 'refs/lineprint'));
    writeFileSync(join(repository.gitDir, 'refs/lineprint', `${ref}.lock`), '');
    writeFileSync(join(repository.gitDir, 'objects/pack', 'tmp_pack_abc'), 'half');
    const next = work.commit('next', { 'b.ts': 'export const b = 2;\n' });
    expect((await one.fetch(['main'], NO_NOTES)).tips.get('main')).toBe(next);
    expect(readdirSync(join(repository.gitDir, 'objects/pack'))).not.toContain('tmp_pack_abc');
  });
});

describe('a mirror over SSH', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-ssh-mirror-'));
  let count = 0;
  const mirror = (url: string, host: string, changes: Partial<MirrorOptions>) =>
    new Mirror({
      path: join(folder, `mirror-${count++}`),
      remote: remoteOf(url, { hosts: [host] }),
      timeoutMs: 30_000,
      maxBytes: 10_000_000,
      ...changes,
    });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe('asks ssh', () => {
    const PATH = process.env['PATH']!;
    const said = join(folder, 'said');
    beforeAll(() => {
      writeFileSync(join(folder, 'ssh'), `#!/bin/sh\nfor word; do echo "$word"; done >'${said}'\nexit 1\n`, {
        mode: 0o755,
      });
      process.env['PATH'] = `${folder}:${PATH}`;
    });
    afterAll(() => void (process.env['PATH'] = PATH));
    const asked = async (changes: Partial<MirrorOptions>) => {
      const one = mirror('ssh://git@git.example/desk.git', 'git.example', changes);
      await expect(one.remoteBranches()).rejects.toMatchObject({ code: 'git-remote', transient: true });
      return readFileSync(said, 'utf8').split('\n');
    };

    it('for the given key only, for a host whose key is known, and reads no settings', async () => {
      const words = await asked({ credential: '/secrets/100% ours/key', knownHostsFile: '/etc/known hosts' });
      expect(words).toEqual(
        expect.arrayContaining([
          'IdentitiesOnly=yes',
          'IdentityFile="/secrets/100%% ours/key"',
          'StrictHostKeyChecking=yes',
          'UserKnownHostsFile="/etc/known hosts"',
          'none',
        ]),
      );
    });

    it('with no key of the user that runs it, where none was given', async () => {
      expect(await asked({})).toContain('IdentityFile="none"');
    });
  });

  // Where there is no sshd, what ssh was asked for above stands alone.
  if (sshd !== undefined) {
    describe('from a real server', () => {
      let server: SshServer;
      let work: TestRepository;
      const from = (changes: Partial<MirrorOptions>) =>
        mirror(server.url(join(work.path, '.git')), server.host, changes);
      beforeAll(async () => {
        work = new TestRepository(join(folder, 'desk'));
        work.commit('start', { 'a.ts': 'export const a = 1;\n' });
        server = await SshServer.start(sshd!, join(folder, 'secrets/default'));
      });
      afterAll(() => server.stop());

      it('is fetched with the key that a reference names, when the server shows the key that is known', async () => {
        const secrets = { secretsDirectory: join(folder, 'secrets') } as Parameters<typeof secretFile>[2];
        const credential = secretFile('file:key', 'default', secrets)!;
        const one = from({ credential, knownHostsFile: server.knownHosts('host') });
        expect([...(await one.remoteBranches()).branches.keys()]).toEqual(['main']);
        const { tips } = await one.fetch(['main'], NO_NOTES);
        expect(tips.get('main')).toBe(work.git(['rev-parse', 'HEAD']));
      });

      it('is refused when the server shows another key than the known one, or none is known', async () => {
        const credential = server.keyFile('key');
        const empty = join(folder, 'nobody-known');
        writeFileSync(empty, '');
        for (const knownHostsFile of [server.knownHosts('other'), empty]) {
          await expect(from({ credential, knownHostsFile }).remoteBranches()).rejects.toMatchObject({
            code: 'git-remote',
          });
        }
      });

      it('is refused without a key, and with one that the server does not let in', async () => {
        const knownHostsFile = server.knownHosts('host');
        for (const key of [{}, { credential: server.keyFile('other') }]) {
          await expect(from({ ...key, knownHostsFile }).remoteBranches()).rejects.toMatchObject({
            code: 'git-remote',
          });
        }
      });
    });
  }
});
