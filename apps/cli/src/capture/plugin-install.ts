import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeAtomically } from '@lineprint/capture';
import { LineprintError } from '@lineprint/platform';

/** Assistants that load plugins from a folder, and that folder below the home directory and below a project's. */
export const pluginFolders: Readonly<Record<string, { readonly user: string; readonly project: string }>> = {
  opencode: { user: '.config/opencode/plugins', project: '.opencode/plugins' },
  kilo: { user: '.config/kilo/plugins', project: '.kilo/plugins' },
};

const MARK = '// Written by `lineprint capture install`; `--uninstall` removes it.';
const FILE = 'lineprint.js';
const SOURCE = join(__dirname, '../../../../integrations/opencode-plugin');

export interface PluginPlace {
  readonly assistant: string;
  /** The assistant's folder of plugins. */
  readonly folder: string;
  /** Where capture keeps its data, absolute. */
  readonly state: string;
  /** The built SDK. */
  readonly sdk: string;
}

/**
 * Copies the plugin with its SDK beside capture's data, so that it works whatever becomes of this program, and names it
 * in the assistant's folder.
 * @returns path of the file there
 * @throws LineprintError `plugin-missing`, `plugin-foreign` when a file of that name is somebody else's
 */
export function installPlugin({ assistant, folder, state, sdk }: PluginPlace): string {
  const path = ownPath(folder);
  if (!existsSync(SOURCE)) {
    throw new LineprintError('plugin-missing', `${SOURCE} is missing: install from a checkout of Lineprint.`);
  }
  const programs = join(state, 'bin', 'opencode-plugin');
  const packaged = join(programs, 'node_modules', '@lineprint', 'capture');
  cpSync(SOURCE, programs, { recursive: true });
  cpSync(sdk, packaged, { recursive: true });
  const url = (...parts: string[]) => JSON.stringify(pathToFileURL(join(...parts)).href);
  const options = { senderScript: join(packaged, 'send.cjs'), node: process.execPath };
  writeAtomically(
    path,
    [
      MARK,
      `import { CaptureState } from ${url(packaged, 'index.mjs')};`,
      `import { lineprintPlugin } from ${url(programs, 'plugin.js')};`,
      `const state = new CaptureState(${JSON.stringify(state)});`,
      `const options = ${JSON.stringify(options)};`,
      `export const LineprintPlugin = lineprintPlugin(${JSON.stringify(assistant)}, { ...options, state });`,
      '',
    ].join('\n'),
  );
  return path;
}

/**
 * @returns path of the file that is gone, if there was one
 * @throws LineprintError `plugin-foreign`
 */
export function removePlugin(folder: string): string | undefined {
  const path = ownPath(folder);
  if (!existsSync(path)) return undefined;
  rmSync(path);
  return path;
}

function ownPath(folder: string): string {
  const path = join(folder, FILE);
  if (existsSync(path) && !readFileSync(path, 'utf8').startsWith(MARK)) {
    throw new LineprintError('plugin-foreign', `${path} was not written by Lineprint: it is left alone.`);
  }
  return path;
}
