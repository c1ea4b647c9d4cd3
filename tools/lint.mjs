/** ESLint over the workspace (or the files named), warnings included, with proof that the import rules ran. */
import { join } from 'node:path';
import { projectGraph } from './graph.mjs';
import { root } from './setup.mjs';

async function main() {
  projectGraph();
  process.env.NX_DAEMON = 'false';
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({ cwd: root });

  // Without a project graph the rule says nothing about anything: a known offence must be seen.
  const [probe] = await eslint.lintText("import { Kafka } from 'kafkajs';\nnew Kafka({ brokers: [] });\n", {
    filePath: join(root, 'apps', 'ingest', 'src', 'probe.ts'),
  });
  if (!probe?.messages.some((message) => message.ruleId === '@nx/enforce-module-boundaries')) {
    throw new Error('@nx/enforce-module-boundaries did not run: it let a forbidden import pass');
  }

  const files = process.argv.slice(2);
  const results = await eslint.lintFiles(files.length > 0 ? files : ['.']);
  const text = await (await eslint.loadFormatter('stylish')).format(results);
  if (text) console.log(text);
  if (results.some((result) => result.errorCount + result.warningCount > 0)) process.exitCode = 1;
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
