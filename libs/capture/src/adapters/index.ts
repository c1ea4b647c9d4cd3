import type { Adapter } from './adapter';
import { claudeCode } from './claude-code';

/** Every assistant that Lineprint understands, by its name on the command line. */
export const adapters: Readonly<Record<string, Adapter>> = Object.fromEntries(
  [claudeCode].map((adapter) => [adapter.name, adapter]),
);
