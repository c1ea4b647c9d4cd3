// What the lexer knows of each language, as data. It has to tell comments, strings, keywords and names apart;
// nothing here is a grammar.

/** Where an opener counts. */
export type OpenerPosition = 'anywhere' | 'lineStart' | 'afterSpace' | 'afterNonWord';

/** One way of beginning something that is not plain code. */
export interface Opener {
  readonly kind: 'lineComment' | 'blockComment' | 'string' | 'template' | 'character' | 'heredoc' | 'markup';
  readonly open: string;
  readonly position: OpenerPosition;
  /** It opens nothing when this follows. */
  readonly notBefore: string;
  readonly close: string;
  /** How a close is written inside: after a backslash, doubled, or not at all. */
  readonly escape: 'backslash' | 'double' | 'none';
  /** Otherwise it ends with its line, closed or not. */
  readonly multiline: boolean;
  readonly nested: boolean;
  /** Length of a prefix such as `f` or `r` in `open`. */
  readonly prefix: number;
}

export interface Lexing {
  readonly keywords: ReadonlySet<string>;
  /** Keywords are written in any case (SQL). */
  readonly keywordsIgnoreCase: boolean;
  /** Longest first. */
  readonly openers: readonly Opener[];
  /** ASCII characters of names beyond letters, digits and `_`; only `$` and `@` may start one. */
  readonly nameCharacters: string;
  /** Operators after which a name is a member's and stays in the abstracted print. */
  readonly memberAccess: ReadonlySet<string>;
  /** A slash where a value is expected starts a regular expression. */
  readonly regularExpressions: boolean;
  /** Natural language: lines are compared by their words. */
  readonly prose: boolean;
}

type OpenerOptions = Partial<Omit<Opener, 'kind' | 'open'>>;

const opener = (kind: Opener['kind'], open: string, options: OpenerOptions = {}): Opener => ({
  kind,
  open,
  position: 'anywhere',
  notBefore: '',
  close: open,
  escape: 'backslash',
  multiline: false,
  nested: false,
  prefix: 0,
  ...options,
});
const line = (open: string, position: OpenerPosition = 'anywhere') =>
  opener('lineComment', open, { position });
const block = (open: string, close: string, options: OpenerOptions = {}) =>
  opener('blockComment', open, { close, multiline: true, ...options });
const quote = (open: string, options: OpenerOptions = {}) => opener('string', open, options);
const long = (open: string, close = open, options: OpenerOptions = {}) =>
  opener('string', open, { close, multiline: true, ...options });
const raw = (open: string, close = open) => long(open, close, { escape: 'none' });
const prefixed = (prefixes: string, quotes: readonly Opener[]): Opener[] =>
  prefixes
    .split(' ')
    .flatMap((prefix) => quotes.map((q) => ({ ...q, open: prefix + q.open, prefix: prefix.length })));

const slashes = [line('//'), block('/*', '*/')];
const nestedSlashes = [line('//'), block('/*', '*/', { nested: true })];
const hash = [line('#', 'afterSpace')];
const quotes = [quote('"'), quote("'")];
const longQuotes = [quote('"', { multiline: true }), quote("'", { multiline: true })];
const tripleQuotes = [long('"""'), long("'''")];
const character = opener('character', "'");
const markupComment = block('<!--', '-->');

const members = ['.', '?.', '::'];
const arrowMembers = [...members, '->', '?->'];

interface LexingOptions {
  readonly keywords?: string;
  readonly keywordsIgnoreCase?: boolean;
  readonly openers?: readonly Opener[];
  readonly nameCharacters?: string;
  readonly memberAccess?: readonly string[];
  readonly regularExpressions?: boolean;
  readonly prose?: boolean;
}

const lexing = (options: LexingOptions): Lexing => ({
  keywords: new Set(options.keywords?.trim().split(/\s+/)),
  keywordsIgnoreCase: options.keywordsIgnoreCase ?? false,
  openers: [...(options.openers ?? [])].sort((a, b) => b.open.length - a.open.length),
  nameCharacters: options.nameCharacters ?? '',
  memberAccess: new Set(options.memberAccess ?? members),
  regularExpressions: options.regularExpressions ?? false,
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

const javascriptOpeners = [...slashes, ...quotes, opener('template', '`', { multiline: true })];
const javascript = { openers: javascriptOpeners, nameCharacters: '$', regularExpressions: true };
const markup = lexing({ openers: [markupComment, ...quotes.slice(0, 1)], nameCharacters: '-' });
const component = lexing({
  ...javascript,
  keywords: typescriptKeywords,
  openers: [markupComment, ...javascriptOpeners],
});
const typescript = lexing({ ...javascript, keywords: typescriptKeywords });
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
      quote('"', { multiline: true }),
      raw("'"),
      quote("$'", { close: "'", multiline: true }),
      opener('heredoc', '<<', { position: 'afterSpace' }),
    ],
  }),
  c: lexing({ ...cLike, keywords: cKeywords }),
  clojure: lexing({ openers: [line(';'), quote('"', { multiline: true })], nameCharacters: '-?!*' }),
  cpp: lexing({
    ...cLike,
    openers: [...cLike.openers, ...prefixed('L u U u8', quotes), raw('R"(', ')"')],
    keywords: `${cKeywords} alignas alignof and catch class co_await co_return co_yield concept const_cast consteval
      constexpr decltype delete dynamic_cast explicit export final friend mutable namespace new noexcept not nullptr
      operator or override private protected public reinterpret_cast requires static_assert static_cast template this
      throw try typename using virtual`,
  }),
  csharp: lexing({
    openers: [
      ...slashes,
      ...quotes,
      raw('"""'),
      raw('$"""', '"""'),
      ...['@', '$@', '@$'].map((prefix) => long(`${prefix}"`, '"', { escape: 'double' })),
      quote('$"', { close: '"' }),
    ],
    keywords: `${javaKeywords} as async await base bool checked decimal delegate event explicit extern fixed foreach get
      goto implicit in init internal is lock nameof namespace object operator out override params partial readonly ref
      sbyte set sizeof stackalloc string struct typeof uint ulong unchecked unsafe ushort using value virtual when where`,
  }),
  css: lexing({ ...style, openers: [block('/*', '*/'), ...quotes] }),
  dart: lexing({ openers: [...slashes, ...quotes, ...tripleQuotes], keywords: javaKeywords }),
  dockerfile: lexing({
    keywords:
      'ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL USER VOLUME WORKDIR',
    openers: [...hash, ...quotes],
  }),
  elixir: lexing({
    keywords: `after alias and case cond def defmodule defp do else end false fn for if import in nil not or quote
      raise receive require rescue true try unless use when with`,
    openers: [...hash, long('"""'), quote('"'), quote("'", { position: 'afterNonWord' })],
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
    openers: [...slashes, ...quotes, ...tripleQuotes],
    keywords: `${javaKeywords} as def in`,
  }),
  haskell: lexing({
    keywords:
      'case class data deriving do else if import in infixl infixr instance let module newtype of then type where',
    openers: [line('--'), block('{-', '-}', { nested: true }), quote('"'), character],
  }),
  html: markup,
  ini: lexing({ openers: [line('#', 'lineStart'), line(';', 'lineStart'), quote('"')], nameCharacters: '-' }),
  java: lexing({
    openers: [...slashes, ...quotes, long('"""')],
    keywords: javaKeywords,
    nameCharacters: '$',
  }),
  javascript: lexing({ ...javascript, keywords: javascriptKeywords }),
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
    openers: [...nestedSlashes, ...quotes, raw('"""')],
  }),
  less: lexing({ ...style, openers: [line('//', 'afterSpace'), block('/*', '*/'), ...quotes] }),
  lisp: lexing({ openers: [line(';'), quote('"', { multiline: true })], nameCharacters: '-?!*' }),
  lua: lexing({
    keywords:
      'and break do else elseif end false for function goto if in local nil not or repeat return then true until while self',
    openers: [line('--'), block('--[[', ']]'), ...quotes, raw('[[', ']]')],
    memberAccess: ['.', ':'],
  }),
  makefile: lexing({
    openers: [...hash, quote('"')],
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
    openers: [block('(*', '*)', { nested: true }), quote('"', { multiline: true }), character],
  }),
  perl: lexing({
    keywords: 'elsif else for foreach if last local my next our package return sub unless until use while',
    openers: [...hash, quote('"'), quote("'", { position: 'afterNonWord' })],
    memberAccess: arrowMembers,
  }),
  php: lexing({
    keywords: `abstract and array as break callable case catch class clone const continue declare default do echo else
      elseif empty enum extends false final finally fn for foreach function global goto if implements include
      include_once instanceof interface isset list match namespace new null or print private protected public readonly
      require require_once return self static switch $this throw trait true try unset use var void while yield`,
    // `#[` begins an attribute
    openers: [
      ...slashes,
      opener('lineComment', '#', { notBefore: '[' }),
      ...longQuotes,
      opener('heredoc', '<<<'),
      opener('markup', '?>', { close: '<?' }),
    ],
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
      ...prefixed('r b u f rb br fr rf R B U F Rb rB RB Br bR BR Fr fR FR Rf rF RF', [
        ...quotes,
        ...tripleQuotes,
      ]),
    ],
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
      quote('"'),
      quote("'"),
      quote('`'),
      opener('heredoc', '<<~'),
      opener('heredoc', '<<-'),
    ],
    nameCharacters: '@$',
    memberAccess: [...members, '&.'],
    regularExpressions: true,
  }),
  rust: lexing({
    keywords: `as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod
      move mut pub ref return self Self static struct super trait true type union unsafe use where while bool char f32
      f64 i32 i64 str u8 u32 u64 usize Some None Ok Err`,
    openers: [
      ...nestedSlashes,
      quote('"', { multiline: true }),
      ...prefixed('b c', [quote('"', { multiline: true })]),
      ...['r', 'br', 'cr'].flatMap((prefix) =>
        ['', '#', '##', '###'].map((fence) => ({
          ...raw(`${prefix}${fence}"`, `"${fence}`),
          prefix: prefix.length,
        })),
      ),
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
      ...prefixed('s f raw', [quote('"'), raw('"""')]),
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
    openers: [line('--'), block('/*', '*/'), quote("'", { escape: 'double', multiline: true }), quote('"')],
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
      quote('"'),
      long('"""'),
      raw('#"""', '"""#'),
      quote('#"', { close: '"#', escape: 'none' }),
    ],
  }),
  terraform: lexing({
    openers: [...hash, ...slashes, quote('"')],
    nameCharacters: '-',
    keywords: 'data for if in locals module output provider resource terraform variable true false null',
  }),
  text: generic,
  toml: lexing({
    openers: [...hash, ...quotes, ...tripleQuotes],
    nameCharacters: '-',
    keywords: 'true false',
  }),
  tsx: typescript,
  typescript,
  vb: lexing({
    openers: [line("'"), quote('"', { escape: 'double' })],
    keywords: 'As ByVal Dim Else End Function If New Next Nothing Public Private Return Sub Then',
  }),
  vue: component,
  xml: markup,
  yaml: lexing({
    keywords: 'true false null',
    openers: [...hash, quote('"', { position: 'afterNonWord' }), quote("'", { position: 'afterNonWord' })],
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

/** How to lex a language, by its id in any case; the generic fallback for an id that is not in the table. */
export function lexingOf(language: string): Lexing {
  return lexings.get(language.toLowerCase()) ?? generic;
}
