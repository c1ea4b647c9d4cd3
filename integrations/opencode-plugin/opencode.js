import { fileURLToPath } from 'node:url';
import { lineprintPlugin } from './plugin.js';

const senderScript = fileURLToPath(new URL('send.cjs', import.meta.resolve('@lineprint/capture')));
// The assistant is one file that has a runtime in it, but is none.
const node = process.versions.bun ? 'node' : process.execPath;

// The only export: OpenCode starts every function that a plugin's file exports.
export const LineprintPlugin = lineprintPlugin('opencode', { senderScript, node });
