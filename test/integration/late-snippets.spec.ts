import { randomUUID } from 'node:crypto';
import { deriveLineKey, type LineKey } from '@lineprint/fingerprint';
import { delayed, HistoryWriter, type Message, randomHistory, REPOSITORY } from '../late-history';
import { distributedPipeline, embeddedPipeline, Organisation, type Pipeline } from '../pipeline';
import { LINE_KEY } from '../programs';

const block = (name: string) => [
  `export function ${name}Reconcile(entries: LedgerEntry[], openingBalance: number) {`,
  `  let ${name}Running = openingBalance;`,
  `  for (const ${name}Entry of entries) ${name}Running += ${name}Entry.creditCents - ${name}Entry.debitCents;`,
  `  if (${name}Running < 0) throw new ${name}OverdraftError(${name}Running);`,
  `  return ${name}Running;`,
  '}',
];

const countOf = (messages: readonly Message[], kind: Message['kind']) =>
  messages.filter((message) => message.kind === kind).length;

describe.each([
  ['embedded', () => embeddedPipeline()],
  ['on Kafka, Redis and Postgres', () => distributedPipeline(`late_${randomUUID().slice(0, 8)}`)],
])('snippets that arrive late, %s', (_where, start) => {
  let pipeline: Pipeline;
  let key: LineKey;
  beforeAll(async () => {
    pipeline = await start();
    key = deriveLineKey(LINE_KEY, (await organisation()).keyId);
  }, 180_000);
  afterAll(() => pipeline?.stop(), 60_000);

  const organisation = () => Organisation.create(pipeline, `org-${randomUUID()}`);

  /** The export once everything has its last result. */
  async function exported(messages: readonly Message[]): Promise<{ text: string; at: Organisation }> {
    const at = await organisation();
    await at.send(messages);
    await at.settled(countOf(messages, 'commit'), countOf(messages, 'snippet'));
    return { text: await at.export(), at };
  }

  async function revisions(at: Organisation): Promise<number[]> {
    const { commits } = JSON.parse(await at.get('/api/v1/commits')) as {
      commits: { revision: number; late: boolean }[];
    };
    expect(commits.every(({ late }) => !late)).toBe(true);
    return commits.map(({ revision }) => revision).reverse();
  }

  /** Snippet, commit, and a child that copies the commit's lines. */
  function copied(): Message[] {
    const writer = new HistoryWriter(key);
    writer.accept('src/ledger.ts', block('harbour'));
    writer.append('src/ledger.ts', block('harbour'));
    writer.append('src/copy.ts', block('harbour'));
    return writer.messages;
  }

  it('bring the commit again, and its result is that of the right order', async () => {
    const [snippet, commit] = copied() as [Message, Message];
    const right = await exported([snippet, commit]);
    expect(right.text).toContain('"ai_preserved_lines":6');
    expect(await revisions(right.at)).toEqual([0]);

    const at = await organisation();
    await at.send([commit]);
    await at.settled(1, 0);
    expect(await at.export()).toContain('"human_new_lines":6');
    await at.send([snippet]);
    await at.settled(1, 1);
    expect(await at.export()).toBe(right.text);
    expect(await revisions(at)).toEqual([1]);
  }, 60_000);

  it('give the lines to the commit that used them first, not to a child that copies them', async () => {
    const [snippet, commit, child] = copied() as [Message, Message, Message];
    const right = await exported([snippet, commit, child]);
    expect(right.text.match(/"ai_preserved_lines":6/g)).toHaveLength(2);
    for (const order of [
      [commit, snippet, child],
      [commit, child, snippet],
    ]) {
      const { text } = await exported(order);
      expect(text).toBe(right.text);
    }
    // The child is judged with the snippet, and only then the commit.
    const at = await organisation();
    await at.send([commit]);
    await at.settled(1, 0);
    await at.send([snippet, child]);
    await at.settled(2, 1);
    expect(await at.export()).toBe(right.text);
  }, 60_000);

  it('that are newer than a commit leave it alone', async () => {
    const [snippet, commit] = copied() as [Message, Message];
    const at = await organisation();
    const newer = {
      ...snippet,
      fingerprint: {
        ...(snippet as Extract<Message, { kind: 'snippet' }>).fingerprint,
        timestamp: commit.at + 1,
      },
    } as Message;
    await at.send([commit, newer]);
    await at.settled(1, 1);
    expect(await revisions(at)).toEqual([0]);
  }, 60_000);

  it('bring each commit again once or twice, however many they are', async () => {
    const writer = new HistoryWriter(key);
    for (let i = 0; i < 300; i++) writer.accept('src/ledger.ts', block(`quay${i}`));
    for (let i = 0; i < 5; i++) writer.append('src/ledger.ts', block(`quay${i * 50}`));
    const right = await exported(writer.messages);
    const late = [...writer.messages.slice(300), ...writer.messages.slice(0, 300)];
    const at = await organisation();
    await at.send(late.slice(0, 5));
    await at.settled(5, 0);
    await at.client.sendFingerprints(
      late.flatMap((message) => (message.kind === 'snippet' ? [message.fingerprint] : [])),
    );
    await at.settled(5, 300);
    expect(await at.export()).toBe(right.text);
    for (const revision of await revisions(at)) expect([1, 2]).toContain(revision);
  }, 120_000);

  it.each([1, 2, 3, 4])(
    'in any order give what the right order gives (seed %i)',
    async (seed) => {
      const messages = randomHistory(seed, 40, key);
      const right = await exported(messages);
      expect(right.text).toContain('"evidence":"matched"');
      const late = delayed(messages, seed, 12);
      const { text, at } = await exported(late);
      expect(text).toBe(right.text);
      expect(Math.max(...(await revisions(at)))).toBeGreaterThan(0);
      expect(right.text).toContain(REPOSITORY);
    },
    120_000,
  );
});
