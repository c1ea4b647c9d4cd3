import { hasShingles, type LinePrint, recallKeys, textBands } from '@lineprint/fingerprint';

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
 * The recall keys of a snippet. Bands are made here from the signature, not taken from the client: a wrong
 * or hostile band list would make a snippet findable by code that it does not resemble.
 */
export function snippetKeys(source: KeySource): string[] {
  return recallKeys(
    {
      prints: source.prints,
      ...(source.pathKey ? { pathKey: source.pathKey } : {}),
      ...(source.before ? { before: source.before } : {}),
      ...(source.after ? { after: source.after } : {}),
      ...(hasShingles(source.signature) ? { textBands: textBands(source.signature) } : {}),
      ...(source.astBands ? { astBands: source.astBands } : {}),
    },
    'snippet',
  ).map(({ key }) => key);
}
