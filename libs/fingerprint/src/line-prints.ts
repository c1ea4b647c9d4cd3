import { commentWordBits, lineTokenBits, tokenBits } from './evidence-bits';
import { isWideSpace, lexLines, TokenType, type LexedText } from './lexer';
import type { LineKey } from './line-key';
import type { LinePrint } from './line-print';
import { SipHasher } from './sip-hash';

/** Longest logical statement that H3 joins, in non-blank lines. */
export const MAX_STATEMENT_LINES = 10;

export interface AnalysedText {
  /** One print for each non-blank line, in order. */
  readonly prints: LinePrint[];
  /** Bits of the tokens of each of those lines, see `lineTokenBits`. */
  readonly tokenBits: Float64Array;
}

// What a token's hash stands for, so that a string never equals the name with the same letters.
const Domain = { code: 1, string: 2, comment: 3, abstract: 4 } as const;

/** Typographic quotes, dashes and full-width marks end a word as ASCII ones do: fixed here, whatever Unicode adds. */
const isWideMark = (code: number): boolean =>
  (code >= 0xa1 && code <= 0xbf) ||
  (code >= 0x2010 && code <= 0x206f) ||
  (code >= 0x3001 && code <= 0x303f) ||
  (code >= 0xff01 && code <= 0xff0f);

/** 1 for the ASCII characters of a word of prose. */
const wordCharacters = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w$]/.test(String.fromCharCode(code)) ? 1 : 0,
);

const LineKind = { code: 0, comment: 1, stringPart: 2 } as const;
type LineKind = (typeof LineKind)[keyof typeof LineKind];

/** What an operator means to the joining of lines. */
const Role = {
  none: 0,
  open: 1,
  close: 2,
  openBrace: 3,
  closeBrace: 4,
  comma: 5,
  semicolon: 6,
  member: 7,
  /** A line that ends in it goes on. */
  continuing: 8,
  /** … and it is itself no part of the statement. */
  backslash: 9,
} as const;
type Role = (typeof Role)[keyof typeof Role];

const roles = new Map<string, Role>([
  ['(', Role.open],
  ['[', Role.open],
  [')', Role.close],
  [']', Role.close],
  ['{', Role.openBrace],
  ['}', Role.closeBrace],
  [',', Role.comma],
  [';', Role.semicolon],
  ['\\', Role.backslash],
  ...'= := += -= == + - && || ?? ? | =>'.split(' ').map((o) => [o, Role.continuing] as const),
]);
const MAX_TOKEN_COUNT = 255;
const SPACE = 32;

/** Two words on their way into a bigint. */
const hashWords = new DataView(new ArrayBuffer(8));

type Mutable<T> = { -readonly [Field in keyof T]: T[Field] };

interface PrintedLine {
  readonly print: Mutable<LinePrint>;
  readonly kind: LineKind;
  /** Sum of its tokens' bits. */
  readonly bits: number;
  /** It has neither a name nor a string nor a number. */
  readonly structureOnly: boolean;
}

/**
 * Prints of one text. Each distinct word is hashed once; a line is then the hash of its words' hashes. In here
 * a token is an index into `low`, `high`, `bits` and `role`.
 */
class LinePrinter {
  private readonly low: number[] = [];
  private readonly high: number[] = [];
  private readonly bits: number[] = [];
  private readonly role: Role[] = [];
  private readonly tokenHasher: SipHasher;
  private readonly exactHasher: SipHasher;
  private readonly abstractHasher: SipHasher;
  private readonly abstractName: number;
  private readonly abstractNumber: number;
  private readonly abstractString: number;
  private readonly commentMark: number;
  private readonly commentWords = new Map<string, number>();
  /** Token of each lexed word; the mark for a comment, whose own words count. */
  private readonly tokenOfWord: number[] = [];
  // Tokens of the line or statement at hand.
  private readonly exact: number[] = [];
  private readonly abstracted: number[] = [];

  constructor(
    private readonly text: LexedText,
    key: LineKey,
    private readonly weighing: boolean,
  ) {
    this.tokenHasher = new SipHasher(key.tokens);
    this.exactHasher = new SipHasher(key.exact);
    this.abstractHasher = new SipHasher(key.abstract);
    this.abstractName = this.addToken(Domain.abstract, 'I');
    this.abstractNumber = this.addToken(Domain.abstract, '0');
    this.abstractString = this.addToken(Domain.abstract, 'S');
    this.commentMark = this.addToken(Domain.comment, '#');
    for (let id = 0; id < text.words.length; id++) {
      this.tokenOfWord.push(this.addWord(text.words[id]!, text.types[id]!));
    }
  }

  /** The lines' prints, with what their evidence is reckoned from. */
  run(): PrintedLine[] {
    const { firstToken } = this.text;
    const lines: PrintedLine[] = [];
    for (let line = 0; line + 1 < firstToken.length; line++) {
      if (firstToken[line]! < firstToken[line + 1]!) lines.push(this.printLine(line));
    }
    this.joinStatements(lines);
    return lines;
  }

  private addToken(domain: number, word: string, bits = 0, role: Role = Role.none): number {
    this.tokenHasher.hashText(domain, word);
    this.low.push(this.tokenHasher.result[0]!);
    this.high.push(this.tokenHasher.result[1]!);
    this.bits.push(bits);
    return this.role.push(role) - 1;
  }

  private addWord(word: string, type: TokenType): number {
    const bits = this.weighing ? tokenBits(word, type === TokenType.access ? TokenType.operator : type) : 0;
    switch (type) {
      case TokenType.comment:
        return this.commentMark;
      case TokenType.string:
      case TokenType.stringPart:
        // A formatter that changes the quotes changes which quotes inside are escaped.
        return this.addToken(
          Domain.string,
          word.includes('\\') ? word.replace(/\\(["'`])/g, '$1') : word,
          bits,
        );
      case TokenType.operator:
        return this.addToken(Domain.code, word, bits, this.roleOf(word));
      case TokenType.access:
        return this.addToken(Domain.code, word, bits, Role.member);
      default:
        return this.addToken(Domain.code, word, bits);
    }
  }

  private roleOf(operator: string): Role {
    const role = roles.get(operator) ?? Role.none;
    if (!this.text.lexing.bracesAreBrackets) return role;
    return role === Role.openBrace ? Role.open : role === Role.closeBrace ? Role.close : role;
  }

  private printLine(line: number): PrintedLine {
    const { exact, abstracted } = this;
    const kind = this.kindOf(line);
    this.exact.length = 0;
    this.abstracted.length = 0;
    let structureOnly = false;
    if (kind === LineKind.code) {
      structureOnly = this.gatherCode(line);
      this.dropTrailing();
    } else this.gatherWords(line);
    let bits = 0;
    let bloomLow = 0;
    let bloomHigh = 0;
    for (let i = 0; i < exact.length; i++) {
      const token = exact[i]!;
      bits += this.bits[token]!;
      const bit = this.low[token]! & 63;
      if (bit < 32) bloomLow |= 1 << bit;
      else bloomHigh |= 1 << (bit - 32);
    }
    const h1 = this.hash(this.exactHasher, exact);
    const h2 = this.hash(this.abstractHasher, abstracted);
    const bloom = this.unsigned64(bloomLow, bloomHigh);
    const tokens = Math.min(MAX_TOKEN_COUNT, exact.length);
    return { print: { line, h1, h2, h3: h1, bloom, tokens }, kind, bits, structureOnly };
  }

  private kindOf(line: number): LineKind {
    const { tokens, types, firstToken } = this.text;
    let kind: LineKind = LineKind.comment;
    for (let i = firstToken[line]!; i < firstToken[line + 1]!; i++) {
      const type = types[tokens[i]!];
      if (type === TokenType.stringPart) kind = LineKind.stringPart;
      else if (type !== TokenType.comment) return LineKind.code;
    }
    return kind;
  }

  /**
   * Appends a line's tokens without its comments, and without a comma that stands before a closer.
   *
   * @returns whether the line has neither a name nor a string nor a number
   */
  private gatherCode(line: number): boolean {
    const { exact, abstracted, role } = this;
    const { tokens, types, firstToken } = this.text;
    let structureOnly = true;
    let afterMember = false;
    for (let i = firstToken[line]!; i < firstToken[line + 1]!; i++) {
      const word = tokens[i]!;
      const type = types[word]!;
      if (type === TokenType.comment) continue;
      const token = this.tokenOfWord[word]!;
      const tokenRole = role[token]!;
      if (tokenRole === Role.close || tokenRole === Role.closeBrace) {
        if (role[exact[exact.length - 1] ?? -1] === Role.comma) {
          exact.pop();
          abstracted.pop();
        }
      }
      exact.push(token);
      abstracted.push(this.abstraction(type, token, afterMember));
      afterMember = tokenRole === Role.member;
      structureOnly &&= type >= TokenType.operator || type === TokenType.keyword;
    }
    return structureOnly;
  }

  private abstraction(type: TokenType, token: number, isMember: boolean): number {
    switch (type) {
      case TokenType.name:
        return isMember ? token : this.abstractName;
      case TokenType.number:
        return this.abstractNumber;
      case TokenType.string:
      case TokenType.stringPart:
        return this.abstractString;
      default:
        return token;
    }
  }

  private dropBackslash(): void {
    if (this.role[this.exact[this.exact.length - 1]!] !== Role.backslash) return;
    this.exact.pop();
    this.abstracted.pop();
  }

  /** Drops commas, semicolons and a backslash at the end, but never the whole line. */
  private dropTrailing(): void {
    const { exact, abstracted, role } = this;
    while (exact.length > 1) {
      const last = role[exact[exact.length - 1]!];
      if (last !== Role.comma && last !== Role.semicolon && last !== Role.backslash) return;
      exact.pop();
      abstracted.pop();
    }
  }

  /** Appends the lower-cased words of a line of comment, long string or prose, whatever marks surround them. */
  private gatherWords(line: number): void {
    const { exact, abstracted } = this;
    const { tokens, words, firstToken } = this.text;
    exact.push(this.commentMark);
    for (let i = firstToken[line]!; i < firstToken[line + 1]!; i++) this.gatherWordsOf(words[tokens[i]!]!);
    for (let i = 0; i < exact.length; i++) abstracted.push(exact[i]!);
  }

  private gatherWordsOf(text: string): void {
    let start = -1;
    for (let at = 0; at <= text.length; at++) {
      const code = at < text.length ? text.charCodeAt(at) : SPACE;
      const inside = code < 128 ? wordCharacters[code] === 1 : !isWideSpace(code) && !isWideMark(code);
      if (inside) {
        if (start < 0) start = at;
      } else if (start >= 0) {
        this.exact.push(this.commentWord(text.slice(start, at)));
        start = -1;
      }
    }
  }

  /** Only ASCII letters have one lower case in every release of Unicode. */
  private commentWord(text: string): number {
    let token = this.commentWords.get(text);
    if (token === undefined) {
      const word = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
      token =
        word === text
          ? this.addToken(Domain.comment, word, this.weighing ? commentWordBits(word) : 0)
          : this.commentWord(word);
      this.commentWords.set(text, token);
    }
    return token;
  }

  /** Gives the lines of each statement that its brackets spread over several lines one H3. */
  private joinStatements(lines: readonly PrintedLine[]): void {
    for (let first = 0; first < lines.length; first++) {
      const last = this.statementEnd(lines, first);
      if (last === first) continue;
      const statement = lines.slice(first, last + 1).filter((line) => line.kind !== LineKind.comment);
      this.exact.length = 0;
      this.abstracted.length = 0;
      for (const { print } of statement) {
        this.gatherCode(print.line);
        this.dropBackslash();
      }
      this.dropTrailing();
      const h3 = this.hash(this.exactHasher, this.exact);
      for (const { print } of statement) print.h3 = h3;
      first = last;
    }
  }

  /**
   * Index of the last line of the statement that begins at `first`: the one that closes its brackets and does not
   * end in an operator, or that opens a block. `first` itself where that is more than ten lines away.
   */
  private statementEnd(lines: readonly PrintedLine[], first: number): number {
    const { tokens, firstToken, types } = this.text;
    if (lines[first]!.kind !== LineKind.code) return first;
    let depth = 0;
    for (let index = first; index < lines.length && index < first + MAX_STATEMENT_LINES; index++) {
      const { print, kind } = lines[index]!;
      if (kind === LineKind.comment) continue;
      let last: Role = Role.none;
      for (let i = firstToken[print.line]!; i < firstToken[print.line + 1]!; i++) {
        const word = tokens[i]!;
        if (types[word] === TokenType.comment) continue;
        last = this.role[this.tokenOfWord[word]!]!;
        if (last === Role.open) depth++;
        else if (last === Role.close && depth > 0) depth--;
      }
      if (last === Role.openBrace) return index;
      if (depth === 0 && last !== Role.continuing && last !== Role.backslash) return index;
    }
    return first;
  }

  private hash(hasher: SipHasher, tokens: readonly number[]): bigint {
    hasher.hashBlocks(tokens, this.low, this.high);
    return this.unsigned64(hasher.result[0]!, hasher.result[1]!);
  }

  private unsigned64(low: number, high: number): bigint {
    hashWords.setInt32(0, low, true);
    hashWords.setInt32(4, high, true);
    return hashWords.getBigUint64(0, true);
  }
}

/**
 * Lexes a text once and gives each of its non-blank lines its keyed print and its evidence.
 *
 * @param text the whole file where there is one: comments and strings carry over lines
 * @param language an id of `languageOf`
 */
export function analyseText(text: string, language: string, key: LineKey): AnalysedText {
  const lines = new LinePrinter(lexLines(text, language), key, true).run();
  return {
    prints: lines.map((line) => line.print),
    tokenBits: Float64Array.from(lines, ({ bits, structureOnly }) => lineTokenBits(bits, structureOnly)),
  };
}

/** The prints alone: one for each non-blank line of the text, in order. */
export function computeLinePrints(text: string, language: string, key: LineKey): LinePrint[] {
  return new LinePrinter(lexLines(text, language), key, false).run().map((line) => line.print);
}
