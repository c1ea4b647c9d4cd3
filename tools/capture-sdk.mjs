/**
 * Builds the client SDK for publishing, from what tsc compiled: `node tools/capture-sdk.mjs` writes
 * libs/capture/dist/sdk with an ESM and a CommonJS file of each entry, without dependencies, and prints their sizes.
 * With `--quiet` it prints nothing, and does nothing when the files are newer than what they are made of.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { minify } from '@swc/core';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiled = join(root, 'libs/capture/dist');
export const sdkDirectory = join(compiled, 'sdk');

/** `library`: imported by others, in both module systems; else a program that is started. */
const entries = [
  { name: 'index', library: true },
  // nothing of Node in it: for browsers and editors
  { name: 'core', library: true },
  { name: 'hook', module: 'hook-main' },
  { name: 'send', module: 'send-main' },
];

const builtins = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`)]);

/**
 * The modules that an entry needs, each as the body of a CommonJS function.
 *
 * @param {string[]} externals modules that are there where the bundle runs, beside Node's own
 * @returns {{functions: string[], usesNode: boolean, files: string[]}} the entry is the first
 */
function link(entry, externals = []) {
  const numbers = new Map();
  const bodies = [];
  let usesNode = false;
  const add = (file) => {
    if (numbers.has(file)) return numbers.get(file);
    const number = numbers.size;
    numbers.set(file, number);
    const { resolve } = createRequire(file);
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/gm, '');
    bodies[number] = text.replace(/\brequire\("([^"]+)"\)/g, (call, name) => {
      if (!builtins.has(name) && !externals.includes(name)) return `require(${add(resolve(name))})`;
      usesNode = true;
      return `require.node(${JSON.stringify(name)})`;
    });
    return number;
  };
  add(entry);
  return {
    usesNode,
    files: [...numbers.keys()],
    functions: bodies.map((body) => `(module, exports, require) => {\n${body}\n}`),
  };
}

/** An expression whose value is what the entry exports; modules run when they are first asked for. */
function bundleExpression({ functions, usesNode }) {
  return `(() => {
    const modules = [${functions.join(',\n')}];
    const loaded = [];
    const load = (number) => {
      if (!loaded[number]) {
        const module = (loaded[number] = { exports: {} });
        modules[number](module, module.exports, load);
      }
      return loaded[number].exports;
    };
    ${usesNode ? 'load.node = require;' : ''}
    return load(0);
  })()`;
}

async function minified(code, isModule) {
  return (await minify(code, { module: isModule, compress: true, mangle: true, ecma: 2022 })).code;
}

/**
 * A CommonJS file of a compiled module and everything that it needs.
 *
 * @param {string} entry path of what tsc compiled
 * @param {{externals?: string[]}} options
 * @returns {Promise<string>}
 */
export function bundleProgram(entry, { externals } = {}) {
  return minified(`'use strict';module.exports = ${bundleExpression(link(entry, externals))};`, false);
}

/** In one step: a hook may be starting the old one. */
function put(name, content) {
  const file = join(sdkDirectory, name);
  writeFileSync(`${file}.${process.pid}`, content);
  renameSync(`${file}.${process.pid}`, file);
}

async function build({ name, library = false, module = name }) {
  const entry = join(compiled, `${module}.js`);
  const linked = link(entry);
  if (!library) {
    const program = `#!/usr/bin/env node\n'use strict';${bundleExpression(linked)};`;
    put(`${name}.cjs`, await minified(program, false));
    return;
  }
  put(`${name}.cjs`, await bundleProgram(entry));
  const names = Object.keys(createRequire(entry)(entry));
  const node = linked.usesNode
    ? "import { createRequire } from 'node:module';const require = createRequire(import.meta.url);"
    : '';
  const exported = `export const { ${names.join(', ')} } = ${bundleExpression(linked)};`;
  put(`${name}.mjs`, await minified(node + exported, true));
}

/** The package as it is published: the workspace's own is private, and knows only CommonJS. */
function packageJson() {
  const { name, version } = JSON.parse(readFileSync(join(root, 'libs/capture/package.json'), 'utf8'));
  const both = (entry) => ({ import: `./${entry}.mjs`, require: `./${entry}.cjs` });
  return {
    name,
    version,
    description: 'Keyed fingerprints of AI edits: capture, spool and send them to Lineprint',
    license: 'Apache-2.0',
    main: './index.cjs',
    module: './index.mjs',
    browser: './core.mjs',
    exports: { '.': { browser: './core.mjs', ...both('index') }, './core': both('core') },
    bin: { 'lineprint-hook': './hook.cjs' },
    engines: { node: '>=20.19' },
    sideEffects: false,
  };
}

function isUpToDate() {
  const made = statSync(join(sdkDirectory, 'package.json'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = entries.flatMap(({ name, module = name }) => link(join(compiled, `${module}.js`)).files);
  return [...sources, fileURLToPath(import.meta.url)].every((file) => statSync(file).mtimeMs < made);
}

/** Builds what is out of date. */
export async function buildSdk() {
  if (isUpToDate()) return;
  mkdirSync(sdkDirectory, { recursive: true });
  for (const entry of entries) await build(entry);
  put('package.json', `${JSON.stringify(packageJson(), null, 2)}\n`);
}

/** @returns {Record<string, {bytes: number, gzipped: number}>} by file */
export function sdkSizes() {
  const files = readdirSync(sdkDirectory).filter((name) => /\.[cm]js$/.test(name));
  return Object.fromEntries(
    files.map((name) => {
      const content = readFileSync(join(sdkDirectory, name));
      return [name, { bytes: content.length, gzipped: gzipSync(content, { level: 9 }).length }];
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await buildSdk();
  if (!process.argv.includes('--quiet')) {
    console.log(relative(root, sdkDirectory));
    for (const [name, { bytes, gzipped }] of Object.entries(sdkSizes())) {
      console.log(`${name.padEnd(12)} ${bytes} bytes, ${gzipped} gzipped`);
    }
  }
}
