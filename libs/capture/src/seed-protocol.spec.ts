import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeFingerprintSchema, type CodeFingerprint } from '@lineprint/contracts';
import { deriveLineKey } from '@lineprint/fingerprint';
import { captureEdit } from './capture';
import { asVersion1 } from './fingerprints';

// Made once by the client code that the first design document gives, as it stands in bench/seed-minhash.mjs. A client
// of that protocol sends these bytes for ever.

interface Vector {
  readonly name: string;
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly message: CodeFingerprint;
}

const vectors = JSON.parse(readFileSync(join(__dirname, 'fixtures/seed-messages.json'), 'utf8')) as Vector[];
const lineKey = deriveLineKey(new Uint8Array(32), 'any');

describe('protocol 1', () => {
  it.each(vectors.map((vector, index) => ({ ...vector, index })))(
    'gives $name as the first clients do, byte for byte',
    ({ path, before, after, message, index }) => {
      const { sessionId, userId, projectId = '', source, timestamp } = message;
      const context = { path, before, after, source, sessionId, userId, projectId, timestamp, lineKey };
      const fingerprints = captureEdit({ ...context, toolCallIndex: index });
      expect(JSON.stringify(fingerprints.map(asVersion1))).toBe(JSON.stringify([message]));
      expect(codeFingerprintSchema.parse(message)).toEqual(message);
    },
  );
});
