// What the lexer knows of each language, as data. It has to tell comments, strings, keywords and names apart;
// nothing here is a grammar.

/** Where an opener counts. */
export type OpenerPosition =
  | 'anywhere'
  /** Nothing but white space before it on its line. */
  | 'lineStart'
  | 'afterSpace'
  | 'afterNonWord'
  /** Not right behind a name: there it is an apostrophe. */
  | 'notAfterName'
  /** Right behind `=`: an attribute's value. */
  | 'afterEquals'
  /** Where a value is expected and not an operator. */
  | 'value';

/** One way of beginning something that is not plain code. */
export interface Opener {
  readonly kind:
    'lineComment' | 'blockComment' | 'string' | 'character' | 'regularExpression' | 'heredoc' | 'markup';
  readonly open: string;
  readonly position: OpenerPosition;
  /** It opens only right behind one of these names, which belongs to it: `f"`, `R"`. */
  readonly prefixes: ReadonlySet<string> | 'any' | undefined;
  /** It opens nothing when this follows. */
  readonly notBefore: string;
  /** What else belongs to the opener, sticky; `close` is made of its groups. Bounded: it is tried again and again. */
  readonly fence: RegExp | undefined;
  /** The end: fixed, or by what the fence matched. A comment to the end of its line also ends before it. */
  readonly close: string | ((fence: RegExpExecArray) => string);
  /** How a close is written inside: after a backslash, doubled, or not at all. */
  readonly escape: 'backslash' | 'double' | 'none';
  /** Otherwise it ends with its line, closed or not. */
  readonly multiline: boolean;
  /** Openers inside need closers of their own. */
  readonly nested: boolean;
  /** What begins code inside a string; the bracket in it says what ends that code. All begin with one character. */
  readonly interpolations: readonly string[];
}

export interface Lexing {
  readonly keywords: ReadonlySet<string>;
  /** Keywords are written in any case (SQL). */
  readonly keywordsIgnoreCase: boolean;
  /** Longest first; of one length those with a prefix first. */
  readonly openers: readonly Opener[];
  /** ASCII characters of names beyond letters, digits and `_`; only `$` and `@` may start one. */
  readonly nameCharacters: string;
  /** A character that may stand between the digits of a number beside `_`. */
  readonly digitSeparator: string;
  /** Operators after which a name is a member's and stays in the abstracted print. */
  readonly memberAccess: ReadonlySet<string>;
  /** Braces hold values, as other brackets do, and no statements. */
  readonly bracesAreBrackets: boolean;
  /** A name may be called without brackets: behind it, `/x` and `%w` begin a value. */
  readonly commandCalls: boolean;
  /** Elements may stand where a value is expected. */
  readonly jsx: boolean;
  /** Elements whose content is another language's. */
  readonly islands: ReadonlyMap<string, string> | undefined;
  /** The language around islands of this one. */
  readonly markup: string | undefined;
  /** Natural language: lines are compared by their words. */
  readonly prose: boolean;
}

type OpenerOptions = Partial<Omit<Opener, 'kind' | 'open'>>;

const opener = (kind: Opener['kind'], open: string, options: OpenerOptions = {}): Opener => ({
  kind,
  open,
  position: 'anywhere',
  prefixes: undefined,
  notBefore: '',
  fence: undefined,
  close: open,
  escape: 'backslash',
  multiline: false,
  nested: false,
  interpolations: [],
  ...options,
});
const line = (open: string, position: OpenerPosition = 'anywhere') =>
  opener('lineComment', open, { position, close: '\n' });
const block = (open: string, close: string, options: OpenerOptions = {}) =>
  opener('blockComment', open, { close, multiline: true, ...options });
const quote = (open: string, options: OpenerOptions = {}) => opener('string', open, options);
const long = (open: string, options: OpenerOptions = {}) => quote(open, { multiline: true, ...options });
const raw = (open: string, options: OpenerOptions = {}) => long(open, { escape: 'none', ...options });
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const prefixed = (prefixes: string, openers: readonly Opener[], options: OpenerOptions = {}): Opener[] =>
  openers.map((o) => ({ ...o, ...options, prefixes: words(prefixes) }));

const slashes = [line('//'), block('/*', '*/')];
const nestedSlashes = [line('//'), block('/*', '*/', { nested: true })];
const hash = [line('#', 'afterSpace')];
const quotes = [quote('"'), quote("'")];
const tripleQuotes = [long('"""'), long("'''")];
const character = opener('character', "'");
const regularExpression = opener('regularExpression', '/', { position: 'value' });
const markupComment = block('<!--', '-->');
const attributes = ['"', "'"].map((q) => raw(q, { position: 'afterEquals' }));

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
/** Ruby's `%w[…]`, `%q(…)`, `%r{…}`: with a letter nearly anywhere, without one where a value is expected. */
const percentLiterals = (['afterNonWord', 'value'] as const).map((position) =>
  long('%', {
    position,
    fence: position === 'value' ? /[qQwWiIrsx]?([([{<|!/^])/y : /[qQwWiIrsx]([([{<|!/^])/y,
    close: (fence) => closers[fence[1]!] ?? fence[1]!,
    nested: true,
  }),
);
const heredoc = (open: string, fence: RegExp, options: OpenerOptions = {}) =>
  opener('heredoc', open, { fence, ...options });

const members = ['.', '?.', '::'];
const arrowMembers = [...members, '->', '?->'];

interface LexingOptions {
  readonly keywords?: string;
  readonly keywordsIgnoreCase?: boolean;
  readonly openers?: readonly Opener[];
  readonly nameCharacters?: string;
  readonly digitSeparator?: string;
  readonly memberAccess?: readonly string[];
  readonly bracesAreBrackets?: boolean;
  readonly commandCalls?: boolean;
  readonly jsx?: boolean;
  readonly islands?: Readonly<Record<string, string>>;
  readonly markup?: string;
  readonly prose?: boolean;
}

const lexing = (options: LexingOptions): Lexing => ({
  keywords: new Set(options.keywords?.trim().split(/\s+/)),
  keywordsIgnoreCase: options.keywordsIgnoreCase ?? false,
  openers: [...(options.openers ?? [])].sort(
    (a, b) => b.open.length - a.open.length || Number(!a.prefixes) - Number(!b.prefixes),
  ),
  nameCharacters: options.nameCharacters ?? '',
  digitSeparator: options.digitSeparator ?? '',
  memberAccess: new Set(options.memberAccess ?? members),
  bracesAreBrackets: options.bracesAreBrackets ?? false,
  commandCalls: options.commandCalls ?? false,
  jsx: options.jsx ?? false,
  islands: options.islands && new Map(Object.entries(options.islands)),
  markup: options.markup,
  prose: options.prose ?? false,
});

const javascriptKeywords = `async await break case catch class const continue debugger default delete do else export
  extends false finally for from function get if import in instanceof let new null of return set static super switch
  this throw true try typeof undefined var void while yield`;
const typescriptKeywords = `${javascriptKeywords} abstract any as asserts bigint boolean declare enum implements infer
  interface is keyof namespace never number object override private protected public readonly satisfies string symbol
  type unique unknown`;
const cKeywords = `auto bool break case char const continue default do double else enum extern false float for goto if
  inline int long NULL register restrict return short signed sizeof static struct switch true typedef union unsigned
  void volatile while define elif endif ifdef ifndef include pragma undef`;
const javaKeywords = `abstract assert boolean break byte case catch char class const continue default do double else
  enum extends false final finally float for if implements import instanceof int interface long native new null package
  private protected public record return sealed short static strictfp super switch synchronized this throw throws
  transient true try var void volatile while yield`;
const shellKeywords = `break case continue declare do done echo elif else esac eval exec exit export false fi for
  function if in local read readonly return select set shift source then trap true unset until while`;

const javascriptOpeners = [
  ...slashes,
  line('#!', 'lineStart'),
  ...['"', "'"].map((q) => quote(q, { position: 'notAfterName' })),
  long('`', { interpolations: ['${'] }),
  regularExpression,
];
const javascript = { openers: javascriptOpeners, nameCharacters: '$' };
const typescript = { ...javascript, keywords: typescriptKeywords };
const markup = { openers: [markupComment, ...attributes], nameCharacters: '-' };
const component = lexing({ ...markup, islands: { script: 'typescript', style: 'scss' } });
const cLike = { openers: [...slashes, ...quotes], memberAccess: arrowMembers };
const scripting = lexing({
  keywords: 'if then else elif for while do end function return',
  openers: [...hash, ...quotes],
});
const prose = lexing({ prose: true });
const style = { nameCharacters: '-', keywords: 'important from to and not only' };

/** The fallback: comments and strings that hardly any language contradicts. */
const generic = lexing({
  keywords: 'if else for while do return function class import true false null end then',
  openers: [line('#', 'lineStart'), line('//', 'afterSpace'), quote('"')],
});

const byLanguage: Readonly<Record<string, Lexing>> = {
  bash: lexing({
    keywords: shellKeywords,
    openers: [
      ...hash,
      long('"', { interpolations: ['$(', '${'] }),
      raw("'"),
      long("$'", { close: "'" }),
      // `<<<` is a string, and in `$((a << b))` no line follows that is `b`.
      heredoc('<<', /-?[ \t]*(?:(["'])([A-Za-z_]\w{0,63})\1|\\?([A-Za-z_]\w{0,63}))/y, { notBefore: '<' }),
    ],
  }),
  c: lexing({ ...cLike, keywords: cKeywords }),
  clojure: lexing({ openers: [line(';'), long('"')], nameCharacters: '-?!*' }),
  cpp: lexing({
    ...cLike,
    openers: [
      ...cLike.openers,
      ...prefixed('L u U u8', quotes),
      ...prefixed('R LR uR UR u8R', [
        raw('"', { fence: /([^\s()\\]{0,16})\(/y, close: (fence) => `)${fence[1]}"` }),
      ]),
    ],
    digitSeparator: "'",
    keywords: `${cKeywords} alignas alignof and catch class co_await co_return co_yield concept const_cast consteval
      constexpr decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept not nullptr
      operator or override private protected public reinterpret_cast requires static_assert static_cast template this
      throw try typename using virtual`,
  }),
  csharp: lexing({
    openers: [
      ...slashes,
      // What follows is prose.
      ...['#region', '#endregion', '#error', '#warning'].map((open) => line(open, 'lineStart')),
      ...quotes,
      raw('"""', { fence: /("*)/y, close: (fence) => `"""${fence[1]}` }),
      raw('$', { fence: /\${0,8}"""("*)/y, close: (fence) => `"""${fence[1]}` }),
      long('@"', { close: '"', escape: 'double' }),
      ...['$@', '@$'].map((prefix) =>
        long(`${prefix}"`, { close: '"', escape: 'double', interpolations: ['{'] }),
      ),
      quote('$"', { close: '"', notBefore: '""', interpolations: ['{'] }),
    ],
    keywords: `${javaKeywords} as async await base bool checked decimal delegate event explicit extern fixed foreach get
      goto implicit in init internal is lock nameof namespace object operator out override params partial readonly ref
      sbyte set sizeof stackalloc string struct typeof uint ulong unchecked unsafe ushort using value virtual when where`,
  }),
  css: lexing({ ...style, openers: [block('/*', '*/'), ...quotes] }),
  dart: lexing({
    openers: [...slashes, ...[...quotes, ...tripleQuotes].map((q) => ({ ...q, interpolations: ['${'] }))],
    keywords: javaKeywords,
  }),
  dockerfile: lexing({
    keywords:
      'add arg as cmd copy entrypoint env expose from healthcheck label onbuild run shell stopsignal user volume workdir',
    keywordsIgnoreCase: true,
    openers: [
      ...hash,
      ...quotes,
      heredoc('<<', /-?(?:(["'])([A-Za-z_]\w{0,63})\1|([A-Za-z_]\w{0,63}))/y, { position: 'afterSpace' }),
    ],
    nameCharacters: '$-',
  }),
  elixir: lexing({
    keywords: `after alias and case cond def defmodule defp do else end false fn for if import in nil not or quote
      raise receive require rescue true try unless use when with`,
    openers: [
      ...hash,
      long('"""', { interpolations: ['#{'] }),
      quote('"', { interpolations: ['#{'] }),
      quote("'", { position: 'afterNonWord' }),
    ],
  }),
  erlang: lexing({
    openers: [line('%'), ...quotes],
    keywords: 'after begin case catch end fun if of receive when',
  }),
  fsharp: lexing({
    keywords:
      'and as do else elif for fun function if in let match module mutable namespace new not of open rec then to type when with yield',
    openers: [line('//'), block('(*', '*)', { nested: true }), quote('"'), raw('"""'), character],
  }),
  go: lexing({
    keywords: `break case chan const continue default defer else fallthrough for func go goto if import interface map
      package range return select struct switch type var nil true false iota any bool byte error int int32 int64 rune
      string uint append len make`,
    openers: [...slashes, ...quotes, raw('`')],
  }),
  graphql: lexing({
    openers: [...hash, long('"""'), quote('"')],
    keywords: 'enum fragment input interface mutation query scalar type',
  }),
  groovy: lexing({
    openers: [
      ...slashes,
      ...['"', '"""'].map((q) => quote(q, { multiline: q.length > 1, interpolations: ['${'] })),
      quote("'"),
      long("'''"),
    ],
    keywords: `${javaKeywords} as def in`,
  }),
  haskell: lexing({
    keywords:
      'case class data deriving do else if import in infixl infixr instance let module newtype of then type where',
    openers: [line('--'), block('{-', '-}', { nested: true }), quote('"'), character],
  }),
  html: lexing({ ...markup, islands: { script: 'javascript', style: 'css' } }),
  ini: lexing({ openers: [line('#', 'lineStart'), line(';', 'lineStart'), quote('"')], nameCharacters: '-' }),
  java: lexing({
    openers: [...slashes, ...quotes, long('"""')],
    keywords: javaKeywords,
    nameCharacters: '$',
  }),
  javascript: lexing({ ...javascript, keywords: javascriptKeywords, jsx: true }),
  json: lexing({ openers: [...slashes, quote('"')], keywords: 'true false null' }),
  julia: lexing({
    openers: [...hash, block('#=', '=#', { nested: true }), quote('"'), long('"""')],
    keywords: 'begin do else elseif end for function if let module return struct using while',
  }),
  kotlin: lexing({
    keywords: `abstract actual annotation as break by catch class companion const constructor continue crossinline data
      do else enum expect external false final finally for fun get if import in infix init inline inner interface
      internal is it lateinit noinline null object open operator out override package private protected public reified
      return sealed set super suspend tailrec this throw true try typealias val value var vararg when where while`,
    openers: [
      ...nestedSlashes,
      quote('"', { interpolations: ['${'] }),
      quote("'"),
      raw('"""', { interpolations: ['${'] }),
    ],
  }),
  less: lexing({ ...style, openers: [line('//', 'afterSpace'), block('/*', '*/'), ...quotes] }),
  lisp: lexing({ openers: [line(';'), long('"')], nameCharacters: '-?!*' }),
  lua: lexing({
    keywords:
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while self',
    openers: [
      line('--'),
      block('--[', ']', { fence: /(={0,16})\[/y, close: (fence) => `]${fence[1]}]` }),
      ...quotes,
      raw('[', { fence: /(={0,16})\[/y, close: (fence) => `]${fence[1]}]` }),
    ],
    memberAccess: ['.', ':'],
  }),
  makefile: lexing({
    openers: [...hash, ...quotes.map((q) => ({ ...q, position: 'afterNonWord' as const }))],
    nameCharacters: '-',
    keywords: 'define endef else endif ifdef ifeq ifndef ifneq include export',
  }),
  markdown: prose,
  'objective-c': lexing({
    ...cLike,
    keywords: `${cKeywords} id nil self super YES NO interface implementation property end`,
  }),
  ocaml: lexing({
    keywords:
      'and as begin do done else end exception for fun function if in let match module mutable of open rec sig struct then to try type val when while with',
    openers: [block('(*', '*)', { nested: true }), long('"'), character],
  }),
  perl: lexing({
    keywords: 'elsif else for foreach if last local my next our package return sub unless until use while',
    openers: [
      ...hash,
      quote('"'),
      quote("'", { position: 'afterNonWord' }),
      regularExpression,
      heredoc('<<', /[~]?(?:(["'])([A-Za-z_]\w{0,63})\1|([A-Z_]\w{0,63}))/y),
    ],
    memberAccess: arrowMembers,
  }),
  php: lexing({
    keywords: `abstract and array as break callable case catch class clone const continue declare default do echo else
      elseif empty enum extends false final finally fn for foreach function global goto if implements include
      include_once instanceof interface isset list match namespace new null or print private protected public readonly
      require require_once return self static switch $this throw trait true try unset use var void while yield`,
    // `#[` begins an attribute; a comment ends before the tag that ends the code.
    openers: [
      { ...line('//'), close: '?>' },
      block('/*', '*/'),
      { ...line('#'), close: '?>', notBefore: '[' },
      long('"', { interpolations: ['{$'] }),
      long("'"),
      heredoc('<<<', /[ \t]*(?:(["'])([A-Za-z_]\w{0,63})\1|([A-Za-z_]\w{0,63}))/y),
      opener('markup', '?>', { close: '<?' }),
    ],
    markup: 'html',
    nameCharacters: '$',
    memberAccess: arrowMembers,
  }),
  plaintext: prose,
  powershell: lexing({
    openers: [...hash, block('<#', '#>'), quote('"'), quote("'")],
    nameCharacters: '$-',
    keywords:
      'begin catch else elseif end finally foreach function if param process return switch throw try while',
  }),
  proto: lexing({
    openers: cLike.openers,
    keywords: 'enum import message oneof option optional package repeated returns rpc service syntax',
  }),
  python: lexing({
    keywords: `and as assert async await break case class continue def del elif else except False finally for from
      global if import in is lambda match None nonlocal not or pass raise return self cls True try while with yield`,
    openers: [
      line('#'),
      ...quotes,
      ...tripleQuotes,
      ...prefixed('r b u rb br R B U Rb rB RB Br bR BR', [...quotes, ...tripleQuotes]),
      ...prefixed('f fr rf F Fr fR FR Rf rF RF t tr rt T', [...quotes, ...tripleQuotes], {
        interpolations: ['{'],
      }),
    ],
    bracesAreBrackets: true,
  }),
  r: lexing({
    openers: [...hash, ...quotes],
    nameCharacters: '.',
    keywords: 'else for function if in next repeat return while TRUE FALSE NULL NA',
  }),
  ruby: lexing({
    keywords: `alias and begin break case class def defined do else elsif end ensure extend false for if in include
      lambda loop module next nil not or private proc protected public raise redo require require_relative rescue retry
      return self super then true undef unless until when while yield attr_accessor attr_reader attr_writer`,
    openers: [
      line('#'),
      block('=begin', '=end', { position: 'lineStart' }),
      ...['"', '`'].map((q) => long(q, { interpolations: ['#{'] })),
      long("'"),
      ...percentLiterals,
      heredoc(
        '<<',
        /[-~](?:(["'`])([A-Za-z_]\w{0,63})\1|([A-Za-z_]\w{0,63}))|(["'])([A-Z_]\w{0,63})\4|([A-Z_]\w{0,63})/y,
      ),
      regularExpression,
    ],
    nameCharacters: '@$',
    memberAccess: [...members, '&.'],
    commandCalls: true,
  }),
  rust: lexing({
    keywords: `as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod
      move mut pub ref return self Self static struct super trait true type union unsafe use where while bool char f32
      f64 i32 i64 str u8 u32 u64 usize Some None Ok Err`,
    openers: [
      ...nestedSlashes,
      long('"'),
      ...prefixed('b c', [long('"')]),
      ...prefixed('r br cr', [
        raw('"'),
        raw('#', { fence: /(#{0,16})"/y, close: (fence) => `"#${fence[1]}` }),
      ]),
      character,
    ],
  }),
  scala: lexing({
    keywords: `abstract case catch class def do else enum export extends extension false final finally for forSome given
      if implicit import lazy match new null object override package private protected return sealed super then this
      throw trait true try type using val var while with yield`,
    openers: [
      ...nestedSlashes,
      quote('"'),
      raw('"""'),
      ...[quote('"'), raw('"""')].map((q) => ({ ...q, prefixes: 'any' as const, interpolations: ['${'] })),
      character,
    ],
  }),
  scss: lexing({
    ...style,
    openers: [line('//', 'afterSpace'), block('/*', '*/'), ...quotes],
    nameCharacters: '-$',
  }),
  sql: lexing({
    keywords: `add all alter and as asc begin between by case check column commit constraint create cross default delete
      desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left
      like limit not null on or order outer primary references returning right rollback select set table then union
      unique update using values view when where with`,
    keywordsIgnoreCase: true,
    openers: [
      line('--'),
      block('/*', '*/', { nested: true }),
      long("'", { escape: 'double' }),
      ...prefixed('e E', [long("'")]),
      quote('"', { escape: 'double' }),
    ],
  }),
  svelte: component,
  swift: lexing({
    keywords: `actor any as associatedtype async await break case catch class continue convenience default defer deinit
      didSet do else enum extension fallthrough false fileprivate final for func get guard if import in indirect infix
      init inout internal is lazy let mutating nil open operator override private protocol public repeat required
      rethrows return self Self set some static struct subscript super switch throw throws true try typealias unowned var
      weak where while willSet`,
    openers: [
      ...nestedSlashes,
      quote('"', { interpolations: ['\\('] }),
      long('"""', { interpolations: ['\\('] }),
      raw('#', { fence: /(#{0,16})(""")/y, close: (fence) => `"""#${fence[1]}` }),
      quote('#', { fence: /(#{0,16})"/y, close: (fence) => `"#${fence[1]}`, escape: 'none' }),
    ],
  }),
  terraform: lexing({
    openers: [
      ...hash,
      ...slashes,
      quote('"', { interpolations: ['${'] }),
      heredoc('<<', /-?(?:(")([A-Za-z_]\w{0,63})\1|([A-Za-z_]\w{0,63}))/y),
    ],
    nameCharacters: '-',
    keywords: 'data for if in locals module output provider resource terraform variable true false null',
  }),
  text: generic,
  toml: lexing({
    openers: [line('#'), quote('"'), quote("'", { escape: 'none' }), long('"""'), raw("'''")],
    nameCharacters: '-',
    keywords: 'true false',
  }),
  tsx: lexing({ ...typescript, jsx: true }),
  typescript: lexing(typescript),
  vb: lexing({
    openers: [line("'"), quote('"', { escape: 'double' })],
    keywords: 'As ByVal Dim Else End Function If New Next Nothing Public Private Return Sub Then',
  }),
  vue: component,
  xml: lexing(markup),
  yaml: lexing({
    keywords: 'true false null',
    openers: [
      ...hash,
      quote('"', { position: 'afterNonWord' }),
      quote("'", { position: 'afterNonWord', escape: 'double' }),
    ],
    nameCharacters: '-',
  }),
  zig: lexing({
    openers: [line('//'), ...quotes],
    keywords:
      'and break catch comptime const continue defer else enum error fn for if or orelse pub return struct switch test try union unreachable var while',
  }),
  cmake: scripting,
  nim: scripting,
};

/** Ids that editors use for languages of the table. */
const aliases: Readonly<Record<string, string>> = {
  'c#': 'csharp',
  'c++': 'cpp',
  javascriptreact: 'javascript',
  jsonc: 'json',
  shell: 'bash',
  shellscript: 'bash',
  sh: 'bash',
  typescriptreact: 'tsx',
};

const lexings = new Map([
  ...Object.entries(byLanguage),
  ...Object.entries(aliases).map(([alias, language]) => [alias, byLanguage[language] ?? generic] as const),
]);

/** Every id in the table and its aliases. */
export const lexingIds: readonly string[] = [...lexings.keys()];

/** How to lex a language, by its id in any case; the generic fallback for an id that is not in the table. */
export function lexingOf(language: string): Lexing {
  return lexings.get(language.toLowerCase()) ?? generic;
}
