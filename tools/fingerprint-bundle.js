const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const ts = require('typescript');

const source = join(__dirname, '..', 'libs', 'fingerprint', 'src');

/**
 * One script that needs nothing but JavaScript itself: the module `entry` of libs/fingerprint with all that it imports,
 * its exports as the global `name`. For the tests that run the library where there is no Node.
 *
 * @param {string} entry a file of libs/fingerprint/src, without its extension
 * @param {string} name
 * @returns {string}
 */
function bundleFingerprint(entry, name) {
  const modules = new Map();
  const add = (id) => {
    if (modules.has(id)) return;
    const text = readFileSync(join(source, `${id}.ts`), 'utf8');
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 },
    });
    modules.set(id, outputText);
    for (const [, imported] of outputText.matchAll(/\brequire\("([^"]*)"\)/g)) {
      if (!imported.startsWith('./'))
        throw new Error(`${id}.ts imports ${imported}: it would not run elsewhere.`);
      add(imported.slice(2));
    }
  };
  add(entry);
  const functions = Array.from(
    modules,
    ([id, text]) => `${JSON.stringify(`./${id}`)}(exports, require) {\n${text}\n}`,
  );
  return `var ${name} = (() => {
    const modules = {\n${functions.join(',\n')}\n};
    const loaded = {};
    const require = (id) => {
      if (!loaded[id]) modules[id]((loaded[id] = {}), require);
      return loaded[id];
    };
    return require(${JSON.stringify(`./${entry}`)});
  })();`;
}

module.exports = { bundleFingerprint };
