import { epochMs } from '@lineprint/contracts';
import { z } from 'zod';
import { invalidParameters } from '../parameters';

/** Where a page of commits ended: the sort key of its last commit. */
const cursorSchema = z.tuple([epochMs, z.string(), z.string()]);
export type CommitCursor = z.output<typeof cursorSchema>;

export function encodeCursor(cursor: CommitCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws HttpProblem 400 for anything but a cursor that this API gave out. */
export function decodeCursor(text: string): CommitCursor {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    throw invalidParameters([{ path: 'after', detail: 'send `next` of the page before, unchanged' }]);
  }
}
