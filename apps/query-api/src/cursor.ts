import { z } from 'zod';
import { invalidParameters } from './parameters';

/** Where a page of a list ended: the sort key of its last entry, as text that callers send back unread. */
export class Cursor<S extends z.ZodType> {
  constructor(private readonly key: S) {}

  encode(key: z.output<S>): string {
    return Buffer.from(JSON.stringify(key)).toString('base64url');
  }

  /** @throws HttpProblem 400 for anything but a cursor that this API gave out. */
  decode(text: string): z.output<S> {
    try {
      return this.key.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    } catch {
      throw invalidParameters([{ path: 'after', detail: 'send `next` of the page before, unchanged' }]);
    }
  }
}

/** The query parameters of a list that comes in pages. */
export const pageParameters = {
  after: z.string().optional().meta({ description: 'Cursor: `next` of the page before.' }),
  limit: z.coerce
    .number('send a number from 1 to 200')
    .int('send a whole number from 1 to 200')
    .min(1, 'send a number from 1 to 200')
    .max(200, 'send a number from 1 to 200')
    .default(50)
    .meta({ description: 'How many entries a page has, from 1 to 200.' }),
};

/** What a page ends with. */
export const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'Send it as `after` for the next page; null on the last.' });
