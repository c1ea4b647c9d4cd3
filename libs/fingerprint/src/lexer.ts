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
const BACKSLASH = 92;
const SLASH = 47;

/** From `name` on, a character continues a name; `inside` ones do not start one. */
const CharacterClass = { operator: 0, space: 1, newline: 2, name: 3, digit: 4, inside: 5 } as const;

/** Deepest nesting of `${…}` that is followed; deeper ones are read as text. */
const MAX_INTERPOLATIONS = 16;

const joinedOperators = new Set(
  `>>>= === !== **= <<= >>= >>> ... &&= ||= ??= <=> ..= ..< ?-> => == != <= >= := && || ++ -- += -= *= /= %= &= |= ^=
  ** << >> -> ?. ?? .. <- :: |> !! ?: &. =~`.split(/\s+/),
);
const LONGEST_OPERATOR = 4;
const mayJoin = new Uint8Array(128);
for (const operator of joinedOperators) for (const c of operator) mayJoin[c.charCodeAt(0)] = 1;

/** A language's table, arranged by first character. */
interface CompiledLexing {
  readonly classes: Uint8Array;
  readonly openers: readonly (readonly Opener[] | undefined)[];
}

const compiled = new WeakMap<Lexing, CompiledLexing>();

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
  const openers: Opener[][] = [];
  for (const opener of lexing.openers) (openers[opener.open.charCodeAt(0)] ??= []).push(opener);
  const result = { classes, openers };
  compiled.set(lexing, result);
  return result;
}

/** White space as `String.prototype.trim` has it. */
const isWideSpace = (code: number): boolean =>
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

class Lexer {
  private readonly words: string[] = [];
  private readonly types: TokenType[] = [];
  private readonly tokens: number[] = [];
  private readonly firstToken: number[] = [0];
  private readonly wordIds = new Map<string, number>();
  private readonly classes: Uint8Array;
  private readonly openers: CompiledLexing['openers'];
  private at = 0;
  /** Depth of braces inside each open `${`, innermost last, with the template to go back to. */
  private readonly interpolations: { readonly template: Opener; braces: number }[] = [];
  /** Terminators of here-documents that begin on the next line. */
  private readonly heredocs: string[] = [];
  /** Line on which a slash had no partner: no later slash of that line can have one either. */
  private loneSlashLine = -1;

  constructor(
    private readonly text: string,
    private readonly lexing: Lexing,
  ) {
    ({ classes: this.classes, openers: this.openers } = compile(lexing));
  }

  run(): LexedText {
    const { text, lexing } = this;
    if (lexing.prose) this.readProse();
    else {
      // A PHP file begins as markup; a fragment of one without any tag is code.
      const markup = lexing.openers.find((o) => o.kind === 'markup');
      if (markup) {
        const [open, close] = [text.indexOf(markup.close), text.indexOf(markup.open)];
        if (open >= 0 && (close < 0 || open < close)) this.readMarkup(markup);
      }
      while (this.at < text.length) this.readToken();
    }
    this.firstToken.push(this.tokens.length);
    return {
      lexing,
      words: this.words,
      types: this.types,
      tokens: this.tokens,
      firstToken: this.firstToken,
    };
  }

  private classOf(code: number): number {
    if (code < 128) return this.classes[code]!;
    return isWideSpace(code) ? CharacterClass.space : CharacterClass.name;
  }

  private readToken(): void {
    const code = this.text.charCodeAt(this.at);
    const candidates = code < 128 ? this.openers[code] : undefined;
    if (candidates) {
      for (const opener of candidates) {
        if (this.opensHere(opener) && this.readOpened(opener)) return;
      }
    }
    switch (this.classOf(code)) {
      case CharacterClass.space:
        this.at++;
        return;
      case CharacterClass.newline:
        this.at++;
        this.endLine();
        if (this.heredocs.length > 0) this.readHeredocs();
        return;
      case CharacterClass.name:
        this.readName();
        return;
      case CharacterClass.digit:
        this.readNumber();
        return;
      default:
        if (code === SLASH && this.lexing.regularExpressions && this.readRegularExpression()) return;
        this.readOperator(code);
    }
  }

  private opensHere(opener: Opener): boolean {
    const { at, text } = this;
    if (opener.open.length > 1 && !text.startsWith(opener.open, at)) return false;
    if (opener.notBefore !== '' && text.startsWith(opener.notBefore, at + opener.open.length)) return false;
    if (opener.position === 'anywhere') return true;
    if (opener.position === 'lineStart')
      return this.tokens.length === this.firstToken[this.firstToken.length - 1];
    if (at === 0) return true;
    const before = this.classOf(text.charCodeAt(at - 1));
    if (opener.position === 'afterNonWord') {
      return before !== CharacterClass.name && before !== CharacterClass.digit;
    }
    return before === CharacterClass.space || before === CharacterClass.newline;
  }

  /** Reads what an opener opens; false when it turns out to be an operator. */
  private readOpened(opener: Opener): boolean {
    switch (opener.kind) {
      case 'lineComment': {
        const end = this.lineEnd(this.at);
        this.emitTrimmed(TokenType.comment, this.at, end);
        this.at = end;
        return true;
      }
      case 'blockComment':
        this.readBlockComment(opener);
        return true;
      case 'character':
        return this.readCharacter();
      case 'heredoc':
        return this.readHeredocStart(opener);
      case 'markup':
        this.emitWord(TokenType.operator, opener.open);
        this.at += opener.open.length;
        this.readMarkup(opener);
        return true;
      case 'string':
      case 'template':
        if (opener.prefix > 0) this.emitWord(TokenType.keyword, `${opener.open.slice(0, opener.prefix)}"`);
        this.at += opener.open.length;
        this.readString(opener);
        return true;
    }
  }

  private readName(): void {
    const { text, classes } = this;
    const start = this.at;
    let at = start + 1;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code < 128 ? classes[code]! < CharacterClass.name : isWideSpace(code)) break;
    }
    this.at = at;
    this.emitWord(TokenType.name, text.slice(start, at));
  }

  private readNumber(): void {
    const { text } = this;
    const start = this.at;
    let at = start + 1;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      const known = this.classOf(code);
      if (known === CharacterClass.name || known === CharacterClass.digit) continue;
      const c = text[at];
      const next = at + 1 < text.length ? this.classOf(text.charCodeAt(at + 1)) : CharacterClass.space;
      if (c === '.' && next === CharacterClass.digit) continue;
      const exponent = text[at - 1] === 'e' || text[at - 1] === 'E';
      const hexadecimal = text[start + 1] === 'x' || text[start + 1] === 'X';
      if ((c === '-' || c === '+') && exponent && !hexadecimal && next === CharacterClass.digit) continue;
      break;
    }
    this.at = at;
    this.emitWord(TokenType.number, text.slice(start, at));
  }

  private readOperator(code: number): void {
    const { text, at } = this;
    const interpolation = this.interpolations[this.interpolations.length - 1];
    let operator = text[at]!;
    if (code < 128 && mayJoin[code] === 1 && mayJoin[text.charCodeAt(at + 1) & 127] === 1) {
      for (let length = LONGEST_OPERATOR; length > 1; length--) {
        const joined = text.slice(at, at + length);
        if (joinedOperators.has(joined)) {
          operator = joined;
          break;
        }
      }
    }
    this.at += operator.length;
    this.emitWord(TokenType.operator, operator);
    if (!interpolation) return;
    if (operator === '{') interpolation.braces++;
    else if (operator === '}' && interpolation.braces-- === 0) {
      this.interpolations.pop();
      this.readString(interpolation.template);
    }
  }

  /** Reads a string from behind its opening quote (or behind `${…}`) to its end. */
  private readString(opener: Opener): void {
    const { text } = this;
    const { close } = opener;
    const closeStart = close.charCodeAt(0);
    let start = this.at;
    let at = start;
    let continued = false;
    let type: TokenType = TokenType.string;
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === BACKSLASH && opener.escape === 'backslash') {
        if (text.charCodeAt(at + 1) === CARRIAGE_RETURN && text.charCodeAt(at + 2) === NEWLINE) at++;
        continued = text.charCodeAt(at + 1) === NEWLINE;
        if (!continued) at++;
      } else if (code === NEWLINE) {
        if (!opener.multiline && !continued) break;
        continued = false;
        type = TokenType.stringPart;
        this.emitPart(start, at);
        this.endLine();
        start = at + 1;
      } else if (code === closeStart && (close.length === 1 || text.startsWith(close, at))) {
        if (opener.escape === 'double' && text.startsWith(close, at + close.length)) {
          at += close.length;
          continue;
        }
        this.at = at + close.length;
        this.emitString(type, start, at);
        return;
      } else if (
        code === 36 &&
        opener.kind === 'template' &&
        text.charCodeAt(at + 1) === 123 &&
        this.interpolations.length < MAX_INTERPOLATIONS
      ) {
        if (at > start) this.emitString(type, start, at);
        this.emitWord(TokenType.operator, '${');
        this.interpolations.push({ template: opener, braces: 0 });
        this.at = at + 2;
        return;
      }
    }
    this.at = Math.min(at, text.length);
    // An open string ends where its line's white space begins.
    if (type === TokenType.string) this.emitUnique(type, text.slice(start, this.at).trimEnd());
    else this.emitPart(start, this.at);
  }

  private readBlockComment(opener: Opener): void {
    const { text } = this;
    let start = this.at;
    let at = start + opener.open.length;
    let depth = 1;
    const openStart = opener.open.charCodeAt(0);
    const closeStart = opener.close.charCodeAt(0);
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === NEWLINE) {
        this.emitTrimmed(TokenType.comment, start, at);
        this.endLine();
        start = at + 1;
      } else if (code === closeStart && text.startsWith(opener.close, at)) {
        at += opener.close.length - 1;
        if (--depth === 0) {
          at++;
          break;
        }
      } else if (opener.nested && code === openStart && text.startsWith(opener.open, at)) {
        at += opener.open.length - 1;
        depth++;
      }
    }
    this.at = Math.min(at, text.length);
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

  /** A regular expression literal, or false where the slash divides. */
  private readRegularExpression(): boolean {
    const line = this.firstToken.length;
    if (this.loneSlashLine === line || !this.expectsValue()) return false;
    const { text } = this;
    let inClass = false;
    for (let at = this.at + 1; at < text.length; at++) {
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
    const type = this.types[last];
    const word = this.words[last]!;
    if (type === TokenType.operator) return !/^[)\]}<]$|^\+\+$|^--$/.test(word);
    return type === TokenType.keyword
      ? !/^(this|super|self|end|true|false|null|nil)$/.test(word)
      : type === TokenType.comment;
  }

  /** `<<EOF`, `<<-'eof'`, `<<~SQL`: the document begins on the next line. False for a shift of a variable. */
  private readHeredocStart(opener: Opener): boolean {
    const pattern = /[-~]?[ \t]?(?:(["'])([A-Za-z_]\w{0,63})\1|([A-Z_]\w{0,63}))/y;
    pattern.lastIndex = this.at + opener.open.length;
    const found = pattern.exec(this.text);
    if (!found) return false;
    this.emitWord(TokenType.operator, opener.open);
    const terminator = found[2] ?? found[3]!;
    this.emitWord(TokenType.keyword, `<<${terminator}`);
    this.heredocs.push(terminator);
    this.at = pattern.lastIndex;
    return true;
  }

  private readHeredocs(): void {
    const { text } = this;
    while (this.heredocs.length > 0 && this.at < text.length) {
      const end = this.lineEnd(this.at);
      const line = text.slice(this.at, end).trim();
      const terminator = this.heredocs[0]!;
      if (line.startsWith(terminator) && /^[;,)]*$/.test(line.slice(terminator.length))) {
        this.heredocs.shift();
        this.emitWord(TokenType.keyword, `<<${terminator}`);
        if (this.heredocs.length === 0) {
          // What stands behind the terminator is code again.
          this.at = text.lastIndexOf(terminator, end) + terminator.length;
          return;
        }
      } else this.emitPart(this.at, end);
      this.at = end;
      if (end < text.length) {
        this.at = end + 1;
        this.endLine();
      }
    }
  }

  /** Markup around PHP, up to and including the next opening tag. */
  private readMarkup(opener: Opener): void {
    const { text } = this;
    const found = text.indexOf(opener.close, this.at);
    const end = found < 0 ? text.length : found;
    this.readLines(TokenType.stringPart, end);
    this.at = end;
    if (found < 0) return;
    const tag = text.startsWith('<?php', end) ? '<?php' : text.startsWith('<?=', end) ? '<?=' : opener.close;
    this.emitWord(TokenType.operator, tag);
    this.at += tag.length;
  }

  private readProse(): void {
    this.readLines(TokenType.stringPart, this.text.length);
    this.at = this.text.length;
  }

  private readLines(type: TokenType, end: number): void {
    let start = this.at;
    for (;;) {
      const lineEnd = Math.min(this.lineEnd(start), end);
      this.emitTrimmed(type, start, lineEnd);
      if (lineEnd === end) return;
      this.endLine();
      start = lineEnd + 1;
    }
  }

  private lineEnd(from: number): number {
    const end = this.text.indexOf('\n', from);
    return end < 0 ? this.text.length : end;
  }

  private endLine(): void {
    this.firstToken.push(this.tokens.length);
  }

  private emitWord(type: TokenType, word: string): void {
    let id = this.wordIds.get(word);
    if (id === undefined) {
      id = this.words.length;
      this.wordIds.set(word, id);
      this.words.push(word);
      this.types.push(type === TokenType.name && this.isKeyword(word) ? TokenType.keyword : type);
    }
    this.tokens.push(id);
  }

  private isKeyword(word: string): boolean {
    return this.lexing.keywords.has(this.lexing.keywordsIgnoreCase ? word.toLowerCase() : word);
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
