import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from './config';
import { readSecret, secretFile } from './secrets';

describe('a secret', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lineprint-secrets-'));
  const config = loadConfig({ LINEPRINT_SECRETS_DIRECTORY: directory, LINEPRINT_ORG_ID: 'harbour' });
  const env = { LINEPRINT_SECRET_TOKEN: 'of the variable', LINEPRINT_API_KEY: 'not for this' };
  const read = (reference: string, orgId = 'harbour') => readSecret(reference, orgId, config, env);
  const code = (expected: string) => expect.objectContaining({ code: expected }) as Error;

  beforeAll(() => {
    mkdirSync(join(directory, 'harbour/hooks'), { recursive: true });
    mkdirSync(join(directory, 'quay'));
    writeFileSync(join(directory, 'harbour/token'), 'of the file\n');
    writeFileSync(join(directory, 'harbour/hooks/desk'), 'deep');
    writeFileSync(join(directory, 'harbour/empty'), '\n');
    writeFileSync(join(directory, 'quay/token'), 'of the other organisation');
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  it('is read from a file of the organisation, without the line break at its end, or from a variable', () => {
    expect(read('file:token')).toBe('of the file');
    expect(read('file:hooks/desk')).toBe('deep');
    expect(read('file:token', 'quay')).toBe('of the other organisation');
    expect(read('env:LINEPRINT_SECRET_TOKEN')).toBe('of the variable');
    expect(secretFile('file:token', 'harbour', config)).toBe(join(directory, 'harbour/token'));
    expect(secretFile('env:LINEPRINT_SECRET_TOKEN', 'harbour', config)).toBeUndefined();
  });

  it.each([
    'env:LINEPRINT_API_KEY',
    'env:PATH',
    'file:/etc/passwd',
    'file:../quay/token',
    'file:hooks/../token',
    'file:.hidden',
    'file:',
    'the secret itself',
    '',
  ])('is not what %j names, nor does the answer say more than that', (reference) => {
    expect(() => read(reference)).toThrow(code('secret-reference-invalid'));
  });

  it('of a variable is the installation’s own organisation’s only', () => {
    expect(() => read('env:LINEPRINT_SECRET_TOKEN', 'quay')).toThrow(code('secret-reference-invalid'));
    expect(() => read('file:token', '../harbour')).toThrow(code('secret-reference-invalid'));
  });

  it('that is empty or not there is missing', () => {
    for (const reference of ['file:empty', 'file:nowhere', 'file:hooks', 'env:LINEPRINT_SECRET_OTHER']) {
      expect(() => read(reference)).toThrow(code('secret-missing'));
    }
  });
});
