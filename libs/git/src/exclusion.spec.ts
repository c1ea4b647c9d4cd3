import { attributesOf, parseAttributes } from './attributes';
import { exclusion, type FileAttributes } from './exclusion';
import { contentExclusion } from './machine-content';

describe('exclusion', () => {
  it.each([
    ['package-lock.json', 'lock'],
    ['web/yarn.lock', 'lock'],
    ['Cargo.lock', 'lock'],
    ['go.sum', 'lock'],
    ['static/app.min.js', 'minified'],
    ['node_modules/left/index.js', 'vendored'],
    ['src/vendor/lib.c', 'vendored'],
    ['dist/main.js', 'vendored'],
    ['gradlew', 'vendored'],
    ['api/service.pb.go', 'generated'],
    ['api/service_pb2.py', 'generated'],
    ['lib/model.g.dart', 'generated'],
    ['Forms/Main.Designer.cs', 'generated'],
    ['src/__snapshots__/a.spec.ts.snap', 'generated'],
    ['app.js.map', 'generated'],
    ['data/people.csv', 'data'],
    ['logo.svg', 'data'],
    ['study.ipynb', 'data'],
    ['README', 'documentation'],
    ['README.md', 'documentation'],
    ['docs/notes.txt', 'documentation'],
    ['LICENSE', 'documentation'],
    ['docs/conf.py', 'documentation'],
    ['INSTALL', 'documentation'],
    ['CHANGES.txt', 'documentation'],
    ['target/site/Javadoc/a.html', 'documentation'],
    ['glide.lock', 'lock'],
    ['Manifest.toml', 'lock'],
    ['mise.ci.lock', 'lock'],
    ['web/jquery-3.7.1.js', 'vendored'],
    ['web/jquery.validate.js', 'vendored'],
    ['css/bootstrap.css', 'vendored'],
    ['js/d3.v7.js', 'vendored'],
    ['third_party/zlib/a.c', 'vendored'],
    ['External/a.c', 'vendored'],
    ['pkg/testdata/a.go', 'vendored'],
    ['test/fixtures/a.rb', 'vendored'],
    ['deps/lua/lua.c', 'vendored'],
    ['configure', 'vendored'],
    ['gradle/wrapper/gradle-wrapper.properties', 'vendored'],
    ['.vscode/settings.json', 'vendored'],
    ['ios/Pods/A/a.m', 'vendored'],
    ['.idea/workspace.xml', 'generated'],
    ['htmlcov/index.html', 'generated'],
    ['Steps.feature.cs', 'generated'],
    ['.pnp.cjs', 'generated'],
    [`.sqlx/query-${'a1'.repeat(32)}.json`, 'generated'],
  ])('takes out %s as %s', (path, reason) => {
    expect(exclusion(path)).toBe(reason);
  });

  it.each([
    'src/main.ts',
    // Linguist leaves these out because they say little of a repository's language. People write them.
    'examples/hello.py',
    'samples/app.ts',
    'demo/main.go',
    '.github/workflows/ci.yml',
    'Jenkinsfile',
    'src/cache/lru.ts',
    'types/index.d.ts',
    'src/react-hooks.js',
    'src/chart.js',
    'src/effects.js',
    'src/docs/render.ts',
    'src/install.sh',
    'src/license.ts',
    'src/changes.py',
    'requirements.txt',
    'src/distance.go',
    'vendoring.rs',
    'src/history.ts',
    'package.json',
    '.gitignore',
    'Dockerfile',
    'src/admin.js',
  ])('counts %s', (path) => {
    expect(exclusion(path)).toBeUndefined();
  });

  it('obeys what .gitattributes say, but for lock files', () => {
    const files = [
      parseAttributes(
        '*.ts linguist-generated\n/dist/** -linguist-vendored\n*.md linguist-documentation=false\n' +
          '*.csv linguist-detectable\n*.sql linguist-detectable=false\n*.dat -diff\n*.raw binary\n',
      ),
      parseAttributes('*.ts linguist-generated=false\n# comment\nold/*.c linguist-vendored=true\n', 'src/'),
      parseAttributes('*.ts !linguist-generated\n', 'src/unset/'),
    ];
    const excluded = (path: string) => exclusion(path, attributesOf(files, path));
    expect(excluded('lib/a.ts')).toBe('generated');
    expect(excluded('src/deep/a.ts')).toBeUndefined();
    expect(excluded('dist/a/b.js')).toBeUndefined();
    expect(excluded('README.md')).toBeUndefined();
    expect(excluded('people.csv')).toBeUndefined();
    expect(excluded('schema.sql')).toBe('undetectable');
    expect(excluded('a.dat')).toBe('binary');
    expect(excluded('a.raw')).toBe('binary');
    expect(excluded('src/old/a.c')).toBe('vendored');
    expect(excluded('src/old/deep/a.c')).toBeUndefined();
    expect(excluded('yarn.lock')).toBe('lock');
    expect(attributesOf(files, 'src/unset/a.ts')).toEqual({});
  });

  it('reads macros, which only the file at the top defines', () => {
    const top = '[attr]ours linguist-vendored -diff\n[attr]loop loop\na.ts ours\nb.ts -ours\nc.ts loop\n';
    const files = [
      parseAttributes(top),
      parseAttributes('[attr]mine linguist-vendored\n"a b.ts" ours\nd.ts mine\n', 'x/', top),
    ];
    const set: FileAttributes = { vendored: true, diff: false };
    expect(['a.ts', 'b.ts', 'c.ts', 'x/a b.ts', 'x/d.ts'].map((path) => attributesOf(files, path))).toEqual([
      set,
      {},
      {},
      set,
      {},
    ]);
  });

  it('survives patterns that are no patterns', () => {
    const file = parseAttributes(
      'a+(b)[!c].{js} linguist-generated\n[ linguist-vendored\n*** linguist-generated\n! x\n"open linguist-vendored\n',
    );
    expect(attributesOf([file], 'x/a+(b)d.{js}')).toEqual({ generated: true });
  });
});

describe('content rules', () => {
  const generated = (path: string, ...lines: string[]) => contentExclusion(path, lines, lines.join('\n'));

  it.each([
    ['a.go', ['// Code generated by protoc-gen-go. DO NOT EDIT.']],
    ['a.go', [...Array<string>(30).fill('// a licence'), '// Code generated by mockgen. DO NOT EDIT.']],
    ['a.ts', ['/**', ' * @generated', ' */']],
    ['a.cs', ['// <auto-generated>']],
    ['a.py', ['# Generated by the protocol buffer compiler.  DO NOT EDIT!']],
    ['a.rb', ['#', '# Autogenerated by Thrift Compiler (0.9.3)']],
    ['a.dart', ['// GENERATED CODE - DO NOT MODIFY BY HAND']],
    ['a.h', ['/* DO NOT EDIT THIS FILE - it is machine generated */', '#include <jni.h>']],
    ['a.cc', ['// Generated by the gRPC C++ plugin.']],
    ['a.c', ['/* Generated by Cython 0.29 */']],
    ['a.java', ['/* The following code was generated by JFlex 1.4 */']],
    ['a.rb', ['#', '# DO NOT MODIFY!!!!', '# This file is automatically generated by Racc 1.4.7']],
    ['a.meta', ['fileFormatVersion: 2', 'guid: 0']],
    ['a.map', ['{"version":3,"mappings":""}']],
    ['a.html', ['<head>', '<meta', 'content = "Org Mode 9"', "name= 'generator'>"]],
    ['a.yyp', ['{', '  "resources": []']],
    ['a.pfa', ['%!PS-AdobeFont', 'currentfile eexec']],
    ['a.js', ['var a = 1;', '//# sourceMappingURL=a.js.map', '']],
    ['a.yml', ['- request:', 'recorded_with: VCR 2.0.0', '']],
    ['a.xml', ['<?xml version="1.0"?>', '<doc>', '  <assembly>', '</doc>']],
  ])('take out %s that says %j', (path, lines) => {
    expect(generated(path, ...lines)).toBe('generated');
  });

  it.each([
    ['a.ts', ['const generated = true;']],
    ['a.ts', [...Array<string>(10).fill(''), '// @generated']],
    ['a.ts', [...Array<string>(12).fill(''), 'say("code generated by us, do not edit");']],
    ['a.ts', ['// The map is generated by hand.']],
    ['a.html', ['<meta name="generator" content="Hugo" />']],
    ['a.yml', ['fileFormatVersion: 2']],
  ])('count %s that says %j', (path, lines) => {
    expect(generated(path, ...lines)).toBeUndefined();
  });

  it('take lines that are longer on average than anyone writes them for minified', () => {
    const minified = (path: string, content: string) => contentExclusion(path, [], content);
    expect(minified('a.py', `${'x'.repeat(5000)}\n`)).toBe('minified');
    expect(minified('a.js', `${'x'.repeat(150)}\n`.repeat(20))).toBe('minified');
    expect(minified('a.py', `${'x'.repeat(150)}\n`.repeat(20))).toBeUndefined();
    expect(minified('a.js', 'const answer = 42;\n'.repeat(1000))).toBeUndefined();
    expect(minified('a.js', 'x'.repeat(600))).toBeUndefined();
  });

  it('know a pointer of git LFS', () => {
    const excluded = (content: string) => contentExclusion('a.bin', content.split('\n'), content);
    expect(excluded('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n')).toBe('lfs');
    expect(excluded('version = 1\n')).toBeUndefined();
  });

  it('are lifted where .gitattributes say that a file is not generated', () => {
    const lines = ['// @generated'];
    expect(contentExclusion('a.ts', lines, lines[0], { generated: false })).toBeUndefined();
  });
});
