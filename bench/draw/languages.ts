/** Languages whose blocks are cut at braces and whose comments begin with `//`. */
export const BRACE_LANGUAGES: ReadonlySet<string> = new Set([
  'c',
  'cpp',
  'csharp',
  'go',
  'java',
  'javascript',
  'kotlin',
  'rust',
  'swift',
  'typescript',
]);
