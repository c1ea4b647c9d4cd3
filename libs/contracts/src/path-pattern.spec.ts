import { pathMatcher } from './path-pattern';

describe('a path pattern', () => {
  it.each([
    ['*.ts', 'a.ts'],
    ['*.ts', 'src/deep/a.ts'],
    ['/*.ts', 'a.ts'],
    ['src/*.ts', 'src/a.ts'],
    ['src/**', 'src/deep/a.ts'],
    ['src/**/a.ts', 'src/a.ts'],
    ['src/**/a.ts', 'src/one/two/a.ts'],
    ['**/gen/*.go', 'gen/a.go'],
    ['**/gen/*.go', 'x/y/gen/a.go'],
    ['gen/', 'gen/deep/a.go'],
    ['a?c', 'abc'],
    ['[a-c]x', 'bx'],
    ['[!a-c]x', 'dx'],
    ['[]]x', ']x'],
    [String.raw`\*.ts`, '*.ts'],
    ['a+(b).{js}', 'a+(b).{js}'],
    ['*', 'any/where'],
    ['**', 'any/where'],
    ['a*b*c', 'aXXbYbZc'],
    ['*ä*', 'räder'],
  ])('%s fits %s', (pattern, path) => {
    expect(pathMatcher(pattern)(path)).toBe(true);
  });

  it.each([
    ['/*.ts', 'src/a.ts'],
    ['src/*.ts', 'src/deep/a.ts'],
    ['src/*.ts', 'lib/src/a.ts'],
    ['src/**', 'src'],
    ['gen/', 'gen'],
    ['a?c', 'a/c'],
    ['[!a-c]x', 'bx'],
    ['*.ts', 'a.tsx'],
    [String.raw`\*.ts`, 'a.ts'],
    ['', 'a'],
    ['a*b*c', 'aXXbYb'],
  ])('%s does not fit %s', (pattern, path) => {
    expect(pathMatcher(pattern)(path)).toBe(false);
  });

  it('ends soon on patterns that make other matchers try everything', () => {
    const part = 'a'.repeat(4000);
    expect(pathMatcher(`${'*a'.repeat(2000)}b`)(part)).toBe(false);
    expect(pathMatcher(`${'**/a/'.repeat(300)}b`)(`${'a/'.repeat(600)}c`)).toBe(false);
    expect(() => pathMatcher('[')('x')).not.toThrow();
  });
});
