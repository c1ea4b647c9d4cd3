import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import * as source from '@lineprint/capture';
import { deriveLineKey } from '@lineprint/fingerprint';

// The package as it is published: what `npm run build` made of libs/capture.

const SDK = join(__dirname, '../../libs/capture/dist/sdk');
const text = (name: string) => readFileSync(join(SDK, name), 'utf8');

const edit = {
  path: 'src/sum.py',
  before: 'a = 1\n',
  after: 'a = 1\ndef total(items):\n    return sum(item.price for item in items)\n',
  source: 'chat' as const,
  sessionId: 'session',
  userId: 'ada@example.org',
  timestamp: 1_780_311_600_000,
  toolCallIndex: 0,
};
const lineKey = deriveLineKey(new Uint8Array(32), 'key');
const expected = JSON.stringify(source.captureEdit({ ...edit, lineKey }));

describe('the client SDK', () => {
  it.each(['index', 'core'])('exports the same from both module systems: %s', (name) => {
    const program = (load: string) => `${load}; console.log(Object.keys(sdk).sort().join())`;
    const node = (...args: string[]) => execFileSync(process.execPath, args, { encoding: 'utf8' });
    const file = JSON.stringify(join(SDK, name));
    const esm = node(
      '--input-type=module',
      '-e',
      program(`import * as sdk from ${file.replace(/"$/, '.mjs"')}`),
    );
    const cjs = node('-e', program(`const sdk = require(${file.replace(/"$/, '.cjs"')})`));
    expect(esm).toBe(cjs);
    expect(cjs).toContain('captureEdit');
    if (name === 'index') expect(cjs.trim().split(',')).toEqual(Object.keys(source).sort());
  });

  it('gives in a place where there is nothing but JavaScript, as a browser, what the source gives', () => {
    const context = createContext({ module: {}, edit: JSON.stringify(edit), key: JSON.stringify(lineKey) });
    expect(runInContext('typeof process + typeof Buffer + typeof require', context)).toBe(
      'undefined'.repeat(3),
    );
    runInContext(text('core.cjs'), context);
    const call = `
      const words = (key) => Int32Array.from(Object.values(key));
      const { keyId, tokens, exact, abstract, paths } = JSON.parse(key);
      const lineKey = { keyId, tokens: words(tokens), exact: words(exact), abstract: words(abstract), paths: words(paths) };
      JSON.stringify(module.exports.captureEdit({ ...JSON.parse(edit), lineKey }));`;
    expect(runInContext(call, context)).toBe(expected);
  });

  it('needs no other package, and is small', () => {
    const needed = ['index.cjs', 'core.cjs', 'hook.cjs', 'send.cjs'].flatMap((name) =>
      [...text(name).matchAll(/\b\w+\.node\("([^"]+)"\)/g)].map(([, wanted]) => wanted!),
    );
    expect(needed.filter((name) => !name.startsWith('node:'))).toEqual([]);
    expect(needed).toContain('node:fs');
    expect(gzipSync(text('index.mjs')).length).toBeLessThan(50_000);
    expect(gzipSync(text('hook.cjs')).length).toBeLessThan(5_000);
  });
});
