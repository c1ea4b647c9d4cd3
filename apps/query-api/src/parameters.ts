import { HttpProblem } from '@lineprint/platform';
import type { z } from 'zod';

/**
 * Reads an endpoint's query parameters. Unknown ones are ignored.
 * @throws HttpProblem 400 `parameters-invalid`, one entry in `errors` for each wrong parameter.
 */
export function parseParameters<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => ({
    path: issue.path.join('.'),
    detail: issue.message,
  }));
  throw invalidParameters(errors);
}

/** The problem for parameters that are wrong only in the light of something else (the key, the tenant). */
export function invalidParameters(errors: { path: string; detail: string }[]): HttpProblem {
  const what = errors.map((e) => `${e.path}: ${e.detail}`).join('; ');
  return new HttpProblem(
    400,
    'parameters-invalid',
    'Invalid parameters',
    `Correct these query parameters and send the request again: ${what}. /api/docs lists what each one takes.`,
    { errors },
  );
}
