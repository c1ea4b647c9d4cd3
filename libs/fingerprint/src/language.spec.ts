import { extensionOf, languageOf } from './language';

describe('languageOf', () => {
  it.each([
    ['src/app.tsx', 'tsx'],
    ['src/app.ts', 'typescript'],
    ['types/index.d.ts', 'typescript'],
    ['lib/a.JS', 'javascript'],
    ['cmd/main.go', 'go'],
    ['a/b/c.py', 'python'],
    ['A.java', 'java'],
    ['lib.rs', 'rust'],
    ['a.h', 'c'],
    ['a.hpp', 'cpp'],
    ['A.cs', 'csharp'],
    ['Rakefile', 'ruby'],
    ['index.php', 'php'],
    ['build.gradle.kts', 'kotlin'],
    ['A.scala', 'scala'],
    ['A.swift', 'swift'],
    ['run.sh', 'bash'],
    ['index.html', 'html'],
    ['site.css', 'css'],
    ['package.json', 'json'],
    ['README.md', 'markdown'],
    ['.github/workflows/ci.yml', 'yaml'],
    ['Cargo.toml', 'toml'],
    ['schema.sql', 'sql'],
    ['docker/Dockerfile', 'dockerfile'],
    ['Dockerfile.dev', 'dockerfile'],
    ['.bashrc', 'bash'],
    ['LICENSE', 'text'],
    ['a.b/noextension', 'text'],
    ['constructor', 'text'],
    ['a.unheardof', 'text'],
    ['', 'text'],
  ])('knows %s as %s', (path, language) => {
    expect(languageOf(path)).toBe(language);
  });
});

describe('extensionOf', () => {
  it.each([
    ['src/a.b.TS', 'ts'],
    ['.gitignore', ''],
    ['a.dir/file', ''],
    ['file.', ''],
    ['x.averyverylongextension', ''],
  ])('of %s is "%s"', (path, extension) => {
    expect(extensionOf(path)).toBe(extension);
  });
});
