import type { Adapter } from './adapter';
import { claudeCode } from './claude-code';
import { codex } from './codex';
import { cursor } from './cursor';
import { kilo, openCode } from './opencode';
import { vscode } from './vscode';

/** Every assistant that Lineprint understands, by its name on the command line. */
export const adapters: Readonly<Record<string, Adapter>> = Object.fromEntries(
  [claudeCode, codex, cursor, openCode, kilo, vscode].map((adapter) => [adapter.name, adapter]),
);
