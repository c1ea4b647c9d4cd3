export { sha256Hex } from './digest';
export * from './language';
export { lex, TokenType, type LexedText } from './lexer';
export * from './line-counts';
export { deriveLineKey, hex64, LineKeyError, MIN_SECRET_BYTES, pathKey, type LineKey } from './line-key';
export * from './line-print';
export * from './line-print-codec';
export * from './line-prints';
export {
  bandKeys,
  estimateJaccard,
  onePermutationSignature,
  SIGNATURE_HASHES,
  universalSignature,
} from './min-hash';
export * from './recall-keys';
export * from './shingles';
export * from './text-signature';
