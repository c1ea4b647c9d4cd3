import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HookLayout } from '@lineprint/git';
import { LineprintError } from '@lineprint/platform';

export const HOOKS = ['post-commit', 'post-rewrite', 'pre-push'] as const;
export type HookName = (typeof HOOKS)[number];

/** Where a hook lies that was there before ours, unchanged. */
const PREVIOUS = 'before-lineprint';
const MARK = '# lineprint-hook';

/** What is in the place of a hook. */
export type HookState = 'installed' | 'none' | 'other';

export interface HookStatus {
  readonly hook: HookName;
  readonly path: string;
  readonly state: HookState;
  /** The hook that was there before runs first. */
  readonly chained: boolean;
}

/**
 * Puts our hooks in place; those that were there are kept beside them and run first. Installing again changes nothing.
 * @throws LineprintError `hook-conflict` where somebody replaced our hook and what was before it is still kept
 */
export async function installHooks(layout: HookLayout): Promise<HookStatus[]> {
  await mkdir(layout.hooksDirectory, { recursive: true });
  const before = await hookStatus(layout);
  for (const { hook, path, state, chained } of before) {
    if (state === 'other' && chained) {
      throw new LineprintError(
        'hook-conflict',
        `${path} was replaced since Lineprint's hook was installed. Keep what you want of it and of ${path}.${PREVIOUS}, delete the latter, and install again.`,
      );
    }
    if (state === 'other') await rename(path, `${path}.${PREVIOUS}`);
    await writeFile(path, hookScript(hook, layout.husky));
    await chmod(path, 0o755);
  }
  return hookStatus(layout);
}

/** Takes our hooks out and puts back, byte for byte, what was there. A hook that is not ours stays. */
export async function uninstallHooks(layout: HookLayout): Promise<HookStatus[]> {
  for (const { path, state, chained } of await hookStatus(layout)) {
    if (state === 'installed') await rm(path);
    if (chained && state !== 'other') await rename(`${path}.${PREVIOUS}`, path);
  }
  return hookStatus(layout);
}

export function hookStatus({ hooksDirectory }: HookLayout): Promise<HookStatus[]> {
  return Promise.all(
    HOOKS.map(async (hook) => {
      const path = join(hooksDirectory, hook);
      const text = await readFile(path, 'utf8').catch(() => undefined);
      const state = text === undefined ? 'none' : text.includes(MARK) ? 'installed' : 'other';
      const chained = (await stat(`${path}.${PREVIOUS}`).catch(() => undefined)) !== undefined;
      return { hook, path, state, chained };
    }),
  );
}

/**
 * The same on every machine, since husky's hooks are part of the repository: what is to be started stands in the git
 * directory. Git must never wait for us, nor fail because of us.
 */
function hookScript(hook: HookName, husky: boolean): string {
  // Of post-commit the standard input may be a terminal, where reading would wait for ever.
  const reads = hook !== 'post-commit';
  const previous = husky ? 'sh -e "$previous" "$@"' : '"$previous" "$@"';
  return `#!/bin/sh
${MARK}: tells Lineprint of commits, in the background. \`lineprint hook uninstall\` puts back what was here.
previous="\${0%/*}/${hook}.${PREVIOUS}"
status=0
${reads ? `input=$(cat)\ngive() { [ -z "$input" ] || printf '%s\\n' "$input"; }\n` : ''}if [ ${husky ? '-f' : '-x'} "$previous" ]; then
  ${reads ? 'give | ' : ''}${previous} || status=$?
fi
notify="$(git rev-parse --git-common-dir 2>/dev/null)/lineprint/notify"
if [ "$status" = 0 ] && [ -x "$notify" ]; then
  ${reads ? 'give | "$notify"' : '"$notify"'} ${hook} "$@" >/dev/null 2>&1 ${reads ? '' : '</dev/null '}|| :
fi
exit "$status"
`;
}
