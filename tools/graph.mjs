/**
 * The project graph, computed afresh: `node tools/graph.mjs` prints each project with what it imports (not
 * with `--quiet`) and fails if there is a cycle. Computing it also fills the cache that @nx/enforce-module-boundaries reads;
 * without that cache the rule skips itself and every import passes.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from './setup.mjs';

/**
 * @returns {Record<string, {tags: string[], imports: string[]}>} by project name
 * @throws {Error} when Nx cannot compute the graph
 */
export function projectGraph() {
  const folder = mkdtempSync(join(tmpdir(), 'lineprint-graph-'));
  try {
    const file = join(folder, 'graph.json');
    const nx = join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js');
    const { status, stdout, stderr } = spawnSync(process.execPath, [nx, 'graph', `--file=${file}`], {
      cwd: root,
      encoding: 'utf8',
      // a daemon would answer from what it remembers
      env: { ...process.env, NX_DAEMON: 'false' },
    });
    if (status !== 0) throw new Error(`Nx cannot compute the project graph:\n${stdout}${stderr}`);
    const { nodes, dependencies } = JSON.parse(readFileSync(file, 'utf8')).graph;
    return Object.fromEntries(
      Object.entries(nodes).map(([name, { data }]) => [
        name,
        {
          tags: data.tags,
          imports: dependencies[name].map(({ target }) => target).filter((target) => target in nodes),
        },
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Record<string, {imports: string[]}>} graph
 * @returns {string[] | undefined} the projects of one cycle in order, or nothing
 */
export function findCycle(graph) {
  const finished = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (finished.has(name)) return undefined;
    for (const next of graph[name].imports) {
      const cycle = visit(next, [...path, name]);
      if (cycle) return cycle;
    }
    finished.add(name);
    return undefined;
  };
  for (const name of Object.keys(graph)) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const graph = projectGraph();
  if (!process.argv.includes('--quiet')) console.log(JSON.stringify(graph, null, 2));
  const cycle = findCycle(graph);
  if (cycle) {
    console.error(`The projects import each other in a circle: ${cycle.join(' → ')}`);
    process.exitCode = 1;
  }
}
