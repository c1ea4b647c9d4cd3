/** A short program in each language that is parsed, to be spoilt by fuzz tests. */
export const sources: Readonly<Record<string, string>> = {
  javascript:
    'import { rate } from "./rate.js";\nexport const sum = (rows) => {\n  let total = 0;\n  for (const { size, tag } of rows) {\n    if (/^a[/]b$/.test(tag)) total += size * rate(`${tag}-${size}`);\n  }\n  return total; // done\n};\n',
  typescript:
    'enum Kind { a = 1, b }\nexport abstract class Sum<T extends { size: number }> {\n  constructor(private readonly rows: readonly T[]) {}\n  total(kind?: Kind): number {\n    return this.rows.reduce((sum, row) => sum + (kind === Kind.a ? row.size! : 0), 0);\n  }\n}\n',
  tsx: 'export function Row({ name, sizes }: Props): Element {\n  return (\n    <li className="row" title={name}>\n      {sizes.map((size) => <b key={size}>{`${size} of`} &amp; more</b>)}\n    </li>\n  );\n}\n',
  go: 'package sums\n\nimport "fmt"\n\nfunc Sum(rows []Row) (total int, err error) {\n\tfor i, row := range rows {\n\t\tif row.Size > 3 {\n\t\t\ttotal += row.Size * i\n\t\t\tfmt.Printf(`raw %d`, total)\n\t\t}\n\t}\n\treturn\n}\n',
  python:
    'from rates import rate\n\n@cached\ndef total(rows, *, limit: int = 3) -> int:\n    """Adds up\n    what is large."""\n    found = [row for row in rows if row.size > limit]\n    return sum(f"{row!r:>{limit}}" and rate(row) for row in found)\n',
  java: 'package sums;\n\npublic final class Sum<T extends Row> {\n  /** Adds up. */\n  int total(List<T> rows) throws IOException {\n    int total = 0;\n    for (T row : rows) total += row.size() > 3 ? row.size() : 0;\n    return rows.stream().map(r -> """\n        text""").count() + total;\n  }\n}\n',
  rust: 'use std::fmt;\n\nimpl<\'a, T: Row> Sum<\'a, T> {\n    pub fn total(&self, limit: usize) -> Result<usize, Error> {\n        let mut total = 0;\n        for row in self.rows.iter().filter(|row| row.size() > limit) {\n            total += row.size()?;\n        }\n        println!(r#"{} of "x""#, total);\n        Ok(total)\n    }\n}\n',
  c: '#include <stdio.h>\n#define LIMIT(x) \\\n  ((x) > 3)\n\nstatic int total(const struct row *rows, int count) {\n  int total = 0;\n  for (int i = 0; i < count; i++)\n    if (LIMIT(rows[i].size)) total += rows[i].size * 2;\n  printf("%d\\n", total);\n  return total;\n}\n',
  cpp: '#include <vector>\n\ntemplate <typename T>\nauto total(const std::vector<T>& rows) -> int {\n  int total = 0;\n  for (const auto& row : rows) {\n    total += [&]() -> int { return row.size() > 3 ? row.size() : 0; }();\n  }\n  return total + sizeof(R"x(raw)x");\n}\n',
  csharp:
    'namespace Sums;\n\npublic sealed record Sum<T>(IReadOnlyList<T> Rows) where T : Row {\n  public async Task<int> Total(int limit = 3) {\n    var total = 0;\n    foreach (var row in Rows) if (row is { Size: > 3 } large) total += large.Size;\n    return await Task.FromResult(total + $"{limit:x}".Length + @"c:\\".Length);\n  }\n}\n',
  ruby: 'module Sums\n  def total(rows, limit: 3)\n    text = <<~EOF\n      #{limit} of\n    EOF\n    rows.select { |row| row.size > limit && row.tag =~ /a#{text}/ }.sum do |row|\n      row.size * %w[a b].length\n    end\n  end\nend\n',
  php: '<html><?php\nnamespace Sums;\n\nfunction total(array $rows, int $limit = 3): int {\n  $total = 0;\n  foreach ($rows as $key => ["size" => $size]) {\n    if ($size > $limit) $total += $size * strlen("{$key} of {$rows[0]}");\n  }\n  return $total;\n}\n?><b><?= total([]) ?></b>\n',
  kotlin:
    'package sums\n\nclass Sum<T : Row>(private val rows: List<T>) {\n  fun total(limit: Int = 3): Int {\n    var total = 0\n    for (row in rows) if (row.size > limit) total += row.size\n    return rows.sumOf { it.size ?: 0 } + "$limit of ${total}".length\n  }\n}\n',
  scala:
    'package sums\n\ncase class Sum[T <: Row](rows: List[T]) {\n  def total(limit: Int = 3): Int = {\n    val large = rows.filter(row => row.size > limit)\n    large.map { case Row(size, _) => size * 2 }.sum + s"$limit of ${large}".length\n  }\n}\n',
  swift:
    'import Foundation\n\nstruct Sum<T: Row> {\n  let rows: [T]\n  func total(limit: Int = 3) throws -> Int {\n    guard let first = rows.first else { return 0 }\n    return rows.filter { $0.size > limit }.reduce(first.size) { $0 + $1.size * 2 } + "\\(limit) of".count\n  }\n}\n',
  bash: '#!/bin/bash\nset -e\ntotal() {\n  local total=0\n  for row in "${@:2}"; do\n    if [[ $row =~ ^a.*b$ ]]; then total=$((total + ${#row} * 2)); fi\n  done\n  cat <<EOF | sed \'s/a/b/\'\n$total of $(date)\nEOF\n}\n',
  html: '<!doctype html>\n<html>\n  <head><style>b > i { color: #fff }</style></head>\n  <body class="a b" data-x=y>\n    <!-- rows -->\n    <script>if (a < b) c("</b>");</script>\n    <p>one &amp; <b>two</b><br/>\n  </body>\n</html>\n',
  css: '@import url("a.css");\n:root { --size: calc(1px + 2em) }\n@media (min-width: 10em) {\n  .row > a:not(.b)::before, [title~="x"] { content: "\\201C"; margin: 0 auto !important }\n}\n/* end */\n',
  json: '{\n  "rows": [{ "size": 1.5e3, "tag": "a\\u0041\\n" }, null, true],\n  "limit": -3,\n  "nested": { "deep": [[[]]] }\n}\n',
};

/** Texts that make programs slow, or fill their stack: none is as long as a limit allows, so that many can be tried. */
export const hostileTexts: readonly string[] = [
  ...[
    '(',
    '[',
    '{',
    '<',
    '"',
    "'",
    '`',
    '${',
    '#{',
    '/*',
    '<!--',
    '<<EOF\n',
    'if (a) ',
    'a(',
    'x ? ',
    '-',
    '!',
    '\\',
  ].map((text) => text.repeat(4_000)),
  '('.repeat(6_000) + ')'.repeat(6_000),
  '{\n'.repeat(3_000) + '}\n'.repeat(3_000),
  `/${'(a+)+'.repeat(1_000)}$/.test("${'a'.repeat(5_000)}!")`,
  `${'a'.repeat(12_000)}!`,
  'a.b'.repeat(4_000),
  'a, '.repeat(4_000),
  ' '.repeat(15_000) + 'x',
  '\\\n'.repeat(5_000),
  '\r'.repeat(5_000),
  '\u2028\u0301\ud800'.repeat(3_000),
];
