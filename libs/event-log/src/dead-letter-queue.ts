import { createHash } from 'node:crypto';
import { deadLetterTopic, TOPICS, type TopicName } from '@lineprint/contracts';
import {
  type Database,
  type DeadLetterDecision,
  type DeadLetterPosition,
  decideDeadLetters,
  decidedDeadLetters,
} from '@lineprint/persistence';
import type { EventLog, Headers, LogRecord, OutgoingRecord } from './log';
import { enqueue } from './outbox';

/** Of one transaction that redrives, about. */
const LARGEST_CHUNK = { letters: 200, bytes: 16 * 1024 * 1024 };
/** Of one call that redrives or drops. */
const MOST_DECIDED = 1_000;
const MOST_FIELDS = 100;
/** A name that a contract may have; others may be somebody's text. */
const FIELD_NAME = /^[A-Za-z_][\w.-]{0,63}$/;

/** Of a record that was redriven: its letter, where it first was in its topic, and how often it had failed. */
const REDRIVEN_FROM = 'lp_redriven_from';
const FIRST_POSITION = 'lp_redriven_first_position';
const EARLIER_ATTEMPTS = 'lp_redriven_attempts';
const OF_DEAD_LETTER = 'lp_dlq_';

/** Whose letters are seen: those of the organisation's records; the operator sees those that name none as well. */
export interface DeadLetterAccess {
  readonly orgId: string;
  readonly operator: boolean;
}

export type DeadLetterState = 'open' | DeadLetterDecision['state'];

/** What is known of a dead letter; never its value. */
export interface ListedDeadLetter {
  /** `<dead-letter topic>/<partition>/<offset>`. */
  readonly id: string;
  readonly state: DeadLetterState;
  /** Null while it is open. */
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  /** The topic it failed in, and where. */
  readonly topic: TopicName;
  readonly partition: number | null;
  readonly offset: number | null;
  readonly key: string;
  readonly eventId: string | null;
  readonly group: string | null;
  readonly step: string | null;
  readonly code: string | null;
  readonly message: string | null;
  /** Failed attempts, those before it was redriven included. */
  readonly attempts: number;
  readonly deadLetteredAt: Date;
  readonly bytes: number;
}

export interface DeadLetterDetail extends ListedDeadLetter {
  readonly headers: Headers;
  readonly sha256: string;
  /** Names of a JSON object's fields, as far as a contract may have such; null where the value is none. */
  readonly fields: readonly string[] | null;
}

export interface DeadLetterFilter {
  /** The topic that records failed in. */
  readonly topic?: TopicName | undefined;
  readonly code?: string | undefined;
  readonly group?: string | undefined;
}

/** Letters by their ids, or all open ones that pass a filter. */
export type DeadLetterSelection = { readonly ids: readonly string[] } | { readonly filter: DeadLetterFilter };

export interface DecideOptions {
  readonly by: string | null;
  /** Only says what would be done. */
  readonly dryRun: boolean;
}

export interface DecidedLetters {
  readonly letters: readonly {
    readonly id: string;
    readonly key: string;
    readonly code: string | null;
    /** Not selected, but an earlier one of a selected one's key. */
    readonly takenAlong: boolean;
  }[];
  /** Open ones that were left for the next call. */
  readonly remaining: number;
  /** Selected ids that were redriven or dropped before, or that have no record to send: see `redrive`. */
  readonly unchanged: readonly string[];
  /** Selected ids that are no letters, or nobody's that this access sees. */
  readonly unknown: readonly string[];
}

/** A letter with what decides its order. */
interface Letter extends ListedDeadLetter {
  readonly position: DeadLetterPosition;
  /** Where its record first was in its topic, however often it was redriven since: partition and offset. */
  readonly first: readonly [number, number];
}

/** The dead letters of all topics: they are the log's; what became of them is in the database. */
export class DeadLetterQueue {
  constructor(
    private readonly log: EventLog,
    private readonly database: Database,
  ) {}

  /** A page of letters by topic, partition and offset; `next` is to be passed as `after`, null on the last page. */
  async list(
    access: DeadLetterAccess,
    options: DeadLetterFilter & {
      readonly state?: DeadLetterState | undefined;
      readonly after?: DeadLetterPosition | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly letters: readonly ListedDeadLetter[]; readonly next: DeadLetterPosition | null }> {
    const { after, limit, state } = options;
    const found: Letter[] = [];
    for (const topic of topicsOf(options)) {
      if (after && deadLetterTopic(topic) < after.topic) continue;
      const letters = (await this.lettersOf(access, topic)).filter(
        (letter) =>
          passes(letter, options) &&
          (state === undefined || letter.state === state) &&
          (after === undefined || comparePositions(letter.position, after) > 0),
      );
      found.push(...letters);
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit);
    return {
      letters: page.map(listed),
      next: found.length > limit ? page.at(-1)!.position : null,
    };
  }

  /** One letter with what may be said of its value; undefined where there is none that this access sees. */
  async find(access: DeadLetterAccess, position: DeadLetterPosition): Promise<DeadLetterDetail | undefined> {
    const topic = topicsOf({}).find((name) => deadLetterTopic(name) === position.topic);
    if (topic === undefined) return undefined;
    const [record] = await this.read(position.topic, [position]);
    if (record === undefined || !sees(access, record)) return undefined;
    const [letter] = await this.withStates([letterOf(record, topic)]);
    return {
      ...listed(letter!),
      headers: record.headers,
      sha256: createHash('sha256').update(record.value).digest('hex'),
      fields: fieldsOf(record.value),
    };
  }

  /**
   * Sends the selected open letters to the topic they failed in, once each however often this is called: what
   * becomes of a letter and its record in the outbox are one transaction. The records of a key keep their order, so
   * earlier open letters of the same key and group are taken along. What could not be decoded (step `decode`) has no
   * record of its own to send: its producer must send it again. At most 1,000 a call.
   */
  async redrive(
    access: DeadLetterAccess,
    selection: DeadLetterSelection,
    { by, dryRun }: DecideOptions,
  ): Promise<DecidedLetters> {
    const { candidates, chosen, ...rest } = await this.select(access, selection, isRedrivable);
    const taken = withEarlierOfKey(candidates, chosen).sort(inOrder);
    const now = taken.slice(0, MOST_DECIDED);
    if (!dryRun) {
      const decision: DeadLetterDecision = { state: 'redriven', orgId: access.orgId, decidedBy: by };
      for (const chunk of chunks(now)) await this.redriveChunk(chunk, decision);
    }
    const selected = new Set(chosen);
    return {
      ...rest,
      letters: now.map((letter) => ({ ...decided(letter), takenAlong: !selected.has(letter) })),
      remaining: taken.length - now.length,
    };
  }

  /** Closes the selected open letters for good; their records stay in the dead-letter topic for its retention. */
  async drop(
    access: DeadLetterAccess,
    selection: DeadLetterSelection,
    { by, dryRun }: DecideOptions,
  ): Promise<DecidedLetters> {
    const { candidates: _, chosen, ...rest } = await this.select(access, selection, isOpen);
    const now = [...chosen].sort(inOrder).slice(0, MOST_DECIDED);
    if (!dryRun) {
      const decision: DeadLetterDecision = { state: 'dropped', orgId: access.orgId, decidedBy: by };
      const positions = now.map(({ position }) => position);
      await this.database.transaction((tx) => decideDeadLetters(tx, positions, decision));
    }
    return {
      ...rest,
      letters: now.map((letter) => ({ ...decided(letter), takenAlong: false })),
      remaining: chosen.length - now.length,
    };
  }

  /** The letters of the selection's topics that may be decided about, and which of them are selected. */
  private async select(
    access: DeadLetterAccess,
    selection: DeadLetterSelection,
    mayBe: (letter: Letter) => boolean,
  ): Promise<{ candidates: Letter[]; chosen: Letter[] } & Pick<DecidedLetters, 'unchanged' | 'unknown'>> {
    const filter = 'filter' in selection ? selection.filter : {};
    const ids = new Set('ids' in selection ? selection.ids : []);
    const letters: Letter[] = [];
    for (const topic of topicsOf(filter)) {
      const wanted = [...ids].some((id) => id.startsWith(`${deadLetterTopic(topic)}/`));
      if ('filter' in selection || wanted) letters.push(...(await this.lettersOf(access, topic)));
    }
    const named = letters.filter(({ id }) => ids.has(id));
    const known = new Set(named.map(({ id }) => id));
    const candidates = letters.filter(mayBe);
    return {
      candidates,
      chosen:
        'filter' in selection ? candidates.filter((letter) => passes(letter, filter)) : named.filter(mayBe),
      unchanged: named.filter((letter) => !mayBe(letter)).map(({ id }) => id),
      unknown: [...ids].filter((id) => !known.has(id)),
    };
  }

  private async redriveChunk(letters: readonly Letter[], decision: DeadLetterDecision): Promise<void> {
    const records = new Map<string, LogRecord>();
    for (const topic of new Set(letters.map(({ position }) => position.topic))) {
      const positions = letters
        .map(({ position }) => position)
        .filter((position) => position.topic === topic);
      for (const record of await this.read(topic, positions)) records.set(idOf(record), record);
    }
    // Retention may have taken one meanwhile.
    const kept = letters.filter(({ id }) => records.has(id));
    await this.database.transaction(async (tx) => {
      const positions = kept.map(({ position }) => position);
      const redriven = new Set((await decideDeadLetters(tx, positions, decision)).map(idOf));
      const outgoing = kept.filter(({ id }) => redriven.has(id));
      await enqueue(
        tx,
        outgoing.map((letter) => redrivenRecord(letter, records.get(letter.id)!)),
      );
    });
  }

  /** The letters of a topic that this access sees, by partition and offset. */
  private async lettersOf(access: DeadLetterAccess, topic: TopicName): Promise<Letter[]> {
    const ends = await this.log.endOffsets(deadLetterTopic(topic));
    const everything = ends.map((to, partition) => ({ partition, from: 0, to }));
    const letters: Letter[] = [];
    for await (const record of this.log.read(deadLetterTopic(topic), everything)) {
      if (sees(access, record)) letters.push(letterOf(record, topic));
    }
    const known = await this.withStates(letters);
    return known.sort((a, b) => comparePositions(a.position, b.position));
  }

  private async withStates(letters: readonly Letter[]): Promise<Letter[]> {
    const decisions = await decidedDeadLetters(
      this.database,
      letters.map(({ position }) => position),
    );
    const byId = new Map(decisions.map((decision) => [idOf(decision), decision]));
    return letters.map((letter) => {
      const decision = byId.get(letter.id);
      if (decision === undefined) return letter;
      const { state, decidedAt, decidedBy } = decision;
      return { ...letter, state, decidedAt, decidedBy };
    });
  }

  /** The records at these positions of one topic, with their values. */
  private async read(topic: string, positions: readonly DeadLetterPosition[]): Promise<LogRecord[]> {
    const wanted = new Set(positions.map(idOf));
    const ranges = new Map<number, { from: number; to: number }>();
    for (const { partition, offset } of positions) {
      const { from, to } = ranges.get(partition) ?? { from: offset, to: offset + 1 };
      ranges.set(partition, { from: Math.min(from, offset), to: Math.max(to, offset + 1) });
    }
    const all = [...ranges].map(([partition, range]) => ({ partition, ...range }));
    const records: LogRecord[] = [];
    for await (const record of this.log.read(topic, all)) {
      if (wanted.has(idOf(record))) records.push(record);
    }
    return records;
  }
}

/** By the names of their dead-letter topics, as positions are compared. */
function topicsOf({ topic }: DeadLetterFilter): TopicName[] {
  return topic
    ? [topic]
    : Object.values(TOPICS).sort((a, b) => compare(deadLetterTopic(a), deadLetterTopic(b)));
}

function isOpen({ state }: Letter): boolean {
  return state === 'open';
}

function isRedrivable(letter: Letter): boolean {
  return isOpen(letter) && letter.step !== 'decode';
}

function sees(access: DeadLetterAccess, { headers }: LogRecord): boolean {
  const tenant = headers['lp_tenant'];
  return tenant === undefined ? access.operator : tenant === access.orgId;
}

function passes(letter: ListedDeadLetter, { code, group }: DeadLetterFilter): boolean {
  return (code === undefined || letter.code === code) && (group === undefined || letter.group === group);
}

function letterOf(record: LogRecord, topic: TopicName): Letter {
  const { headers } = record;
  const text = (name: string): string | null => headers[`${OF_DEAD_LETTER}${name}`] ?? null;
  const partition = numberOf(text('partition'));
  const offset = numberOf(text('offset'));
  return {
    position: { topic: record.topic, partition: record.partition, offset: record.offset },
    first: positionOf(headers[FIRST_POSITION]) ?? [partition ?? -1, offset ?? -1],
    id: idOf(record),
    state: 'open',
    decidedAt: null,
    decidedBy: null,
    topic,
    partition,
    offset,
    key: record.key,
    eventId: headers['ce_id'] ?? null,
    group: text('group'),
    step: text('step'),
    code: text('code'),
    message: text('message'),
    attempts: (numberOf(text('attempts')) ?? 0) + (numberOf(headers[EARLIER_ATTEMPTS]) ?? 0),
    deadLetteredAt: new Date(record.timestamp),
    bytes: record.value.length,
  };
}

function listed({ position: _position, first: _first, ...letter }: Letter): ListedDeadLetter {
  return letter;
}

function decided({ id, key, code }: Letter): Pick<ListedDeadLetter, 'id' | 'key' | 'code'> {
  return { id, key, code };
}

function redrivenRecord(letter: Letter, record: LogRecord): OutgoingRecord {
  const headers = Object.entries(record.headers).filter(([name]) => !name.startsWith(OF_DEAD_LETTER));
  return {
    topic: letter.topic,
    key: record.key,
    value: record.value,
    headers: {
      ...Object.fromEntries(headers),
      [REDRIVEN_FROM]: letter.id,
      [FIRST_POSITION]: letter.first.join('/'),
      [EARLIER_ATTEMPTS]: String(letter.attempts),
    },
  };
}

/** The chosen letters, and the candidates of their keys and groups that come before the last of them. */
function withEarlierOfKey(candidates: readonly Letter[], chosen: readonly Letter[]): Letter[] {
  const lane = ({ topic, group, key }: Letter): string => JSON.stringify([topic, group, key]);
  const last = new Map<string, Letter>();
  for (const letter of chosen) {
    const before = last.get(lane(letter));
    if (before === undefined || inOrder(before, letter) < 0) last.set(lane(letter), letter);
  }
  return candidates.filter((letter) => {
    const end = last.get(lane(letter));
    return end !== undefined && inOrder(letter, end) <= 0;
  });
}

/** The order in which records of a key first were in their topic. */
function inOrder(a: Letter, b: Letter): number {
  return (
    compare(a.topic, b.topic) ||
    a.first[0] - b.first[0] ||
    a.first[1] - b.first[1] ||
    comparePositions(a.position, b.position)
  );
}

function comparePositions(a: DeadLetterPosition, b: DeadLetterPosition): number {
  return compare(a.topic, b.topic) || a.partition - b.partition || a.offset - b.offset;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function* chunks(letters: readonly Letter[]): Generator<Letter[]> {
  let chunk: Letter[] = [];
  let bytes = 0;
  for (const letter of letters) {
    if (
      chunk.length > 0 &&
      (chunk.length === LARGEST_CHUNK.letters || bytes + letter.bytes > LARGEST_CHUNK.bytes)
    ) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(letter);
    bytes += letter.bytes;
  }
  if (chunk.length > 0) yield chunk;
}

function idOf({ topic, partition, offset }: DeadLetterPosition): string {
  return `${topic}/${partition}/${offset}`;
}

function numberOf(text: string | null | undefined): number | null {
  return text !== null && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function positionOf(text: string | undefined): readonly [number, number] | undefined {
  const [, partition, offset] = /^(\d{1,9})\/(\d{1,15})$/.exec(text ?? '') ?? [];
  return partition === undefined || offset === undefined ? undefined : [Number(partition), Number(offset)];
}

function fieldsOf(value: Uint8Array): string[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('utf8'));
  } catch {
    return null;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
  return Object.keys(parsed)
    .filter((name) => FIELD_NAME.test(name))
    .slice(0, MOST_FIELDS);
}
