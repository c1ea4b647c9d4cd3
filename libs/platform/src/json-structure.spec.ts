import { jsonStructure } from './json-structure';

const structure = (text: string) => jsonStructure(Buffer.from(text));

/** The same of a value, by walking it. */
function walked(value: unknown): { values: number; depth: number } {
  if (typeof value !== 'object' || value === null) return { values: 1, depth: 0 };
  const parts = Object.values(value).map(walked);
  return {
    values: parts.reduce((sum, part) => sum + part.values, 1),
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
  };
}

it.each([
  '{"a":[1,2,{"b":null}],"c":"x"}',
  '{"quoted \\" , [":["\\\\",",","[\\\\\\"]"],"b":["{"]}',
  '[[],[[]],{"a":{}}]',
  '"alone"',
])('the structure of %s is at least that of its value, and no deeper', (text) => {
  const { values, depth } = structure(text);
  const real = walked(JSON.parse(text));
  expect(depth).toBe(real.depth);
  expect(values).toBeGreaterThanOrEqual(real.values);
  // An empty list or object counts as if it had something in it.
  expect(values).toBeLessThanOrEqual(2 * real.values);
});

it('text in a string has no structure, however it is escaped', () => {
  expect(structure(JSON.stringify({ text: ',[{\\",\\\\"}'.repeat(1000) }))).toEqual({ values: 2, depth: 1 });
});

it('what is cut off or no JSON is counted as far as it goes', () => {
  expect(structure('[1,2,"and so on, and')).toEqual({ values: 4, depth: 1 });
  expect(structure(']]]][')).toEqual({ values: 2, depth: 0 });
  expect(structure('')).toEqual({ values: 1, depth: 0 });
});

it('megabytes of backslashes or quotes are read once', () => {
  expect(structure(`["${'\\'.repeat(4_000_000)}"]`)).toEqual({ values: 2, depth: 1 });
  expect(structure(`[${'"",'.repeat(1_000_000)}""]`)).toEqual({ values: 1_000_002, depth: 1 });
});
