import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GoldenInputs } from './golden-vectors';
import { lexingIds } from './language-lexing';
import { lex, TokenType } from './lexer';

const letters: Record<TokenType, string> = {
  [TokenType.name]: 'n',
  [TokenType.keyword]: 'k',
  [TokenType.number]: '0',
  [TokenType.string]: 's',
  [TokenType.stringPart]: 'p',
  [TokenType.comment]: 'c',
  [TokenType.operator]: 'o',
  [TokenType.access]: 'o',
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
    ['cpp', 'raw strings', 'R"(a"\nb)" c', 'k:R" p:a"|p:b n:c'],
    ['cpp', 'prefixes', 'u8"a"', 'k:u8" s:a'],
    ['csharp', 'verbatim strings', '@"a""b\nc" d', 'p:a""b|p:c n:d'],
    ['csharp', 'interpolated strings', '$"a {b}" c', 's:a  o:{ n:b o:} s: n:c'],
    ['ruby', 'comments', 'a # b\n=begin\nc\n=end\nd', 'n:a c:# b|c:=begin|c:c|c:=end|n:d'],
    ['ruby', 'here-documents', 'a(<<~SQL)\n b "c\nSQL\nd', 'n:a o:( o:<<~ k:<<SQL o:)|p:b "c|k:<<SQL|n:d'],
    ['ruby', 'variables', '@a = :b', 'n:@a o:= o:: n:b'],
    [
      'php',
      'markup around code',
      "<p>it's\n<?php $a; # b\n?>\n<b>",
      "o:< n:p o:> n:it o:' n:s|o:<?php n:$a o:; c:# b|o:?>|o:< n:b o:>",
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

const traps: [language: string, name: string, text: string, lines: string][] = [
  [
    'javascript',
    'apostrophes in text between tags',
    "<p>Don't 'x</p>",
    "o:< n:p o:> n:Don o:' n:t o:' n:x o:< o:/ n:p o:>",
  ],
  [
    'javascript',
    'an apostrophe behind a name where the tag is out of sight',
    "users' data\na = 'b'",
    "n:users o:' n:data|n:a o:= s:b",
  ],
  [
    'javascript',
    'backticks and slashes in text between tags',
    '<p>`a // /* b</p> + `c`',
    'o:< n:p o:> o:` n:a o:/ o:/ o:/ o:* n:b o:< o:/ n:p o:> o:+ s:c',
  ],
  [
    'javascript',
    'code between tags',
    "<p>{a('b') /* c */}it's</p>;'d'",
    "o:< n:p o:> o:{ n:a o:( s:b o:) c:/* c */ o:} n:it o:' n:s o:< o:/ n:p o:> o:; s:d",
  ],
  [
    'javascript',
    'elements without content',
    "f(<a b='c\nd' />, 'e')",
    'n:f o:( o:< n:a n:b o:= p:c|p:d o:/ o:> o:, s:e o:)',
  ],
  ['javascript', 'a comparison is no element', "a <b && 'c' </d/", 'n:a o:< n:b o:&& s:c o:< o:/ n:d o:/'],
  [
    'javascript',
    'nested templates with quotes',
    '`${a[`${"`"}`]}`',
    'o:${ n:a o:[ o:${ s:` o:} s: o:] o:} s:',
  ],
  [
    'javascript',
    'a slash in a class of a regular expression',
    'return /[/"]/.test(a)',
    'k:return s:[/"] o:. n:test o:( n:a o:)',
  ],
  ['javascript', 'the line that names its interpreter', "#!/bin/env 'node\n'a'", "c:#!/bin/env 'node|s:a"],
  [
    'tsx',
    'type parameters of an arrow function',
    "<T,>(a: T) => 'b'",
    'o:< n:T o:, o:> o:( n:a o:: n:T o:) o:=> s:b',
  ],
  ['tsx', 'fragments', "<>it's<b/></>;'a'", "o:< o:> n:it o:' n:s o:< n:b o:/ o:> o:< o:/ o:> o:; s:a"],
  ['typescript', 'type assertions are no elements', "<a>b + 'c'", 'o:< n:a o:> n:b o:+ s:c'],
  [
    'python',
    'code in f-strings, with their own quotes inside',
    `f'{a["b"]}' f"{c["d"]}"`,
    'k:f" o:{ n:a o:[ s:b o:] o:} s: k:f" o:{ n:c o:[ s:d o:] o:} s:',
  ],
  [
    'python',
    'doubled braces and formats in f-strings',
    "f'{{a}} {b:>{c}}' d",
    'k:f" s:{{a}}  o:{ n:b o:: o:> o:{ n:c o:} o:} s: n:d',
  ],
  ['python', 'an open f-string ends with its line', "f'{a\n'b'", 'k:f" o:{ n:a|s:b'],
  ['python', 'raw strings', String.raw`r'\' + 'a`, String.raw`k:r" s:\' +  n:a`],
  ['python', 'names that look like prefixes', "self.f 'a' buf'b'", 'k:self o:. n:f s:a n:buf s:b'],
  ['python', 'SQL in long strings', '"""\nselect \'a" -- b\n"""', 'p:|p:select \'a" -- b|p:'],
  ['java', 'escaped quotes in text blocks', '"""\na \\""" b\n""" c', 'p:|p:a \\""" b|p: n:c'],
  ['rust', 'fenced raw strings', 'r##"a"# b"## br"c" \'d', 'k:r" s:a"# b k:br" s:c o:\' n:d'],
  ['rust', 'raw names', "r#type = b'\"'", 'n:r o:# k:type o:= n:b s:"'],
  ['cpp', 'raw strings with a delimiter', 'u8R"x(a)" b\n)x" c', 'k:u8R" p:a)" b|p: n:c'],
  ['cpp', 'separators in numbers', "1'000'000 0xFF'FFu 'a'", "0:1'000'000 0:0xFF'FFu s:a"],
  ['csharp', 'raw strings of more quotes', '""""a"""b"""" $$"""{{c}}""" d', 's:a"""b s:{{c}} n:d'],
  [
    'csharp',
    'interpolated strings with quotes inside',
    '$"{a["b"]} {{c}}" $@"\\{d}""e" f',
    'o:{ n:a o:[ s:b o:] o:} s: {{c}} s:\\ o:{ n:d o:} s:""e n:f',
  ],
  ['csharp', 'prose behind a region', "#region Don't\n'a'", "c:#region Don't|s:a"],
  [
    'ruby',
    'lists and quotes with a percent sign',
    "%w[a' b\nc] %q(d (e)') % f %i(g)",
    "p:a' b|p:c s:d (e)' o:% n:f s:g",
  ],
  [
    'ruby',
    'code in strings, with their own quotes inside',
    '"a#{b["c"]}d" #e',
    's:a o:#{ n:b o:[ s:c o:] o:} s:d c:#e',
  ],
  [
    'ruby',
    'two here-documents of one line',
    "a(<<~A, <<-'b')\n it's\nA\n\"c\nb\nd",
    'n:a o:( o:<<~ k:<<A o:, o:<<- k:<<b o:)|p:it\'s|k:<<A|p:"c|k:<<b|n:d',
  ],
  [
    'ruby',
    'a here-document without a mark',
    "a = <<X\nit's\nX\nb << c",
    "n:a o:= o:<< k:<<X|p:it's|k:<<X|n:b o:<< n:c",
  ],
  [
    'ruby',
    'regular expressions behind a name, and division',
    "split /,'/; a / b; c %r{d'}x",
    "n:split s:,' o:; n:a o:/ n:b o:; n:c s:d' n:x",
  ],
  [
    'php',
    'here-documents with quotes and code behind them',
    "f(<<<'A'\nit's\n  A, 'b')",
    "n:f o:( o:<<< k:<<A|p:it's|k:<<A o:, s:b o:)",
  ],
  ['php', 'code in strings', '"a {$b["c"]}" . $d', 's:a  o:{ n:$b o:[ s:c o:] o:} s: o:. n:$d'],
  [
    'php',
    'a comment that ends with the code',
    "<?php // it's ?> it's <?= 'a' ?>",
    "o:<?php c:// it's o:?> n:it o:' n:s o:<?= s:a o:?>",
  ],
  [
    'php',
    'scripts in the markup',
    "<script>// it's\n'a'</script>it's<?php 'b';",
    "o:< n:script o:> c:// it's|s:a o:< o:/ n:script o:> n:it o:' n:s o:<?php s:b o:;",
  ],
  [
    'kotlin',
    'code in strings, with their own quotes inside',
    '"${a["b"]}" "$c"',
    'o:${ n:a o:[ s:b o:] o:} s: s:$c',
  ],
  ['kotlin', 'a raw string that ends in a quote', '"""a"""" + \'"\'', 's:a" o:+ s:"'],
  [
    'scala',
    'any name before a string',
    'sql"${a("b")}" c"""d"e"""',
    'k:sql" o:${ n:a o:( s:b o:) o:} s: k:c" s:d"e',
  ],
  [
    'swift',
    'code in strings, with their own quotes inside',
    String.raw`"\(a("b")) \\(c)"`,
    String.raw`o:\( n:a o:( s:b o:) o:) s: \\(c)`,
  ],
  ['swift', 'raw strings of more signs', '##"a"# b"## #if c', 's:a"# b o:# k:if n:c'],
  [
    'bash',
    'quotes in substitutions in quotes',
    '"a $(b "c") ${d:-"e"}" #f',
    's:a  o:$( n:b s:c o:) s:  o:${ n:d o:: o:- s:e o:} s: c:#f',
  ],
  [
    'bash',
    'here-documents of any word',
    "cat <<-eof <<\\end\nit's\n\teof\n\"\nend\n<<<'a'",
    'n:cat o:<<- k:<<eof o:<< k:<<end|p:it\'s|k:<<eof|p:"|k:<<end|o:<< o:< s:a',
  ],
  [
    'bash',
    'shifts of names',
    '$((a << b))\n$((a<<B))',
    'o:$ o:( o:( n:a o:<< n:b o:) o:)|o:$ o:( o:( n:a o:<< n:B o:) o:)',
  ],
  ['go', 'runes', "'\"' '\\''", 's:" s:\\\''],
  [
    'html',
    'apostrophes in text',
    '<p a=\'b"\' c="d\ne">it\'s</p>',
    'o:< n:p n:a o:= s:b" n:c o:= p:d|p:e o:> n:it o:\' n:s o:< o:/ n:p o:>',
  ],
  [
    'html',
    'scripts and styles',
    "<script>`a\nb // </script><style>/* it's */</style>it's",
    "o:< n:script o:> p:a|p:b // o:< o:/ n:script o:> o:< n:style o:> c:/* it's */ o:< o:/ n:style o:> n:it o:' n:s",
  ],
  [
    'vue',
    'types in scripts',
    '<script lang="ts">enum A {} // it\'s\n</script>\n<p>it\'s',
    "o:< n:script n:lang o:= s:ts o:> k:enum n:A o:{ o:} c:// it's|o:< o:/ n:script o:>|o:< n:p o:> n:it o:' n:s",
  ],
  ['css', 'addresses', 'a: url(//b) "c\\""', 'n:a o:: n:url o:( o:/ o:/ n:b o:) s:c\\"'],
  ['json', 'slashes in strings', '{"a": "//b"} // c', 'o:{ s:a o:: s://b o:} c:// c'],
  [
    'sql',
    'nested comments, strings over lines and escapes',
    "/* a /* b */ ' */ 'c\nd' E'e\\'f'",
    "c:/* a /* b */ ' */ p:c|p:d k:E\" s:e\\'f",
  ],
  ['sql', 'the code between dollar signs', "$$ select 'a' $$", 'o:$ o:$ k:select s:a o:$ o:$'],
  ['yaml', 'doubled apostrophes', "a: 'it''s' #b", "n:a o:: s:it''s c:#b"],
  ['toml', 'literal strings', "a = 'C:\\' # b\nc = '''\nit's'''", "n:a o:= s:C:\\ c:# b|n:c o:= p:|p:it's"],
  [
    'dockerfile',
    'here-documents and keywords of any case',
    "run <<EOF\nit's\nEOF\nCopy a",
    "k:run o:<< k:<<EOF|p:it's|k:<<EOF|k:Copy n:a",
  ],
  [
    'makefile',
    'apostrophes in words',
    "a := don't # b\nc:\n\t@echo 'd'",
    "n:a o::= n:don o:' n:t c:# b|n:c o::|o:@ n:echo s:d",
  ],
  [
    'lua',
    'fenced long strings and comments',
    '[==[a]]\nb]==] --[=[c]]\n]=] d',
    'p:a]]|p:b c:--[=[c]]|c:]=] n:d',
  ],
];

describe('what misleads a lexer', () => {
  it.each(traps)('in %s: %s', (language, _name, text, lines) => {
    expect(tokensByLine(text, language)).toEqual(lines.split('|'));
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

  it('leaves nothing open at the end of a realistic text in any language', () => {
    const inputs = JSON.parse(readFileSync(join(__dirname, 'golden', 'inputs.json'), 'utf8')) as GoldenInputs;
    for (const { language, text } of inputs.prints) {
      const last = language === 'html' || language === 'php' ? '<a b="c">d' : 'a "b" 1';
      const lines = tokensByLine(`${text}${language === 'php' ? '?>' : ''}\n${last}`, language);
      const alone = tokensByLine(language === 'php' ? `<?php ?>\n${last}` : last, language);
      expect([language, lines[lines.length - 1]]).toEqual([language, alone[alone.length - 1]]);
    }
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
    ['open code in strings', '"${"$("#{"\\("{$'.repeat(20_000)],
    ['open f-strings', `f"{`.repeat(80_000)],
    ['open tags', '<a '.repeat(80_000)],
    ['elements in elements', `${'<a>'.repeat(40_000)}${'</a>'.repeat(30_000)}`],
    ['elements of many names', Array.from({ length: 25_000 }, (_, i) => `=<a${i}>`).join('')],
    ['scripts', '<script>'.repeat(30_000)],
    ['shifts of many names', Array.from({ length: 25_000 }, (_, i) => `a<<b${i}\n`).join('')],
    ['literals with a percent sign', '=%w[ '.repeat(50_000)],
    ['fences', `${'r#'.repeat(40_000)} ${'#'.repeat(80_000)} ${'$'.repeat(80_000)}`],
    ['comments in comments', '/*#=(*{-'.repeat(30_000)],
    ['NUL, lone surrogates and what replaces invalid UTF-8', '\0\ud800 \udc00"\ufffd'.repeat(40_000)],
  ])('ends on much of %s in every language', (_name, whole) => {
    const text = whole.slice(0, 60_000);
    for (const language of lexingIds) {
      expect(lex(text, language).firstToken).toHaveLength(text.split('\n').length + 1);
    }
  });
});
