import { deriveLineKey, hex64, pathKey } from './line-key';
import { linePrintsToBase64 } from './line-print-codec';
import { computeLinePrints } from './line-prints';
import { bandKeys, onePermutationSignature, universalSignature } from './min-hash';
import { snippetRecallKeys } from './recall-keys';
import { textShingles } from './shingles';
import { structureHash, textBands, textSignature } from './text-signature';

// Not exported from this library: its tests, and tools/golden.mjs, run it in every kind of runtime.

/** `golden/inputs.json`. */
export interface GoldenInputs {
  readonly secretHex: string;
  readonly keyId: string;
  readonly prints: readonly { readonly language: string; readonly path: string; readonly text: string }[];
  readonly texts: readonly string[];
  readonly shingles: readonly (readonly number[])[];
}

/** Every hash of this library over the inputs, by the name of its file in `golden/`. */
export function goldenVectors(inputs: GoldenInputs): Record<string, readonly object[]> {
  const secret = Uint8Array.from(inputs.secretHex.match(/../g) ?? [], (byte) => parseInt(byte, 16));
  const key = deriveLineKey(secret, inputs.keyId);
  const printed = inputs.prints.map(({ language, path, text }) => ({
    language,
    path,
    prints: computeLinePrints(text, language, key),
  }));
  const placeOf = (path: string, h1: bigint) => ({ pathKey: pathKey(path, key), before: hex64(h1) });
  return {
    'line-prints': printed.map(({ language, path, prints }) => ({
      language,
      pathKey: pathKey(path, key),
      lines: prints.map((print) =>
        [
          print.line,
          hex64(print.h1),
          hex64(print.h2),
          hex64(print.h3),
          hex64(print.bloom),
          print.tokens,
        ].join(' '),
      ),
      packed: linePrintsToBase64(prints),
    })),
    'recall-keys': printed.map(({ language, path, prints }) => ({
      language,
      snippetKeys: snippetRecallKeys({ prints, ...placeOf(path, prints[0]!.h1) }),
    })),
    'text-signatures': inputs.texts.map((text) => ({
      signature: [...textSignature(text)],
      bands: [...textBands(textSignature(text))],
      structureHash: structureHash(text),
      shingles: [...textShingles(text)],
    })),
    'min-hash': inputs.shingles.map((list) => {
      const shingles = Uint32Array.from(list);
      const signature = onePermutationSignature(shingles);
      return {
        onePermutation: [...signature],
        bands: [...bandKeys(signature, 32, 4)],
        universal: [...universalSignature(shingles)],
      };
    }),
  };
}
