export * from './language';
export * from './lexer';
export { deriveLineKey, hex64, LineKeyError, MIN_SECRET_BYTES, pathKey, type LineKey } from './line-key';
export * from './line-print';
export * from './line-print-codec';
export * from './line-prints';
export * from './min-hash';
export * from './recall-keys';
export * from './text-signature';
