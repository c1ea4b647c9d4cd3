import { textBands, textSignature } from '@lineprint/fingerprint';
import type { SeedLane } from './seed-attribution';

/** What clients compute (section 4.3). `npm run bench -- kernels` holds it bit-equal to the document's code. */
export const textLane: SeedLane = {
  sign: (text) => {
    const signature = textSignature(text);
    return Promise.resolve({ signature, buckets: textBands(signature) });
  },
};
