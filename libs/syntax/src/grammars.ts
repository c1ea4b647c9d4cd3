/** How a language is parsed. Only the parser process loads the native module that this names. */
export interface Grammar {
  /** Package of the tree-sitter grammar. */
  readonly module: string;
  /** Member of the package that holds it, where the package has several. */
  readonly member?: string;
  /** Member for a text without the marker that the member above needs: a snippet from the middle of a file. */
  readonly bare?: { readonly marker: string; readonly member: string };
  /** Node types of functions, methods and constructors: a chunk each. */
  readonly functions: readonly string[];
}

const ECMASCRIPT_FUNCTIONS = [
  'arrow_function',
  'function_declaration',
  'function_expression',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
];

/** By language id, as libs/fingerprint `languageOf` gives it. */
const GRAMMARS: Readonly<Record<string, Grammar>> = {
  javascript: { module: 'tree-sitter-javascript', functions: ECMASCRIPT_FUNCTIONS },
  typescript: { module: 'tree-sitter-typescript', member: 'typescript', functions: ECMASCRIPT_FUNCTIONS },
  tsx: { module: 'tree-sitter-typescript', member: 'tsx', functions: ECMASCRIPT_FUNCTIONS },
  go: { module: 'tree-sitter-go', functions: ['function_declaration', 'method_declaration', 'func_literal'] },
  python: { module: 'tree-sitter-python', functions: ['function_definition'] },
  java: {
    module: 'tree-sitter-java',
    functions: [
      'method_declaration',
      'constructor_declaration',
      'compact_constructor_declaration',
      'lambda_expression',
    ],
  },
  rust: { module: 'tree-sitter-rust', functions: ['function_item', 'closure_expression'] },
  c: { module: 'tree-sitter-c', functions: ['function_definition'] },
  cpp: { module: 'tree-sitter-cpp', functions: ['function_definition', 'lambda_expression'] },
  csharp: {
    module: 'tree-sitter-c-sharp',
    functions: [
      'method_declaration',
      'constructor_declaration',
      'local_function_statement',
      'lambda_expression',
      'anonymous_method_expression',
    ],
  },
  ruby: { module: 'tree-sitter-ruby', functions: ['method', 'singleton_method'] },
  php: {
    module: 'tree-sitter-php',
    member: 'php',
    bare: { marker: '<?', member: 'php_only' },
    functions: ['function_definition', 'method_declaration', 'anonymous_function', 'arrow_function'],
  },
  kotlin: {
    module: '@tree-sitter-grammars/tree-sitter-kotlin',
    functions: ['function_declaration', 'secondary_constructor', 'anonymous_function', 'lambda_literal'],
  },
  scala: { module: 'tree-sitter-scala', functions: ['function_definition', 'lambda_expression'] },
  swift: {
    module: 'tree-sitter-swift',
    functions: ['function_declaration', 'init_declaration', 'lambda_literal'],
  },
  bash: { module: 'tree-sitter-bash', functions: ['function_definition'] },
  html: { module: 'tree-sitter-html', functions: [] },
  css: { module: 'tree-sitter-css', functions: [] },
  json: { module: 'tree-sitter-json', functions: [] },
};

/** Languages that are parsed; every other one is left to the text lanes. */
export const parsedLanguages: readonly string[] = Object.keys(GRAMMARS);

/** The packages of all grammars: they are named at run time only, so that who packs a service has to be told. */
export const grammarModules: readonly string[] = [
  ...new Set(Object.values(GRAMMARS).map(({ module }) => module)),
];

/** The grammar of a language id, undefined if it is not parsed. */
export function grammarOf(language: string): Grammar | undefined {
  return Object.hasOwn(GRAMMARS, language) ? GRAMMARS[language] : undefined;
}
