import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';
import { type GoldenInputs, goldenVectors } from './golden-vectors';

// Clients, commits and stored data of every release must agree: a vector changes only together with
// LINE_PRINT_VERSION (`node tools/golden.mjs` writes them), and those of the seed's text scheme never.

const read = (name: string): string => readFileSync(join(__dirname, 'golden', `${name}.json`), 'utf8');
const inputs = JSON.parse(read('inputs')) as GoldenInputs;
const names = ['line-prints', 'recall-keys', 'text-signatures', 'min-hash'];
const golden = Object.fromEntries(names.map((name) => [name, JSON.parse(read(name)) as unknown]));

/**
 * One script that needs nothing but JavaScript itself: `golden-vectors` with all that it imports, as the global
 * `fingerprint`.
 */
function bundleLibrary(): string {
  const modules = new Map<string, string>();
  const add = (id: string): void => {
    if (modules.has(id)) return;
    const { outputText } = transpileModule(readFileSync(join(__dirname, `${id}.ts`), 'utf8'), {
      compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
    });
    modules.set(id, outputText);
    for (const [, imported] of outputText.matchAll(/\brequire\("([^"]*)"\)/g)) {
      if (!imported!.startsWith('./'))
        throw new Error(`${id}.ts imports ${imported}, which is not everywhere`);
      add(imported!.slice(2));
    }
  };
  add('golden-vectors');
  const functions = Array.from(modules, ([id, text]) => `'./${id}'(exports, require) {\n${text}\n}`);
  return `var fingerprint = (() => {
    const modules = {\n${functions.join(',\n')}\n};
    const loaded = {};
    const require = (id) => {
      if (!loaded[id]) modules[id]((loaded[id] = {}), require);
      return loaded[id];
    };
    return require('./golden-vectors');
  })();`;
}

const bundle = bundleLibrary();
const call = `JSON.stringify(fingerprint.goldenVectors(${JSON.stringify(inputs)}))`;

describe('golden vectors', () => {
  it.each(names)('of %s hold in Node', (name) => {
    expect(goldenVectors(inputs)[name]).toEqual(golden[name]);
  });

  it('hold in a worker', async () => {
    const worker = new Worker(`${bundle}\nrequire('node:worker_threads').parentPort.postMessage(${call});`, {
      eval: true,
    });
    const answer = await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    expect(JSON.parse(answer)).toEqual(golden);
  });

  it('hold where there is nothing but JavaScript, as in a browser', () => {
    const context = createContext({});
    expect(
      runInContext('typeof process + typeof Buffer + typeof require + typeof TextEncoder', context),
    ).toBe('undefined'.repeat(4));
    expect(JSON.parse(runInContext(`${bundle}\n${call}`, context) as string)).toEqual(golden);
  });

  it('are there for every language of the pipeline', () => {
    const languages =
      `typescript tsx javascript python go java rust c cpp csharp ruby php kotlin scala swift bash html
      css json sql yaml toml dockerfile makefile markdown text`.split(/\s+/);
    expect(inputs.prints.map(({ language }) => language).sort()).toEqual(languages.sort());
  });
});
