export type { AstChunk, AstFile, AstSignature, AstStatus, LineRange, SourceFile } from './ast-file';
export { astBands } from './ast-shingles';
export { grammarModules, parsedLanguages } from './grammars';
export * from './parser-pool';
