import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BatchAnswer, CodeFingerprint } from '@lineprint/contracts';
import { CaptureState } from './capture-state';
import { ClientRefusal, ClientUnavailable } from './client';
import { loadProgress, saveProgress } from './progress';
import { sendSpool } from './sender';
import { SenderLock } from './sender-lock';
import { Spool } from './spool';

const NOW = 1_790_000_000_000;
const fingerprint = (codeId: string) => ({ codeId }) as CodeFingerprint;

/** A server that answers as it is told, and remembers what it took. */
class Server {
  readonly taken: string[] = [];
  requests = 0;
  /** What is wrong with a request; nothing for a good one. */
  fault: (ids: string[]) => Error | undefined = () => undefined;
  refuses = (_id: string) => false;
  enrolment = async () => ({ orgId: 'o', keyId: 'k2', lineKey: 'bmV3', rawCode: true });

  async sendFingerprints(items: readonly CodeFingerprint[]): Promise<BatchAnswer> {
    this.requests++;
    const ids = items.map(({ codeId }) => codeId);
    const fault = this.fault(ids);
    if (fault) throw fault;
    const rejected = ids.flatMap((id, index) =>
      this.refuses(id) ? [{ index, code: 'bad', detail: `${id} is bad` }] : [],
    );
    this.taken.push(...ids.filter((id) => !this.refuses(id)));
    return { accepted: ids.length - rejected.length, rejected };
  }
}

describe('sendSpool', () => {
  let state: CaptureState;
  let server: Server;
  let now: number;
  beforeEach(() => {
    state = new CaptureState(mkdtempSync(join(tmpdir(), 'lineprint-sender-')));
    state.saveSettings({
      url: 'http://127.0.0.1:9',
      apiKey: 'key',
      orgId: 'o',
      keyId: 'k1',
      lineKey: 'b2xk',
      userId: 'ada',
      enrolledAt: NOW,
    });
    server = new Server();
    now = NOW;
  });
  afterEach(() => rmSync(state.directory, { recursive: true }));

  const spool = () => new Spool(state.spoolDirectory);
  const keep = (...ids: string[]) =>
    spool().append(
      ids.map((id) => JSON.stringify(fingerprint(id))),
      now++,
    );
  const send = (more: object = {}) =>
    sendSpool(state, { client: server, clock: () => now, random: () => 1, ...more });
  const left = () =>
    spool()
      .segments()
      .flatMap(({ name }) => spool().read(name))
      .map((record) => (JSON.parse(record) as CodeFingerprint).codeId);
  const progress = () => loadProgress(state.progressPath);

  it('sends all segments in few requests, and forgets them when they are answered', async () => {
    keep('a', 'b');
    keep('c');
    expect(await send()).toBe('sent');
    expect(server.taken).toEqual(['a', 'b', 'c']);
    expect(server.requests).toBe(1);
    expect(left()).toEqual([]);
    expect(progress()).toMatchObject({ sent: 3, refused: 0, dropped: 0, failures: 0 });
    expect(readFileSync(state.lastPath, 'utf8')).toContain('"c"');
  });

  it('keeps everything that has no answer, waits longer each time, and then sends it', async () => {
    keep('a');
    server.fault = () => new ClientUnavailable('away');
    const waits = [];
    for (let i = 0; i < 9; i++) {
      expect(await send()).toBe('failed');
      waits.push(progress().nextTryAt! - now);
      expect(await send()).toBe('waiting');
      now = progress().nextTryAt!;
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600].map((seconds) => seconds * 1000));
    expect(server.requests).toBe(9);
    expect(left()).toEqual(['a']);
    expect(progress().lastError).toMatchObject({ code: 'server-unavailable', message: 'away' });
    server.fault = () => undefined;
    expect(await send()).toBe('sent');
    expect(left()).toEqual([]);
    expect(progress()).toMatchObject({ sent: 1, failures: 0 });
    expect(progress().nextTryAt).toBeUndefined();
  });

  it('comes back when the server asked to, an hour later at most, or when a person does not want to wait', async () => {
    keep('a');
    server.fault = () => new ClientUnavailable('busy', undefined, 77_000);
    await send();
    expect(progress().nextTryAt).toBe(now + 77_000);
    server.fault = () => new ClientUnavailable('busy', undefined, 86_400_000);
    expect(await send({ now: true })).toBe('failed');
    expect(progress().nextTryAt).toBe(now + 3_600_000);
  });

  it('keeps each refused item with its reason, and sends the others', async () => {
    keep('a', 'b', 'c');
    server.refuses = (id) => id === 'b';
    expect(await send()).toBe('sent');
    expect(server.taken).toEqual(['a', 'c']);
    expect(progress()).toMatchObject({ sent: 2, refused: 1 });
    const [file] = readdirSync(state.refusedDirectory) as [string];
    expect(JSON.parse(readFileSync(join(state.refusedDirectory, file), 'utf8'))).toEqual({
      code: 'bad',
      detail: 'b is bad',
      fingerprint: { codeId: 'b' },
    });
  });

  it.each([400, 413, 422])(
    'finds the one item for which a whole request is refused with %d',
    async (status) => {
      keep(...'abcdefgh');
      server.fault = (ids) => (ids.includes('f') ? new ClientRefusal(status, undefined) : undefined);
      expect(await send()).toBe('sent');
      expect(server.taken).toEqual([...'abcdegh']);
      expect(progress()).toMatchObject({ sent: 7, refused: 1 });
    },
  );

  it('halves what is too large for the server, whatever it is', async () => {
    keep(...'abcdefgh');
    server.fault = (ids) => (ids.length > 2 ? new ClientRefusal(413, undefined) : undefined);
    expect(await send()).toBe('sent');
    expect(server.taken).toEqual([...'abcdefgh']);
  });

  it.each([401, 403, 404, 200, 302])(
    'loses nothing when the address or the key is wrong: %d',
    async (status) => {
      keep('a');
      server.fault = () => new ClientRefusal(status, undefined);
      expect(await send()).toBe('failed');
      expect(left()).toEqual(['a']);
      expect(progress()).toMatchObject({ sent: 0, refused: 0, lastError: { code: `http-${status}` } });
      expect(progress().nextTryAt).toBe(now + 600_000);
    },
  );

  it('counts a segment once when a sender is killed between the count and the removal', async () => {
    keep('a');
    const { name } = spool().segments()[0]!;
    saveProgress(state.progressPath, { ...progress(), sent: 1, answered: [name] });
    expect(await send()).toBe('sent');
    expect(server.requests).toBe(0);
    expect(left()).toEqual([]);
    expect(progress()).toMatchObject({ sent: 1, answered: [] });
  });

  it('counts a damaged record as dropped, and sends the others', async () => {
    keep('a');
    spool().append(['{"codeId":'], now);
    keep('b');
    expect(await send()).toBe('sent');
    expect(server.taken).toEqual(['a', 'b']);
    expect(progress()).toMatchObject({ sent: 2, dropped: 1 });
  });

  it('counts what is too old as dropped', async () => {
    keep('a', 'b');
    now += 31 * 86_400_000;
    expect(await send()).toBe('sent');
    expect(progress()).toMatchObject({ sent: 0, dropped: 2 });
    expect(readFileSync(state.logPath, 'utf8')).toContain('dropped 2');
  });

  it('leaves the spool to the sender that is at work', async () => {
    keep('a');
    const lock = SenderLock.take(state.lockPath)!;
    expect(await send()).toBe('busy');
    lock.release();
    expect(await send()).toBe('sent');
  });

  it('takes over the lock of a sender that is gone', async () => {
    keep('a');
    writeFileSync(state.lockPath, '4194999');
    expect(await send()).toBe('sent');
    keep('b');
    // A living process that has not touched it: another program got the number.
    writeFileSync(state.lockPath, String(process.pid));
    utimesSync(state.lockPath, 1, 1);
    expect(await send()).toBe('sent');
  });

  it('sends what is spooled while it sends', async () => {
    keep('a');
    server.fault = (ids) => {
      if (ids.includes('a')) keep('late');
      return undefined;
    };
    expect(await send()).toBe('sent');
    expect(server.taken).toEqual(['a', 'late']);
  });

  it('does not take its own end for a failure of the server', async () => {
    keep('a');
    const stop = new AbortController();
    server.fault = () => {
      stop.abort();
      return new ClientUnavailable('aborted');
    };
    expect(await send({ signal: stop.signal })).toBe('failed');
    expect(progress().failures).toBe(0);
    expect(left()).toEqual(['a']);
  });

  it('asks once a day for the organisation’s key, which may have changed', async () => {
    now += 2 * 86_400_000;
    expect(await send()).toBe('sent');
    expect(state.settings()).toMatchObject({
      keyId: 'k2',
      lineKey: 'bmV3',
      rawCode: true,
      userId: 'ada',
      enrolledAt: now,
    });
  });

  it('says that nobody has enrolled the machine', async () => {
    rmSync(join(state.directory, 'settings.json'));
    keep('a');
    expect(await sendSpool(state, { clock: () => now })).toBe('failed');
    expect(progress().lastError).toMatchObject({ code: 'not-enrolled' });
    expect(left()).toEqual(['a']);
  });
});
