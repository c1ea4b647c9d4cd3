import {
  fineTextBands,
  hasShingles,
  type LinePrint,
  snippetRecallKeys,
  textBands,
} from '@lineprint/fingerprint';

export interface KeySource {
  readonly prints: LinePrint[];
  readonly pathKey: string | null;
  readonly before: string | null;
  readonly after: string | null;
  /** The client's 128-word text signature. */
  readonly signature: Uint32Array;
  /** 32 bands of the syntax-tree lane, where the snippet's code was sent. */
  readonly astBands: Uint32Array | null;
}

/**
 * What a snippet is indexed under; `bands` says whether also by its bands where it has line prints. Bands are made here from the signature, not taken from the client: a wrong
 * or hostile band list would make a snippet findable by code that it does not resemble.
 */
export function snippetKeys(source: KeySource, options: { readonly bands: boolean }): number[] {
  // Without prints the bands are all there is, and the seed's find too little.
  const isBare = source.prints.length === 0;
  const bands = options.bands || isBare;
  return snippetRecallKeys({
    prints: source.prints,
    ...(source.pathKey ? { pathKey: source.pathKey } : {}),
    ...(source.before ? { before: source.before } : {}),
    ...(source.after ? { after: source.after } : {}),
    ...(bands && hasShingles(source.signature) ? { textBands: textBands(source.signature) } : {}),
    ...(isBare ? { fineTextBands: fineTextBands(source.signature) } : {}),
    ...(bands && source.astBands ? { astBands: source.astBands } : {}),
  });
}
