import { z } from 'zod';

export const sources = ['tab', 'chat', 'agent'] as const;
export const sourceSchema = z.enum(sources);
export type Source = (typeof sources)[number];

/**
 * How a line's origin is known. `matched`: it aligns to an earlier snippet. `declared`: the commit itself
 * names an AI. `estimated`: a v1 client's signature only, whole hunks, never line-exact. `none`: human.
 */
export const evidenceKinds = ['matched', 'declared', 'estimated', 'none'] as const;
export const evidenceSchema = z.enum(evidenceKinds);
export type Evidence = (typeof evidenceKinds)[number];

export const confidences = ['HIGH', 'LOW', 'SUSPECT', 'UNIQUE'] as const;
export const confidenceSchema = z.enum(confidences);
export type Confidence = (typeof confidences)[number];

/** P kept from AI, M changed from AI, H human. */
export const lineKindSchema = z.enum(['P', 'M', 'H']);
export type LineKind = z.infer<typeof lineKindSchema>;

/** Postgres stores neither U+0000 nor half of a surrogate pair; taken here, they would fail in a later service. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Lets a list with such an item end there (`check`): zod takes these faults for minor ones and goes on otherwise. */
const ends = (error?: string) => ({ abort: true, ...(error === undefined ? {} : { error }) });

/** A text that is stored as it comes, of at most `max` UTF-16 units. */
export const storedText = (max: number) =>
  z
    .string()
    .max(max, ends())
    .refine((text) => !UNSTORABLE.test(text), ends('must hold neither U+0000 nor lone surrogates'));
/** A stored text that is not empty. */
export const identifier = (max: number) => storedText(max).min(1, ends());
/**
 * A person as all tables name them: an e-mail address, whose upper and lower case differ from machine to
 * machine, or what the client or git says instead.
 */
export const personId = (text: string): string => text.trim().toLowerCase();
/** The person that a commit's lines count for. */
export const authorId = (commit: { authorEmail: string; authorName: string }): string =>
  personId(commit.authorEmail) || personId(commit.authorName);
export const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, ends('a full lower-case git object id'));
export const hex64 = z.string().regex(/^[0-9a-f]{16}$/, ends('16 lower-case hex digits'));
const integer = (least: number, most: number) => z.int(ends()).min(least, ends()).max(most, ends());
export const uint32 = integer(0, 0xffff_ffff);
export const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/, ends('base64'));
/** Milliseconds since 1970; the upper bound (year 9999) keeps a clock that is off from overflowing a date. */
export const epochMs = integer(0, 253_402_300_799_999);
/** The largest number that an integer of the database holds. */
export const MAX_COUNT = 2_147_483_647;
export const count = integer(0, MAX_COUNT);
/** How often a commit has come again; absent the first time. */
export const revisionSchema = integer(1, MAX_COUNT);

/** Words as every binary vector is stored: little-endian, 4 bytes each. */
export function wordsToBytes(words: ArrayLike<number>): Uint8Array {
  const bytes = Buffer.alloc(words.length * 4);
  for (let i = 0; i < words.length; i++) bytes.writeUInt32LE(words[i]! >>> 0, i * 4);
  return bytes;
}

/** The inverse; bytes that make no whole word are left out. */
export function bytesToWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: bytes.length >>> 2 }, (_, i) => view.getUint32(i * 4, true));
}

/** The same in base64, as topics carry them. */
export function encodeWords(words: ArrayLike<number>): string {
  return Buffer.from(wordsToBytes(words)).toString('base64');
}

export function decodeWords(text: string): Uint32Array {
  return bytesToWords(Buffer.from(text, 'base64'));
}
