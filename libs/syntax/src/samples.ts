/** A short program for the specs of each language: `@` marks where a comment may go, `total` is a name to change. */
export interface Sample {
  readonly code: string;
  readonly comment: string;
  /** First and last line of the functions around the first line with `total`, without the `@` line. */
  readonly functions: readonly (readonly [number, number])[];
}

const SLASHES = '// Adds up what is large enough.';
const HASH = '# Adds up what is large enough.';

const ecmascript = `const limit = 3;
function sum(rows) {
  let total = 0;
@
  for (const row of rows) {
    if (row.size > limit) total += row.size * 2;
  }
  return total;
}
`;

const typescript = `const limit: number = 3;
function sum(rows: readonly Row[]): number {
  let total = 0;
@
  for (const row of rows) {
    if (row.size > limit) total += row.size * 2;
  }
  return total;
}
`;

const c = `static int limit = 3;
int sum(const int *rows, int count) {
  int total = 0;
@
  for (int i = 0; i < count; i++) {
    if (rows[i] > limit) total += rows[i] * 2;
  }
  return total;
}
`;

export const samples: Readonly<Record<string, Sample>> = {
  javascript: { code: ecmascript, comment: SLASHES, functions: [[1, 7]] },
  typescript: { code: typescript, comment: SLASHES, functions: [[1, 7]] },
  tsx: {
    code: `export function Sum({ rows }: Props): Element {
  const total = rows.filter((row) => row.size > 3).length;
@
  if (total === 0) return <p className="none">nothing</p>;
  return <b title={label}>{total}</b>;
}
`,
    comment: SLASHES,
    functions: [[0, 4]],
  },
  go: {
    code: `package sums

func Sum(rows []int) int {
	total := 0
@
	for _, row := range rows {
		if row > 3 {
			total += row * 2
		}
	}
	return total
}
`,
    comment: SLASHES,
    functions: [[2, 10]],
  },
  python: {
    code: `LIMIT = 3

def sum_rows(rows):
    total = 0
@
    for row in rows:
        if row > LIMIT:
            total += row * 2
    return total
`,
    comment: HASH,
    functions: [[2, 7]],
  },
  java: {
    code: `class Sums {
  int sum(int[] rows) {
    int total = 0;
@
    for (int row : rows) {
      if (row > 3) total += row * 2;
    }
    return total;
  }
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  rust: {
    code: `const LIMIT: u32 = 3;
fn sum(rows: &[u32]) -> u32 {
    let mut total = 0;
@
    for row in rows {
        if *row > LIMIT { total += row * 2; }
    }
    total
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  c: { code: c, comment: '/* Adds up\n what is large enough. */', functions: [[1, 7]] },
  cpp: { code: c, comment: SLASHES, functions: [[1, 7]] },
  csharp: {
    code: `class Sums {
  int Sum(int[] rows) {
    var total = 0;
@
    foreach (var row in rows) {
      if (row > 3) total += row * 2;
    }
    return total;
  }
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  ruby: {
    code: `LIMIT = 3
def sum(rows)
  total = 0
@
  rows.each do |row|
    total += row * 2 if row > LIMIT
  end
  total
end
`,
    comment: HASH,
    functions: [[1, 7]],
  },
  php: {
    code: `<?php
function sum($rows) {
  $total = 0;
@
  foreach ($rows as $row) {
    if ($row > 3) { $total += $row * 2; }
  }
  return $total;
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  kotlin: {
    code: `const val LIMIT = 3
fun sum(rows: List<Int>): Int {
  var total = 0
@
  for (row in rows) {
    if (row > LIMIT) total += row * 2
  }
  return total
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  scala: {
    code: `object Sums {
  def sum(rows: Seq[Int]): Int = {
    var total = 0
@
    for (row <- rows) {
      if (row > 3) total += row * 2
    }
    total
  }
}
`,
    comment: SLASHES,
    functions: [[1, 7]],
  },
  swift: {
    code: `let limit = 3
func sum(rows: [Int]) -> Int {
  var total = 0
@
  for row in rows {
    if row > limit { total += row * 2 }
  }
  return total
}
`,
    comment: '/* Adds up what is large enough. */',
    functions: [[1, 7]],
  },
  bash: {
    code: `limit=3
sum() {
  local total=0
@
  for row in "$@"; do
    if [ "$row" -gt "$limit" ]; then total=$((total + row * 2)); fi
  done
  echo "$total"
}
`,
    comment: HASH,
    functions: [[1, 7]],
  },
  html: {
    code: `<main>
  <h1>Sums</h1>
@
  <p class="total">All <b>rows</b> of <i>today</i></p>
</main>
`,
    comment: '<!-- What is large enough. -->',
    functions: [],
  },
  css: {
    code: `.total > a:hover {
  color: red;
@
  margin: 0 auto 2px;
}
@media print { .total { display: none; } }
`,
    comment: '/* What is large enough. */',
    functions: [],
  },
  json: {
    code: `{
@
  "rows": [1, true, null, "total"],
  "limit": { "size": 3, "name": "x", "of": [{ "a": [] }, false] }
}
`,
    comment: SLASHES,
    functions: [],
  },
};
