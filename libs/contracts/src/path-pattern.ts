/** What one place of a pattern takes: a character, one of some, any one, or any number of any. */
type Token = { readonly kind: 'one'; readonly fits: (char: string) => boolean } | { readonly kind: 'star' };

/**
 * Compiles a pattern as `.gitattributes` and `.gitignore` have them: without a slash it fits the last part of a
 * path anywhere; with one it fits the whole path. `*` and `?` stay within one part, `**` spans any number of them,
 * `[a-z]` and `[!a-z]` are classes, a backslash takes the next character as it is. A pattern that ends with a slash
 * fits all that lies in that folder. No pattern takes longer than its length times the path's.
 *
 * @returns whether a path (with `/`, relative to where the pattern stands) fits
 */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const below = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const isAnchored = /\/./.test(below);
  const parts = below.replace(/^\//, '').split('/');
  if (!isAnchored) parts.unshift('**');
  const compiled = parts.map((part) => (part === '**' ? undefined : tokensOf(part)));
  return (path) => fitsParts(compiled, path.split('/'));
}

/** `undefined` stands for `**`: none or more parts, but at least one at the end of a pattern. */
function fitsParts(pattern: readonly (readonly Token[] | undefined)[], path: readonly string[]): boolean {
  // reached[i]: the first i parts of the path fit what has been read of the pattern.
  let reached = path.map(() => false);
  reached.unshift(true);
  pattern.forEach((tokens, index) => {
    const isLast = index === pattern.length - 1;
    const next = reached.map(() => false);
    for (let i = 0; i < reached.length; i++) {
      if (tokens) next[i] = i > 0 && reached[i - 1]! && fitsTokens(tokens, path[i - 1]!);
      else next[i] = (i > 0 && (next[i - 1]! || reached[i - 1]!)) || (!isLast && reached[i]!);
    }
    reached = next;
  });
  return reached.at(-1)!;
}

function fitsTokens(tokens: readonly Token[], part: string): boolean {
  const chars = [...part];
  let token = 0;
  let char = 0;
  /** Where to go on when what follows the last `*` does not fit: it takes one character more. */
  let retry: { token: number; char: number } | undefined;
  while (char < chars.length) {
    const next = tokens[token];
    if (next?.kind === 'star') {
      retry = { token: ++token, char };
    } else if (next?.fits(chars[char]!)) {
      token++;
      char++;
    } else if (retry) {
      retry = { token: retry.token, char: retry.char + 1 };
      ({ token, char } = retry);
    } else {
      return false;
    }
  }
  return tokens.slice(token).every(({ kind }) => kind === 'star');
}

const TOKEN = /\\(.)|\[([!^]?)(\]?[^\]]*)\]|\*+|\?|./gsu;

function tokensOf(part: string): Token[] {
  return [...part.matchAll(TOKEN)].map(([text, escaped, negation, members]): Token => {
    if (members !== undefined) {
      const isMember = classOf(members);
      return { kind: 'one', fits: negation ? (char) => !isMember(char) : isMember };
    }
    if (text.startsWith('*')) return { kind: 'star' };
    if (text === '?') return { kind: 'one', fits: () => true };
    const wanted = escaped ?? text;
    return { kind: 'one', fits: (char) => char === wanted };
  });
}

function classOf(members: string): (char: string) => boolean {
  const ranges = [...members.matchAll(/(.)-(.)|./gsu)].map(
    ([one, from, to]) => [from ?? one, to ?? one] as const,
  );
  return (char) => ranges.some(([from, to]) => from <= char && char <= to);
}
