import {
  BAND_COUNT,
  type BatchAnswer,
  check,
  PROTOCOL_VERSIONS,
  SIGNATURE_LENGTH,
} from '@lineprint/contracts';
import { HttpProblem } from '@lineprint/platform';
import type { z } from 'zod';

export interface Rejection {
  readonly index: number;
  readonly code: string;
  readonly detail: string;
}

/** An item that is refused: a stable code, and what the client should change. */
export class ItemRefused extends Error {
  constructor(
    readonly code: string,
    detail: string,
  ) {
    super(detail);
  }
}

/** Codes that mean «not yours» rather than «not well formed». */
const FORBIDDEN = new Set(['tenant-mismatch', 'project-forbidden', 'user-mismatch']);

/** Vectors whose length clients get wrong often enough for a code of its own. */
const VECTORS = new Map([
  ['signature', { code: 'signature-invalid', length: SIGNATURE_LENGTH }],
  ['lshBuckets', { code: 'lsh-buckets-invalid', length: BAND_COUNT }],
]);

/** The items of `body[member]`. @throws HttpProblem when the body is no such list. */
export function batchItems(body: unknown, member: string, max: number): unknown[] {
  const items =
    typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[member] : undefined;
  if (!Array.isArray(items) || items.length === 0) {
    throw new HttpProblem(
      400,
      'batch-invalid',
      'Bad Request',
      `Send a JSON object with a list \`${member}\` of 1 to ${max} items.`,
    );
  }
  if (items.length > max) {
    throw new HttpProblem(
      413,
      'batch-too-large',
      'Content Too Large',
      `The batch has ${items.length} items; send at most ${max} at a time.`,
      { headers: { 'retry-after': '1' } },
    );
  }
  return items;
}

/** Parses one item. @throws ItemRefused with the code that names the fault. */
export function parseItem<T>(schema: z.ZodType<T>, item: unknown): T {
  const protocol =
    typeof item === 'object' && item !== null ? (item as { protocol?: unknown }).protocol : undefined;
  if (protocol !== undefined && !PROTOCOL_VERSIONS.includes(protocol as 1 | 2)) {
    throw new ItemRefused(
      'protocol-unknown',
      `Protocol${typeof protocol === 'number' ? ` ${protocol}` : ''} is unknown here; this server speaks ${PROTOCOL_VERSIONS.join(' and ')}.`,
    );
  }
  const { data, fault } = check(schema, item);
  if (fault === undefined) return data;
  const vector = VECTORS.get(String(fault.path[0]));
  if (vector) {
    throw new ItemRefused(
      vector.code,
      `\`${String(fault.path[0])}\` must hold ${vector.length} unsigned 32-bit integers. ${fault.message}`,
    );
  }
  throw new ItemRefused(
    'item-invalid',
    fault.path.length > 0 ? `\`${fault.path.join('.')}\`: ${fault.message}` : fault.message,
  );
}

/** Runs `take` over every item; an ItemRefused becomes a rejection, anything else fails the request. */
export async function sortItems<T>(
  items: readonly unknown[],
  take: (item: unknown) => Promise<T>,
): Promise<{ taken: T[]; rejected: Rejection[] }> {
  const taken: T[] = [];
  const rejected: Rejection[] = [];
  for (const [index, item] of items.entries()) {
    try {
      taken.push(await take(item));
    } catch (error) {
      if (!(error instanceof ItemRefused)) throw error;
      rejected.push({ index, code: error.code, detail: error.message });
    }
  }
  return { taken, rejected };
}

/** The answer to a batch; a batch without one good item is a problem of its own. */
export function batchAnswer(accepted: number, rejected: Rejection[]): BatchAnswer {
  if (accepted > 0) return { accepted, rejected };
  const codes = new Set(rejected.map((r) => r.code));
  const forbidden = [...codes].every((code) => FORBIDDEN.has(code));
  const code = codes.size === 1 ? rejected[0]!.code : 'batch-refused';
  throw new HttpProblem(
    forbidden ? 403 : 422,
    code,
    forbidden ? 'Forbidden' : 'Unprocessable Content',
    rejected.length === 1
      ? rejected[0]!.detail
      : `All ${rejected.length} items were refused; see \`rejected\`.`,
    { extensions: { accepted: 0, rejected } },
  );
}
