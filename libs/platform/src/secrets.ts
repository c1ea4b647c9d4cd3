import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from './config';
import { LineprintError } from './errors';

const VARIABLE = /^env:(LINEPRINT_SECRET_[A-Z0-9_]+)$/;
const FILE = /^file:([A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*)$/;
const FOLDER = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

type SecretsConfig = Pick<Config, 'secretsDirectory' | 'bootstrap'>;

/**
 * The secret that a reference names: `file:PATH` in the folder of the organisation below `secretsDirectory`, or
 * `env:LINEPRINT_SECRET_…`. An organisation's administrator gives references, and must get at nothing with them but
 * what was put there for that organisation: so variables are for the installation's own organisation only.
 *
 * @throws LineprintError `secret-reference-invalid`; `secret-missing` also for one that is empty. Neither names its value.
 */
export function readSecret(
  reference: string,
  orgId: string,
  config: SecretsConfig,
  env: NodeJS.ProcessEnv = process.env,
): string {
  const variable = VARIABLE.exec(reference)?.[1];
  const path = secretFile(reference, orgId, config);
  let secret: string;
  if (variable !== undefined && orgId === config.bootstrap.orgId) {
    secret = env[variable] ?? '';
  } else if (path !== undefined) {
    secret = readFile(path, reference);
  } else {
    throw new LineprintError(
      'secret-reference-invalid',
      `${JSON.stringify(reference)} names no secret: give file:PATH, a file in the organisation's folder of the secrets directory${orgId === config.bootstrap.orgId ? ', or env:LINEPRINT_SECRET_NAME' : ''}`,
    );
  }
  const text = secret.replace(/\r?\n$/, '');
  if (text !== '') return text;
  throw new LineprintError('secret-missing', `The secret ${reference} is empty or not there`);
}

/** Where the file of a reference is, for programs that take no secret but a path; undefined for other references. */
export function secretFile(reference: string, orgId: string, config: SecretsConfig): string | undefined {
  const file = FILE.exec(reference)?.[1];
  if (file === undefined || !FOLDER.test(orgId)) return undefined;
  return resolve(config.secretsDirectory, orgId, file);
}

function readFile(path: string, reference: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new LineprintError('secret-missing', `The secret ${reference} cannot be read`, { cause });
  }
}
