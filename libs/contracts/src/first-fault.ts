import type { z } from 'zod';

/** What a schema makes of a value, or the first thing that is wrong with it. */
export type Checked<T> =
  | { readonly data: T; readonly fault?: undefined }
  | { readonly data?: undefined; readonly fault: z.core.$ZodIssue };

/**
 * zod's `validate` stops so, too, but says nothing of why. By itself a parse goes on and keeps an issue for each wrong
 * item: of a list of millions, which is a few kilobytes on the way here, that takes gigabytes.
 */
const UNTIL_FIRST = { reportInput: false, abortEarly: true };

/** Checks a value that somebody else made, of whatever size, up to its first fault. */
export function check<T>(schema: z.ZodType<T>, value: unknown): Checked<T> {
  const parsed = schema.safeParse(value, UNTIL_FIRST);
  return parsed.success ? { data: parsed.data } : { fault: parsed.error.issues[0]! };
}
