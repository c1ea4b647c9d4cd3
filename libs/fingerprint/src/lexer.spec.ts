import { lex, TokenType } from './lexer';

const letters: Record<TokenType, string> = {
  [TokenType.name]: 'n',
  [TokenType.keyword]: 'k',
  [TokenType.number]: '0',
  [TokenType.string]: 's',
  [TokenType.stringPart]: 'p',
  [TokenType.comment]: 'c',
  [TokenType.operator]: 'o',
};

/** Each line's tokens as `type:word`, one string a line. */
function tokensByLine(text: string, language: string): string[] {
  const { words, types, tokens, firstToken } = lex(text, language);
  return firstToken.slice(0, -1).map((first, line) =>
    tokens
      .slice(first, firstToken[line + 1])
      .map((word) => `${letters[types[word]!]}:${words[word]}`)
      .join(' '),
  );
}

describe('comments and strings', () => {
  const cases: [language: string, name: string, text: string, lines: string[]][] = [
    ['javascript', 'line comments', 'a // b "c', 'n:a c:// b "c'],
    ['javascript', 'block comments over lines', '/* a\n"b\n*/ c', 'c:/* a|c:"b|c:*/ n:c'],
    ['javascript', 'block comments that do not nest', '/* /* */ a', 'c:/* /* */ n:a'],
    ['javascript', 'escaped quotes', `'a\\'b' "c"`, "s:a\\'b s:c"],
    ['javascript', 'an open quote ends with its line', `a = 'b\nc`, 'n:a o:= s:b|n:c'],
    ['javascript', 'a backslash carries a string over the line', `'a\\\nb' c`, 'p:a\\|p:b n:c'],
    ['javascript', 'templates over lines', '`a\n  b\n` + c', 'p:a|p:b|p: o:+ n:c'],
    [
      'javascript',
      'code inside templates',
      '`a${b({c: `d`})}e`',
      's:a o:${ n:b o:( o:{ n:c o:: s:d o:} o:) o:} s:e',
    ],
    ['javascript', 'regular expressions', 'a = /["`/]\\//g; b / c', 'n:a o:= s:["`/]\\/ n:g o:; n:b o:/ n:c'],
    ['javascript', 'division', 'a / b; (c) / d', 'n:a o:/ n:b o:; o:( n:c o:) o:/ n:d'],
    ['typescript', 'its own keywords', 'readonly $a: string', 'k:readonly n:$a o:: k:string'],
    ['tsx', 'elements', '<p a="b">c</p>', 'o:< n:p n:a o:= s:b o:> n:c o:< o:/ n:p o:>'],
    ['go', 'raw strings over lines', "`a\n\\` 'b' // c", 'p:a|p:\\ s:b c:// c'],
    ['python', 'comments', 'a # b', 'n:a c:# b'],
    ['python', 'docstrings', '"""a\n\n b"c\n"""\nd', 'p:a||p:b"c|p:|n:d'],
    ['python', 'one-line docstrings', "'''a'b'''", "s:a'b"],
    ['python', 'prefixes apart from their string', 'f"a" f', 'k:f" s:a n:f'],
    ['python', 'prefixed long strings', "rb'''a\nb'''", 'k:rb" p:a|p:b'],
    ['java', 'text blocks and characters', `"""\na\n""" 'b'`, 'p:|p:a|p: s:b'],
    ['rust', 'nested comments', '/* a /* b */ c */ d', 'c:/* a /* b */ c */ n:d'],
    ['rust', 'lifetimes and characters', `&'a '"' '\\'' x`, `o:& o:' n:a s:" s:\\' n:x`],
    ['rust', 'raw strings', 'r#"a"b\n"# c', 'k:r" p:a"b|p: n:c'],
    ['rust', 'strings over lines', '"a\nb" c', 'p:a|p:b n:c'],
    ['c', 'comments, strings and characters', `"a//" 'b' /* c */ d`, 's:a// s:b c:/* c */ n:d'],
    ['cpp', 'raw strings', 'R"(a"\nb)" c', 'p:a"|p:b n:c'],
    ['cpp', 'prefixes', 'u8"a"', 'k:u8" s:a'],
    ['csharp', 'verbatim strings', '@"a""b\nc" d', 'p:a""b|p:c n:d'],
    ['csharp', 'interpolated strings', '$"a {b}" c', 's:a {b} n:c'],
    ['ruby', 'comments', 'a # b\n=begin\nc\n=end\nd', 'n:a c:# b|c:=begin|c:c|c:=end|n:d'],
    ['ruby', 'here-documents', 'a(<<~SQL)\n b "c\nSQL\nd', 'n:a o:( o:<<~ k:<<SQL o:)|p:b "c|k:<<SQL|n:d'],
    ['ruby', 'variables', '@a = :b', 'n:@a o:= o:: n:b'],
    [
      'php',
      'markup around code',
      "<p>it's\n<?php $a; # b\n?>\n<b>",
      "p:<p>it's|o:<?php n:$a o:; c:# b|o:?>|p:<b>",
    ],
    ['php', 'fragments without a tag as code', '$a = "b"; #[C]', 'n:$a o:= s:b o:; o:# o:[ n:C o:]'],
    [
      'php',
      'here-documents',
      "$a = <<<EOT\nit's\nEOT;\n$b",
      "n:$a o:= o:<<< k:<<EOT|p:it's|k:<<EOT o:;|n:$b",
    ],
    ['kotlin', 'nested comments and raw strings', '/* /* */ */ """a\n"b"""', 'c:/* /* */ */ p:a|p:"b'],
    ['scala', 'interpolators and symbols', `s"a" 'b 'c'`, `k:s" s:a o:' n:b s:c`],
    [
      'swift',
      'nested comments and long strings',
      '/* /* */ */ """\na\n""" #"b"c"#',
      'c:/* /* */ */ p:|p:a|p: s:b"c',
    ],
    ['bash', 'comments only after space', 'a $# b # c', 'n:a o:$ o:# n:b c:# c'],
    ['bash', 'strings over lines', `'a\n"b' "c\\"\nd"`, 'p:a|p:"b p:c\\"|p:d'],
    [
      'bash',
      'here-documents',
      "cat <<'eof' > a\nit's\neof\nb",
      "n:cat o:<< k:<<eof o:> n:a|p:it's|k:<<eof|n:b",
    ],
    ['bash', 'shifts are no here-documents', '$((1 << n))\nb', 'o:$ o:( o:( 0:1 o:<< n:n o:) o:)|n:b'],
    ['html', 'comments over lines', '<!-- a\n"b --><c d="e">', `c:<!-- a|c:"b --> o:< n:c n:d o:= s:e o:>`],
    [
      'css',
      'comments and names with hyphens',
      '/* a */ .b-c { d: "e" }',
      'c:/* a */ o:. n:b-c o:{ n:d o:: s:e o:}',
    ],
    [
      'json',
      'strings, numbers and words',
      '{"a": [1.5e-3, true]}',
      'o:{ s:a o:: o:[ 0:1.5e-3 o:, k:true o:] o:}',
    ],
    ['yaml', 'apostrophes inside words', "a: don't # b", "n:a o:: n:don o:' n:t c:# b"],
    ['sql', 'doubled quotes and keywords of any case', "Select 'a''b' -- c", "k:Select s:a''b c:-- c"],
    ['lua', 'long comments and strings', '--[[a\nb]] [[c]]', 'c:--[[a|c:b]] s:c'],
    ['unheardof', 'only what is common', `# a\nb "c" 'd' // e`, `c:# a|n:b s:c o:' n:d o:' c:// e`],
    ['markdown', 'lines of prose', "It's `a`\n\nB", "p:It's `a`||p:B"],
  ].map(([language, name, text, lines]) => [language!, name!, text!, lines!.split('|')]);

  it.each(cases)('in %s: %s', (language, _name, text, lines) => {
    expect(tokensByLine(text, language)).toEqual(lines);
  });
});

describe('lex', () => {
  it('joins operators, longest first', () => {
    expect(tokensByLine('a>>>=b?.c===d...e', 'javascript')).toEqual([
      'n:a o:>>>= n:b o:?. n:c o:=== n:d o:... n:e',
    ]);
  });

  it('keeps a range apart from the numbers around it', () => {
    expect(tokensByLine('0..10 1_000.5 0xFF', 'rust')).toEqual(['0:0 o:.. 0:10 0:1_000.5 0:0xFF']);
  });

  it('takes letters of any script as names and any white space as space', () => {
    expect(tokensByLine('größe\u00a0= 变量\u3000+ é', 'go')).toEqual(['n:größe o:= n:变量 o:+ n:é']);
  });

  it('ignores carriage returns', () => {
    const text = 'a = "b" // c\n`d\n\ne`\n"f\ng';
    expect(tokensByLine(text.replace(/\n/g, '\r\n'), 'javascript')).toEqual(tokensByLine(text, 'javascript'));
  });

  it('gives a blank line no token and every other line at least one', () => {
    const text = 'a\n\n \t\n`\n\n b\n`\n/*\n\n*/\n"\n}';
    const { firstToken } = lex(text, 'javascript');
    const withTokens = firstToken.slice(0, -1).map((first, line) => first < firstToken[line + 1]!);
    expect(withTokens).toEqual(text.split('\n').map((line) => line.trim() !== ''));
  });

  it('knows the ids that editors use', () => {
    expect(tokensByLine('enum', 'typescriptreact')).toEqual(['k:enum']);
    expect(tokensByLine('fi', 'ShellScript')).toEqual(['k:fi']);
    expect(tokensByLine('a', '__proto__')).toEqual(['n:a']);
  });

  it.each([
    ['an open string', `"${'a'.repeat(250_000)}`],
    ['open interpolations', '`${'.repeat(80_000)],
    ['slashes without a partner', '=\\/'.repeat(80_000)],
    ['open comments', '/*'.repeat(120_000)],
    ['here-documents', 'cat <<EOF '.repeat(25_000)],
    ['escapes', '"\\'.repeat(120_000)],
    ['quotes on many lines', `"""\n'''\n\`\n`.repeat(25_000)],
    ['tags', '<?php ?>'.repeat(25_000)],
    ['apostrophes', "'".repeat(250_000)],
  ])('ends on a quarter of a megabyte of %s in every kind of language', (_name, text) => {
    for (const language of ['typescript', 'rust', 'python', 'bash', 'ruby', 'php', 'text']) {
      expect(lex(text, language).firstToken).toHaveLength(text.split('\n').length + 1);
    }
  });
});
