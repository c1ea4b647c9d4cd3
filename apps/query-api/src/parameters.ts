import { HttpProblem } from '@lineprint/platform';
import type { z } from 'zod';

/**
 * Reads an endpoint's query parameters. Unknown ones are ignored.
 * @throws HttpProblem 400 `parameters-invalid`, one entry in `errors` for each wrong parameter.
 */
export function parseParameters<S extends z.ZodType>(schema: S, query: unknown): z.output<S> {
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  throw invalidParameters(faultsOf(parsed.error));
}

/**
 * Reads an endpoint's body.
 * @throws HttpProblem 400 `body-invalid`, one entry in `errors` for each wrong field.
 */
export function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body ?? {});
  if (parsed.success) return parsed.data;
  const errors = faultsOf(parsed.error);
  throw new HttpProblem(
    400,
    'body-invalid',
    'Invalid body',
    `Correct these fields and send the request again: ${listed(errors)}. /api/docs shows what the body holds.`,
    { errors },
  );
}

interface Fault {
  readonly path: string;
  readonly detail: string;
}

function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap((issue) => {
    const at = (...more: string[]) => [...issue.path, ...more].join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path: at(), detail: issue.message }];
    return issue.keys.map((key) => ({ path: at(key), detail: 'is not known here' }));
  });
}

function listed(errors: readonly Fault[]): string {
  return errors.map(({ path, detail }) => (path ? `${path}: ${detail}` : detail)).join('; ');
}

/** The problem for parameters that are wrong only in the light of something else (the key, the tenant). */
export function invalidParameters(errors: Fault[]): HttpProblem {
  return new HttpProblem(
    400,
    'parameters-invalid',
    'Invalid parameters',
    `Correct these query parameters and send the request again: ${listed(errors)}. /api/docs lists what each one takes.`,
    { errors },
  );
}
