import { check } from '@lineprint/contracts';
import { HttpProblem } from '@lineprint/platform';
import { z } from 'zod';

/** UTF-16 units of a body of which more than the first fault is told: looking for them takes memory … */
const MANY_FAULTS_UP_TO = 20_000;
/** … and at most this many, or an answer would be many times what was sent. */
const MAX_FAULTS = 50;

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
export function parseBody<S extends z.ZodType>(schema: S, given: unknown): z.output<S> {
  const body = given ?? {};
  const { data, fault } = check<z.output<S>>(schema as z.ZodType<z.output<S>>, body);
  if (fault === undefined) return data;
  const isShort = JSON.stringify(body).length <= MANY_FAULTS_UP_TO;
  const errors = faultsOf(isShort ? schema.safeParse(body).error! : new z.ZodError([fault]));
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
  return error.issues.slice(0, MAX_FAULTS).flatMap((issue) => {
    const at = (...more: string[]) => [...issue.path, ...more].join('.');
    if (issue.code !== 'unrecognized_keys') return [{ path: at(), detail: issue.message }];
    return issue.keys.slice(0, MAX_FAULTS).map((key) => ({ path: at(key), detail: 'is not known here' }));
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
