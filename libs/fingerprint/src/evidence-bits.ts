import { TokenType } from './lexer';

// A static estimate of −log2 p(token), in bits, for where no repository has been counted (docs/engine.md).

const PUNCTUATION_BITS = 1.5;
const KEYWORD_BITS = 3;
const NUMBER_BITS = 4;
const COMMON_NAME_BITS = 4;
const NAME_BITS = 7;
const STRING_BITS = 3;
const STRING_BITS_A_CHARACTER = 0.5;
const MAX_STRING_BITS = 10;
const COMMON_WORD_BITS = 2;
const WORD_BITS = 5;

/** Names that code everywhere is full of. */
const commonNames = new Set(
  `a b c e f i j k n p s t v x y _ $ $this id el err error ex args argv key value val values keys data item items index
  idx list map set obj object result results res ret req request response resp name names type types node path file
  self cls ctx context config options opts params props state string str number num len length size count total sum
  console log print println printf fmt format main test expect it describe assert get add push append pop join split
  trim filter forEach each from to in out max min start end begin next prev first last line lines text msg message
  String Integer Object List Map Error Exception System Math JSON require module exports T K V std vec ok done cb fn
  func callback tmp temp arr array buf url user time date default init new run close open read write`.split(
    /\s+/,
  ),
);

/** Words that every comment is full of. */
const commonWords = new Set(
  `a an and are as at be but by can do for from has have i if in into is it its not no of on or so than that the then
  this to use used we when which will with you todo param return returns note see`.split(/\s+/),
);

/** Bits of evidence of one token outside comments. */
export function tokenBits(word: string, type: TokenType): number {
  switch (type) {
    case TokenType.operator:
      return PUNCTUATION_BITS;
    case TokenType.keyword:
      return KEYWORD_BITS;
    case TokenType.number:
      return NUMBER_BITS;
    case TokenType.string:
    case TokenType.stringPart:
      return Math.min(MAX_STRING_BITS, STRING_BITS + STRING_BITS_A_CHARACTER * word.length);
    default:
      return commonNames.has(word) ? COMMON_NAME_BITS : NAME_BITS;
  }
}

/** Bits of evidence of one lower-case word of a comment. */
export function commentWordBits(word: string): number {
  return commonWords.has(word) ? COMMON_WORD_BITS : WORD_BITS;
}

// A line of brackets and keywords alone says nothing about who wrote it.
const STRUCTURE_DISCOUNT = 0.25;

/**
 * Bits of the tokens of a line.
 *
 * @param sum bits of its tokens
 * @param structureOnly it has neither a name nor a string nor a number
 */
export function lineTokenBits(sum: number, structureOnly: boolean): number {
  return structureOnly ? sum * STRUCTURE_DISCOUNT : sum;
}
