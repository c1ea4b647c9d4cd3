export type { AstChunk, AstFile, AstSignature, AstStatus, LineRange, SourceFile } from './ast-file';
export { parsedLanguages } from './grammars';
export * from './parser-pool';
