import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deriveLineKey, hex64, pathKey } from './line-key';
import { linePrintsToBase64 } from './line-print-codec';
import { analyseText } from './line-prints';
import { bandKeys, onePermutationSignature } from './min-hash';
import { recallKeys } from './recall-keys';
import { structureHash, textBands, textSignature } from './text-signature';

// Clients, commits and stored data of every release must agree: a vector here changes only together with
// LINE_PRINT_VERSION, and the seed's scheme never.

const golden = <T>(name: string): T => JSON.parse(readFileSync(join(__dirname, 'golden', name), 'utf8')) as T;

interface PrintVector {
  readonly secretHex: string;
  readonly keyId: string;
  readonly language: string;
  readonly path: string;
  readonly text: string;
  readonly pathKey: string;
  readonly prints: { line: number; h1: string; h2: string; h3: string; bloom: string; tokens: number }[];
  readonly tokenBits: number[];
  readonly packed: string;
  readonly snippetKeys: string[];
}
interface TextVector {
  readonly text: string;
  readonly signature: number[];
  readonly bands: number[];
  readonly structureHash: string;
}
interface MinHashVector {
  readonly shingles: number[];
  readonly signature: number[];
  readonly bands: number[];
}

describe('golden vectors', () => {
  it.each(golden<PrintVector[]>('line-prints.json').map((vector) => [vector.language, vector] as const))(
    'of line prints hold for %s',
    (_language, vector) => {
      const key = deriveLineKey(Buffer.from(vector.secretHex, 'hex'), vector.keyId);
      const { prints, tokenBits } = analyseText(vector.text, vector.language, key);
      expect(
        prints.map((p) => ({
          ...p,
          h1: hex64(p.h1),
          h2: hex64(p.h2),
          h3: hex64(p.h3),
          bloom: hex64(p.bloom),
        })),
      ).toEqual(vector.prints);
      expect([...tokenBits]).toEqual(vector.tokenBits);
      expect(linePrintsToBase64(prints)).toBe(vector.packed);
      const place = { pathKey: pathKey(vector.path, key), before: vector.prints[0]!.h1 };
      expect(place.pathKey).toBe(vector.pathKey);
      expect(recallKeys({ prints, ...place }, 'snippet').map((k) => k.key)).toEqual(vector.snippetKeys);
    },
  );

  it.each(
    golden<TextVector[]>('text-signatures.json').map((vector) => [vector.text.length, vector] as const),
  )("of the seed's text scheme hold for %i characters", (_length, vector) => {
    const signature = textSignature(vector.text);
    expect([...signature]).toEqual(vector.signature);
    expect([...textBands(signature)]).toEqual(vector.bands);
    expect(structureHash(vector.text)).toBe(vector.structureHash);
  });

  it.each(
    golden<MinHashVector[]>('min-hash.json').map((vector) => [vector.shingles.length, vector] as const),
  )('of one-permutation MinHash hold for %i shingles', (_length, vector) => {
    const signature = onePermutationSignature(Uint32Array.from(vector.shingles));
    expect([...signature]).toEqual(vector.signature);
    expect([...bandKeys(signature, 32, 4)]).toEqual(vector.bands);
  });
});
