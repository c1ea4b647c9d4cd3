import { lexingOf, type Lexing, type Opener } from './language-lexing';

export const TokenType = {
  name: 0,
  keyword: 1,
  number: 2,
  /** A string on one line; its word is what stands between the quotes. */
  string: 3,
  /** One line of a string that goes over several lines, without its quotes and outer white space. */
  stringPart: 4,
  /** One line of a comment, its marks included. */
  comment: 5,
  operator: 6,
  /** An operator behind which a name is a member's. */
  access: 7,
} as const;
export type TokenType = (typeof TokenType)[keyof typeof TokenType];

/**
 * The tokens of a text, line by line. Names, keywords, numbers and operators share one word for all their
 * occurrences; strings and comments have one each.
 */
export interface LexedText {
  readonly lexing: Lexing;
  /** Text of each distinct word. */
  readonly words: readonly string[];
  /** Type of each word. */
  readonly types: readonly TokenType[];
  /** Word of each token. */
  readonly tokens: readonly number[];
  /** First token of each line, and one more entry: the number of tokens. A blank line has no token. */
  readonly firstToken: readonly number[];
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const DOUBLE_QUOTE = 34;
const DOLLAR = 36;
const SLASH = 47;
const LESS = 60;
const GREATER = 62;
const BACKSLASH = 92;

/** From `name` on, a character continues a name; `inside` ones do not start one. */
const CharacterClass = { operator: 0, space: 1, newline: 2, name: 3, digit: 4, inside: 5 } as const;

/** Deepest nesting of code in strings in code that is followed; deeper ones are read as text. */
const MAX_INTERPOLATIONS = 16;

const joinedOperators =
  `>>>= === !== **= <<= >>= >>> ... &&= ||= ??= <=> ..= ..< ?-> => == != <= >= := && || ++ -- +=
  -= *= /= %= &= |= ^= ** << >> -> ?. ?? .. <- :: |> !! ?: &. =~`.split(/\s+/);
/** Joined operators by their first two characters, longest first. */
const joinedByPair: (string[] | undefined)[] = new Array<undefined>(128 * 128).fill(undefined);
for (const operator of joinedOperators) {
  (joinedByPair[operator.charCodeAt(0) * 128 + operator.charCodeAt(1)] ??= []).push(operator);
}
for (const operators of joinedByPair) operators?.sort((a, b) => b.length - a.length);
const joins = new Uint8Array(128);
for (const operator of joinedOperators) joins[operator.charCodeAt(0)] = 1;
const singleOperators = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));

/** What ends a string or comment that has begun. */
interface Ending {
  readonly opener: Opener;
  readonly close: string;
  /** What needs one more close; empty when nothing does. */
  readonly nest: string;
}

/** A language's table, arranged by first character. */
interface CompiledLexing {
  readonly lexing: Lexing;
  readonly classes: Uint8Array;
  readonly openers: readonly (readonly Opener[] | undefined)[];
}

const compiled = new WeakMap<Lexing, CompiledLexing>();
const endings = new WeakMap<Opener, Ending>();

function compile(lexing: Lexing): CompiledLexing {
  const known = compiled.get(lexing);
  if (known) return known;
  const classes = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    const c = String.fromCharCode(code);
    if (code === NEWLINE) classes[code] = CharacterClass.newline;
    else if (c.trim() === '') classes[code] = CharacterClass.space;
    else if (/\d/.test(c)) classes[code] = CharacterClass.digit;
    else if (/\w/.test(c)) classes[code] = CharacterClass.name;
    else if (lexing.nameCharacters.includes(c)) {
      classes[code] = c === '$' || c === '@' ? CharacterClass.name : CharacterClass.inside;
    }
  }
  const openers = new Array<Opener[] | undefined>(128).fill(undefined);
  for (const opener of lexing.openers) {
    (openers[opener.open.charCodeAt(0)] ??= []).push(opener);
    if (typeof opener.close === 'string') {
      endings.set(opener, { opener, close: opener.close, nest: opener.nested ? opener.open : '' });
    }
  }
  const result = { lexing, classes, openers };
  compiled.set(lexing, result);
  return result;
}

/** White space as `String.prototype.trim` has it. */
export const isWideSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0xfeff ||
  (code >= 0x1680 &&
    (code === 0x1680 ||
      (code >= 0x2000 && code <= 0x200a) ||
      code === 0x2028 ||
      code === 0x2029 ||
      code === 0x202f ||
      code === 0x205f ||
      code === 0x3000));

/** What the lexer is inside of, innermost last. */
type Frame =
  /** Code inside a string, up to the bracket that ends it. */
  | {
      readonly kind: 'interpolation';
      readonly ending: Ending;
      readonly open: string;
      readonly close: string;
      depth: number;
    }
  /** Code inside an element or attribute. */
  | { readonly kind: 'braces'; depth: number }
  | { readonly kind: 'tag'; readonly name: string; readonly closing: boolean }
  | { readonly kind: 'children' };

/** A string in a tag has no escapes. */
const attributeEndings = ['"', "'"].map((close): Ending => {
  const opener = lexingOf('html').openers.find((o) => o.open === close)!;
  return { opener, close, nest: '' };
});

/** Slots of names and numbers, by a short hash, and behind them one for each ASCII operator of one character. */
const SEEN_WORDS = 1024;
/** The word last seen at each slot (plus 1), so that most words are found without cutting them out of the text. */
const seen = new Int32Array(SEEN_WORDS + 128);
const HASH_PRIME = 0x0100_0193;

// Bound once: a look-up of a global is slow where scripts run in a context of their own (tests, some editors).
const { imul } = Math;

class Lexer {
  private readonly words: string[] = [];
  private readonly types: TokenType[] = [];
  private readonly tokens: number[] = [];
  private readonly firstToken: number[] = [0];
  private readonly vocabularies = new Map<Lexing, Map<string, number>>();
  private vocabulary = new Map<string, number>();
  private lexing!: Lexing;
  private classes!: Uint8Array;
  private openers!: CompiledLexing['openers'];
  private at = 0;
  private end: number;
  private frames: Frame[] = [];
  private frame: Frame | undefined;
  private interpolations = 0;
  /** Where the name ends that is the last token. */
  private nameEnd = -1;
  /** Terminators of here-documents that begin on the next line. */
  private readonly heredocs: string[] = [];
  /** Line on which a slash had no partner: no later slash of that line can have one either. */
  private loneSlashLine = -1;
  private island: string | undefined;
  private closingTags: Map<string, number> | undefined;
  /** First token of the line that is read alone. */
  private alone: number | undefined;
  private leadingWords: Map<string, number> | undefined;

  constructor(
    private readonly text: string,
    private readonly root: Lexing,
  ) {
    this.end = text.length;
  }

  run(): LexedText {
    const { text, root } = this;
    if (root.prose) this.readProse();
    else {
      this.use(root);
      // A PHP file begins as markup; a fragment of one without any tag is code.
      const markup = root.openers.find((o) => o.kind === 'markup');
      if (markup) {
        const [open, close] = [text.indexOf('<?'), text.indexOf(markup.open)];
        if (open >= 0 && (close < 0 || open < close)) this.readMarkup();
      }
      this.readTokens();
    }
    this.firstToken.push(this.tokens.length);
    return {
      lexing: root,
      words: this.words,
      types: this.types,
      tokens: this.tokens,
      firstToken: this.firstToken,
    };
  }

  /** See `lexLines`. */
  runByLine(): LexedText {
    const lexed = this.run();
    const { text, root, words, types, tokens, firstToken } = this;
    // Code behind the end of a string belongs to the statement around it.
    const isInside = (line: number) => {
      const count = firstToken[line + 1]! - firstToken[line]!;
      const word = tokens[firstToken[line]!]!;
      return count > 0 && types[word] === TokenType.stringPart && (count === 1 || words[word] !== '');
    };
    const lines = firstToken.length - 1;
    let inside = 0;
    for (let line = 0; line < lines; line++) if (isInside(line)) inside++;
    if (root.prose || inside === 0) return lexed;
    const all: number[] = [];
    const first: number[] = [];
    this.use(root);
    for (let line = 0, start = 0; line < lines; line++) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline;
      const [from, to] = isInside(line)
        ? this.readAlone(start, end)
        : [firstToken[line]!, firstToken[line + 1]!];
      first.push(all.length);
      for (let i = from; i < to; i++) all.push(tokens[i]!);
      start = end + 1;
    }
    first.push(all.length);
    return { ...lexed, tokens: all, firstToken: first };
  }

  /** Reads a part of one line again; its first token and the end of its tokens. */
  private readAlone(start: number, end: number): [number, number] {
    this.frames = [];
    this.frame = undefined;
    this.interpolations = 0;
    this.heredocs.length = 0;
    this.loneSlashLine = -1;
    this.emitWord(TokenType.operator, ';');
    const first = this.tokens.length;
    this.alone = first;
    this.at = start;
    this.end = end;
    this.readTokens();
    return [first, this.tokens.length];
  }

  private use(lexing: Lexing): void {
    this.lexing = lexing;
    ({ classes: this.classes, openers: this.openers } = compile(lexing));
    let vocabulary = this.vocabularies.get(lexing);
    if (!vocabulary) this.vocabularies.set(lexing, (vocabulary = new Map()));
    this.vocabulary = vocabulary;
    seen.fill(0);
  }

  /** Reads another language's text up to `end`, whatever is open there. */
  private readIsland(lexing: Lexing, end: number): void {
    const { lexing: outer, end: outerEnd, frames, frame, interpolations } = this;
    this.use(lexing);
    this.end = end;
    this.frames = [];
    this.frame = undefined;
    this.interpolations = 0;
    this.readTokens();
    this.use(outer);
    this.end = outerEnd;
    this.frames = frames;
    this.frame = frame;
    this.interpolations = interpolations;
  }

  private readTokens(): void {
    while (this.at < this.end) this.readToken();
  }

  private classOf(code: number): number {
    if (code < 128) return this.classes[code]!;
    return isWideSpace(code) ? CharacterClass.space : CharacterClass.name;
  }

  private readToken(): void {
    const code = this.text.charCodeAt(this.at);
    const candidates = code < 128 ? this.openers[code] : undefined;
    if (candidates && this.readAnyOpened(candidates)) return;
    switch (this.classOf(code)) {
      case CharacterClass.space:
        this.at++;
        return;
      case CharacterClass.newline:
        this.at++;
        this.endLine();
        if (this.frame?.kind === 'interpolation' && !this.frame.ending.opener.multiline) this.leave();
        if (this.heredocs.length > 0) this.readHeredocs();
        return;
      case CharacterClass.name:
        this.readName(code);
        return;
      case CharacterClass.digit:
        this.readNumber(code);
        return;
      default:
        this.readOperator(code);
    }
  }

  private readAnyOpened(candidates: readonly Opener[]): boolean {
    const { frame, text, at } = this;
    if (frame?.kind === 'children') return false;
    if (frame?.kind === 'tag') {
      const attribute = attributeEndings.find(({ close }) => text.startsWith(close, at));
      if (attribute) {
        this.at++;
        this.readString(attribute);
        return true;
      }
    }
    for (const opener of candidates) if (this.opensHere(opener) && this.readOpened(opener)) return true;
    return false;
  }

  private opensHere(opener: Opener): boolean {
    const { at, text } = this;
    if (opener.open.length > 1 && !text.startsWith(opener.open, at)) return false;
    if (opener.notBefore !== '' && text.startsWith(opener.notBefore, at + opener.open.length)) return false;
    if (opener.prefixes) {
      if (this.nameEnd !== at) return false;
      const last = this.tokens[this.tokens.length - 1]!;
      if (this.types[last] !== TokenType.name) return false;
      if (opener.prefixes !== 'any' && !opener.prefixes.has(this.words[last]!)) return false;
    }
    switch (opener.position) {
      case 'anywhere':
        return true;
      case 'lineStart':
        return this.tokens.length === (this.alone ?? this.firstToken[this.firstToken.length - 1]);
      case 'notAfterName':
        return this.nameEnd !== at || this.types[this.tokens[this.tokens.length - 1]!] !== TokenType.name;
      case 'afterEquals':
        return this.words[this.tokens[this.tokens.length - 1] ?? -1] === '=';
      case 'value':
        return this.expectsValue();
      default: {
        if (at === 0) return true;
        const before = this.classOf(text.charCodeAt(at - 1));
        return opener.position === 'afterNonWord'
          ? before !== CharacterClass.name && before !== CharacterClass.digit
          : before === CharacterClass.space || before === CharacterClass.newline;
      }
    }
  }

  /** Reads what an opener opens; false when it turns out to be an operator. */
  private readOpened(opener: Opener): boolean {
    if (opener.kind === 'character') return this.readCharacter();
    if (opener.kind === 'regularExpression') return this.readRegularExpression();
    let behind = this.at + opener.open.length;
    let ending = endings.get(opener);
    if (opener.fence) {
      opener.fence.lastIndex = behind;
      const fence = opener.fence.exec(this.text);
      if (!fence || opener.fence.lastIndex > this.end) return false;
      behind = opener.fence.lastIndex;
      if (opener.kind === 'heredoc') return this.readHeredocStart(opener, fence, behind);
      const nest = opener.nested && opener.close !== fence[1] ? fence[1]! : '';
      ending ??= { opener, close: (opener.close as (fence: RegExpExecArray) => string)(fence), nest };
    }
    switch (opener.kind) {
      case 'lineComment':
        this.readLineComment(ending!.close);
        return true;
      case 'blockComment':
        this.readBlockComment(ending!, behind);
        return true;
      case 'markup':
        this.emitWord(TokenType.operator, opener.open);
        this.at = behind;
        this.readMarkup();
        return true;
      default:
        if (opener.prefixes) {
          const prefix = this.words[this.tokens.pop()!]!;
          this.emitWord(TokenType.keyword, `${prefix}"`);
        }
        this.at = behind;
        this.readString(ending!);
        return true;
    }
  }

  private readLineComment(close: string): void {
    const { text, at } = this;
    let end = this.lineEnd(at);
    if (close !== '\n') {
      const found = text.slice(at, end).indexOf(close);
      if (found >= 0) end = at + found;
    }
    this.emitTrimmed(TokenType.comment, at, end);
    this.at = end;
  }

  private readName(first: number): void {
    const { text, classes, end } = this;
    const start = this.at;
    let at = start + 1;
    let hash = first;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code < 128 ? classes[code]! < CharacterClass.name : isWideSpace(code)) break;
      hash = imul(hash ^ code, HASH_PRIME);
    }
    this.at = at;
    this.nameEnd = at;
    this.emitSlice(TokenType.name, start, at, hash);
  }

  private readNumber(first: number): void {
    const { text, end } = this;
    const start = this.at;
    const separator = this.lexing.digitSeparator;
    let at = start + 1;
    let hash = first;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      const known = this.classOf(code);
      if (known !== CharacterClass.name && known !== CharacterClass.digit) {
        const c = text[at]!;
        const next = at + 1 < end ? this.classOf(text.charCodeAt(at + 1)) : CharacterClass.space;
        if (next !== CharacterClass.digit && !(c === separator && next === CharacterClass.name)) break;
        const exponent = text[at - 1] === 'e' || text[at - 1] === 'E';
        const hexadecimal = text[start + 1] === 'x' || text[start + 1] === 'X';
        if (c !== '.' && c !== separator && !((c === '-' || c === '+') && exponent && !hexadecimal)) break;
      }
      hash = imul(hash ^ code, HASH_PRIME);
    }
    this.at = at;
    this.emitSlice(TokenType.number, start, at, hash);
  }

  /** @param code an ASCII character: all others are names or white space */
  private readOperator(code: number): void {
    const { text, at } = this;
    const frame = this.frame;
    if (code === LESS && this.lexing.jsx && this.opensTag()) return;
    let operator = singleOperators[code]!;
    if (joins[code] === 1) {
      const next = text.charCodeAt(at + 1);
      // `>` ends a tag whatever follows.
      const joined = next < 128 && frame?.kind !== 'tag' ? joinedByPair[code * 128 + next] : undefined;
      if (joined) operator = joined.find((o) => o.length === 2 || text.startsWith(o, at)) ?? operator;
    }
    this.at += operator.length;
    if (operator.length === 1) this.emitSingle(code, operator);
    else this.emitWord(TokenType.operator, operator);
    if (frame) this.followFrame(frame, operator);
    else if (this.lexing.islands) this.followIslands(operator, this.lexing.islands);
  }

  /** What an operator opens and closes inside a string's code or an element. */
  private followFrame(frame: Frame, operator: string): void {
    switch (frame.kind) {
      case 'interpolation':
        if (operator === frame.open) frame.depth++;
        else if (operator === frame.close && frame.depth-- === 0) {
          this.leave();
          this.readString(frame.ending);
        }
        return;
      case 'braces':
        if (operator === '{') frame.depth++;
        else if (operator === '}' && frame.depth-- === 0) this.leave();
        return;
      case 'children':
        if (operator === '{') this.enter({ kind: 'braces', depth: 0 });
        return;
      case 'tag':
        if (operator === '{') this.enter({ kind: 'braces', depth: 0 });
        else if (operator === '>') this.closeTag(frame);
    }
  }

  private enter(frame: Frame): void {
    if (frame.kind === 'interpolation') this.interpolations++;
    this.frames.push(frame);
    this.frame = frame;
  }

  private leave(): void {
    if (this.frames.pop()?.kind === 'interpolation') this.interpolations--;
    this.frame = this.frames[this.frames.length - 1];
  }

  /** Enters an element's tag at a `<` that begins one; false where it compares or begins type arguments. */
  private opensTag(): boolean {
    const { text, at, frame } = this;
    if (frame?.kind === 'tag') return false;
    const closing = text.charCodeAt(at + 1) === SLASH;
    if (closing ? frame?.kind !== 'children' : frame?.kind !== 'children' && !this.expectsValue())
      return false;
    const pattern = closing ? /\s*/y : /(?:[A-Za-z_$][\w.$:-]*)?/y;
    pattern.lastIndex = at + 1;
    const name = pattern.exec(text)![0];
    if (!closing && name === '' && text.charCodeAt(at + 1) !== GREATER) return false;
    this.emitWord(TokenType.operator, '<');
    this.at++;
    this.enter({ kind: 'tag', name, closing });
    return true;
  }

  /** Behind a tag stands text, if the element is closed somewhere: otherwise it was no element. */
  private closeTag({ name, closing }: Frame & { kind: 'tag' }): void {
    this.leave();
    if (closing) {
      if (this.frame?.kind === 'children') this.leave();
      return;
    }
    const selfClosing = this.words[this.tokens[this.tokens.length - 2] ?? -1] === '/';
    if (!selfClosing && this.lastClosingTag(name) > this.at - 1) this.enter({ kind: 'children' });
  }

  private lastClosingTag(name: string): number {
    this.closingTags ??= new Map(
      Array.from(this.text.matchAll(/<\/\s*([\w.$:-]*)/g), (found) => [found[1]!, found.index]),
    );
    return this.closingTags.get(name) ?? -1;
  }

  /** Reads the content of `<script>` and `<style>` in its own language. */
  private followIslands(operator: string, islands: ReadonlyMap<string, string>): void {
    if (operator === '<') {
      const pattern = /[A-Za-z]\w{0,15}/y;
      pattern.lastIndex = this.at;
      const name = pattern.exec(this.text)?.[0].toLowerCase() ?? '';
      this.island = islands.has(name) ? name : undefined;
    } else if (operator === '>' && this.island !== undefined) {
      const name = this.island;
      this.island = undefined;
      if (this.words[this.tokens[this.tokens.length - 2]!] === '/') return;
      const closing = new RegExp(`</${name}`, 'gi');
      closing.lastIndex = this.at;
      const end = closing.exec(this.text)?.index ?? this.end;
      this.readIsland(lexingOf(islands.get(name)!), Math.min(end, this.end));
    }
  }

  /** Reads a string from behind its opening quote (or behind code inside it) to its end. */
  private readString(ending: Ending): void {
    const { text, end } = this;
    const { opener, close, nest } = ending;
    const { escape, multiline, interpolations } = opener;
    const closeStart = close.charCodeAt(0);
    const nestStart = nest === '' ? -1 : nest.charCodeAt(0);
    const codeStart = interpolations.length === 0 ? -1 : interpolations[0]!.charCodeAt(0);
    let start = this.at;
    let at = start;
    let depth = 0;
    let continued = false;
    let type: TokenType = TokenType.string;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === codeStart && this.interpolations < MAX_INTERPOLATIONS) {
        const begun = this.interpolationAt(interpolations, at);
        if (begun !== undefined) {
          if (at > start) this.emitString(type, start, at);
          this.emitWord(TokenType.operator, begun);
          this.at = at + begun.length;
          const round = begun.endsWith('(');
          this.enter({
            kind: 'interpolation',
            ending,
            open: round ? '(' : '{',
            close: round ? ')' : '}',
            depth: 0,
          });
          return;
        }
        // Doubled, it stands for itself.
        if (interpolations[0]!.length === 1) at++;
      }
      if (code === BACKSLASH && escape === 'backslash') {
        if (text.charCodeAt(at + 1) === CARRIAGE_RETURN && text.charCodeAt(at + 2) === NEWLINE) at++;
        continued = text.charCodeAt(at + 1) === NEWLINE;
        if (!continued) at++;
      } else if (code === NEWLINE) {
        if (!multiline && !continued) break;
        continued = false;
        type = TokenType.stringPart;
        this.emitPart(start, at);
        this.endLine();
        start = at + 1;
      } else if (code === closeStart && (close.length === 1 || text.startsWith(close, at))) {
        if (depth > 0) {
          depth--;
          continue;
        }
        if (escape === 'double' && text.startsWith(close, at + close.length)) {
          at += close.length;
          continue;
        }
        // Of four quotes at the end of a long string the first is its own.
        if (close === '"""') while (text.charCodeAt(at + 3) === DOUBLE_QUOTE) at++;
        this.at = Math.min(at + close.length, end);
        this.emitString(type, start, Math.min(at, end));
        return;
      } else if (code === nestStart) depth++;
    }
    this.at = Math.min(at, end);
    // An open string ends where its line's white space begins.
    if (type === TokenType.string) this.emitUnique(type, text.slice(start, this.at).trimEnd());
    else this.emitPart(start, this.at);
  }

  /** What begins code in a string here: a bracket and what stands before it. */
  private interpolationAt(interpolations: readonly string[], at: number): string | undefined {
    const { text } = this;
    for (const open of interpolations) {
      if (open.length === 1) return text.charCodeAt(at + 1) === text.charCodeAt(at) ? undefined : open;
      // PHP's `{$` begins with the variable.
      if (text.startsWith(open, at)) return open.charCodeAt(1) === DOLLAR ? '{' : open;
    }
    return undefined;
  }

  private readBlockComment({ opener, close, nest }: Ending, behind: number): void {
    const { text, end } = this;
    let start = this.at;
    let at = behind;
    let depth = 1;
    const nestStart = opener.nested ? nest.charCodeAt(0) : -1;
    const closeStart = close.charCodeAt(0);
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) {
        this.emitTrimmed(TokenType.comment, start, at);
        this.endLine();
        start = at + 1;
      } else if (code === closeStart && text.startsWith(close, at)) {
        at += close.length - 1;
        if (--depth === 0) {
          at++;
          break;
        }
      } else if (code === nestStart && text.startsWith(nest, at)) {
        at += nest.length - 1;
        depth++;
      }
    }
    this.at = Math.min(at, end);
    this.emitTrimmed(TokenType.comment, start, this.at);
  }

  /** A character literal, or false for the apostrophe of a lifetime or symbol. */
  private readCharacter(): boolean {
    const { text, at } = this;
    let end: number;
    if (text.charCodeAt(at + 1) === BACKSLASH) {
      // The longest escape is `'\u{10FFFF}'`.
      end = at + 3;
      while (end < at + 12 && text[end] !== "'") end++;
    } else {
      end = text[at + 2] === "'" ? at + 2 : at + 3;
      if (end === at + 3 && (text.codePointAt(at + 1) ?? 0) < 0x1_0000) return false;
    }
    if (text[end] !== "'" || text.slice(at, end).includes('\n')) return false;
    this.at = end + 1;
    this.emitString(TokenType.string, at + 1, end);
    return true;
  }

  /** A regular expression literal, or false where the slash has no partner on its line. */
  private readRegularExpression(): boolean {
    const line = this.firstToken.length;
    if (this.loneSlashLine === line) return false;
    const { text } = this;
    let inClass = false;
    for (let at = this.at + 1; at < this.end; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) break;
      if (code === BACKSLASH && text.charCodeAt(at + 1) !== NEWLINE) at++;
      else if (code === 91) inClass = true;
      else if (code === 93) inClass = false;
      else if (code === SLASH && !inClass) {
        this.emitString(TokenType.string, this.at + 1, at);
        this.at = at + 1;
        return true;
      }
    }
    this.loneSlashLine = line;
    return false;
  }

  private expectsValue(): boolean {
    const last = this.tokens[this.tokens.length - 1];
    if (last === undefined) return true;
    const word = this.words[last]!;
    switch (this.types[last]) {
      case TokenType.operator:
        return !/^[)\]}<]$|^\+\+$|^--$/.test(word);
      case TokenType.keyword:
        return !/^(this|super|self|end|true|false|null|nil|undefined)$/.test(word);
      case TokenType.comment:
        return true;
      case TokenType.name: {
        // `split /,/` and not `a / b`, `a /b` only where a name can be a call.
        if (!this.lexing.commandCalls) return false;
        const before = this.text.charCodeAt(this.at - 1);
        const after = this.text.charCodeAt(this.at + 1);
        return before === 32 && this.classOf(after) !== CharacterClass.space && after !== 61;
      }
      default:
        return false;
    }
  }

  /**
   * `<<EOF`, `<<-'eof'`, `<<~SQL`: the document begins on the next line. False for a shift of a variable: where
   * neither quotes nor marks say more, the terminator has to stand at the beginning of a later line.
   */
  private readHeredocStart(opener: Opener, fence: RegExpExecArray, behind: number): boolean {
    const words = fence.slice(1).filter((word) => word !== undefined);
    const terminator = words[words.length - 1]!;
    const mark = /^[-~]?/.exec(fence[0])![0];
    const certain = words.length > 1 || mark !== '' || opener.open === '<<<';
    const likely =
      fence[0] === terminator && /^[A-Z]/.test(terminator) && /\s/.test(this.text[this.at - 1] ?? ' ');
    if (!certain && !likely && this.lastLineBeginningWith(terminator) <= behind) return false;
    this.emitWord(TokenType.operator, opener.open + mark);
    this.emitWord(TokenType.keyword, `<<${terminator}`);
    this.heredocs.push(terminator);
    this.at = behind;
    return true;
  }

  private lastLineBeginningWith(word: string): number {
    this.leadingWords ??= new Map(
      Array.from(this.text.matchAll(/^[ \t]*([A-Za-z_]\w{0,63})/gm), (found) => [found[1]!, found.index]),
    );
    return this.leadingWords.get(word) ?? -1;
  }

  private readHeredocs(): void {
    const { text } = this;
    while (this.heredocs.length > 0 && this.at < this.end) {
      const end = this.lineEnd(this.at);
      const line = text.slice(this.at, end).trim();
      const terminator = this.heredocs[0]!;
      // PHP's may be followed by code.
      if (
        line.startsWith(terminator) &&
        /^(?:[;,)\]]|\s*[.:?]|\s*->|$)/.test(line.slice(terminator.length))
      ) {
        this.heredocs.shift();
        this.emitWord(TokenType.keyword, `<<${terminator}`);
        if (this.heredocs.length === 0) {
          this.at = text.indexOf(terminator, this.at) + terminator.length;
          return;
        }
      } else this.emitPart(this.at, end);
      this.at = end;
      if (end < this.end) {
        this.at = end + 1;
        this.endLine();
      }
    }
  }

  /** Markup around PHP, up to and including the next opening tag. */
  private readMarkup(): void {
    const { text } = this;
    const found = text.indexOf('<?', this.at);
    const end = found < 0 || found > this.end ? this.end : found;
    this.readIsland(lexingOf(this.root.markup!), end);
    this.at = end;
    if (end !== found) return;
    const tag = ['<?php', '<?=', '<?'].find((open) => text.startsWith(open, end))!;
    this.emitWord(TokenType.operator, tag);
    this.at += tag.length;
  }

  private readProse(): void {
    let start = 0;
    for (;;) {
      const lineEnd = this.lineEnd(start);
      this.emitTrimmed(TokenType.stringPart, start, lineEnd);
      if (lineEnd === this.end) return;
      this.endLine();
      start = lineEnd + 1;
    }
  }

  private lineEnd(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end < 0 || end > this.end ? this.end : end;
  }

  private endLine(): void {
    this.firstToken.push(this.tokens.length);
  }

  /** Emits a name or number; most are repetitions and need not be cut out of the text. */
  private emitSlice(type: TokenType, start: number, end: number, hash: number): void {
    const { text, words } = this;
    const slot = (hash ^ (hash >>> 15)) & (SEEN_WORDS - 1);
    const known = seen[slot]! - 1;
    if (known >= 0) {
      const word = words[known]!;
      if (word.length === end - start && text.startsWith(word, start)) {
        this.tokens.push(known);
        return;
      }
    }
    this.emitWord(type, text.slice(start, end));
    seen[slot] = this.tokens[this.tokens.length - 1]! + 1;
  }

  /** Emits an operator of one ASCII character; most are repetitions, too. */
  private emitSingle(code: number, operator: string): void {
    const slot = SEEN_WORDS + code;
    const known = seen[slot]! - 1;
    if (known >= 0) this.tokens.push(known);
    else {
      this.emitWord(TokenType.operator, operator);
      seen[slot] = this.tokens[this.tokens.length - 1]! + 1;
    }
  }

  private emitWord(type: TokenType, word: string): void {
    let id = this.vocabulary.get(word);
    if (id === undefined) {
      id = this.words.length;
      this.vocabulary.set(word, id);
      this.words.push(word);
      this.types.push(this.typeOf(type, word));
    }
    this.tokens.push(id);
  }

  private typeOf(type: TokenType, word: string): TokenType {
    const { keywords, keywordsIgnoreCase, memberAccess } = this.lexing;
    if (type === TokenType.operator) return memberAccess.has(word) ? TokenType.access : type;
    if (type !== TokenType.name) return type;
    return keywords.has(keywordsIgnoreCase ? word.toLowerCase() : word) ? TokenType.keyword : type;
  }

  private emitString(type: TokenType, start: number, end: number): void {
    const content = this.text.slice(start, end);
    this.emitUnique(type, type === TokenType.stringPart ? content.trim() : content);
  }

  /** Part of a string that goes on: nothing for a line of white space only. */
  private emitPart(start: number, end: number): void {
    const part = this.text.slice(start, end).trim();
    const opensLine = this.text.charCodeAt(start - 1) === NEWLINE;
    if (part !== '' || !opensLine) this.emitUnique(TokenType.stringPart, part);
  }

  private emitTrimmed(type: TokenType, start: number, end: number): void {
    const word = this.text.slice(start, end).trim();
    if (word !== '') this.emitUnique(type, word);
  }

  private emitUnique(type: TokenType, word: string): void {
    this.tokens.push(this.words.length);
    this.words.push(word);
    this.types.push(type);
  }
}

/**
 * Lexes a whole text: state carries over its lines. Takes time linear in its length, whatever it holds.
 *
 * @param language an id of `languageOf`; an unknown one is lexed by the generic fallback
 */
export function lex(text: string, language: string): LexedText {
  return new Lexer(text, lexingOf(language)).run();
}

/**
 * The same, but a line that begins inside a string is read as if it stood alone. A client may see an edit of a long
 * string without its beginning, and one quote that is lost or added turns all strings below it inside out: so such a
 * line is the same to everyone (docs/decisions/0015 says what that is worth).
 */
export function lexLines(text: string, language: string): LexedText {
  return new Lexer(text, lexingOf(language)).runByLine();
}
