import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LineprintError } from '@lineprint/platform';

/** How the sender of a repository's hooks reaches the server, and what it calls the repository. */
export interface HookSettings {
  readonly url?: string;
  readonly apiKey?: string;
  /** Where capture keeps its data: what `lineprint login` knows, and edits that are not sent yet. */
  readonly state: string;
  readonly name: string;
  readonly projectId?: string;
  readonly aiAuthor?: string[];
  readonly aiTrailer?: string[];
  readonly aiDefaults: boolean;
}

const MAX_LOG_BYTES = 1024 * 1024;

/** `lineprint` in the git directory: what one machine keeps for the hooks of a repository and its working trees. */
export class HookDirectory {
  readonly path: string;
  /** A file for each time that a hook ran and what it told is not sent yet. */
  readonly queuePath: string;
  readonly sentPath: string;
  readonly lockPath: string;
  readonly logPath: string;
  /** Until when, in seconds since 1970, nothing is sent. */
  private readonly pausePath: string;
  private readonly notifyPath: string;
  private readonly settingsPath: string;

  constructor(readonly commonDir: string) {
    this.path = join(commonDir, 'lineprint');
    this.queuePath = join(this.path, 'queue');
    this.sentPath = join(this.path, 'sent');
    this.lockPath = join(this.path, 'lock');
    this.logPath = join(this.path, 'hook.log');
    this.pausePath = join(this.path, 'pause');
    this.notifyPath = join(this.path, 'notify');
    this.settingsPath = join(this.path, 'settings.json');
  }

  /** @param main the script of this command line */
  async write(settings: HookSettings, main: string): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 });
    await mkdir(this.queuePath, { recursive: true });
    await this.resume();
    await writeFile(this.settingsPath, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    await writeFile(this.notifyPath, notifyScript(process.execPath, main));
    await chmod(this.notifyPath, 0o755);
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }

  /** After a failure: commits that are made meanwhile start no sender. */
  async pause(ms: number): Promise<void> {
    await writeFile(this.pausePath, String(Math.ceil((Date.now() + ms) / 1000)));
  }

  async resume(): Promise<void> {
    await rm(this.pausePath, { force: true });
  }

  /** Starts the log anew when it is long; its predecessor stays. */
  async turnLog(): Promise<void> {
    const found = await stat(this.logPath).catch(() => undefined);
    if (found && found.size > MAX_LOG_BYTES) await rename(this.logPath, `${this.logPath}.1`);
  }

  /** @throws LineprintError `hook-missing` */
  async settings(): Promise<HookSettings> {
    try {
      return JSON.parse(await readFile(this.settingsPath, 'utf8')) as HookSettings;
    } catch (cause) {
      throw new LineprintError(
        'hook-missing',
        `No hooks are installed in ${this.commonDir}: run \`lineprint hook install\``,
        { cause },
      );
    }
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Writes down what happened, and starts a sender unless one is at work: a rebase calls it once a commit. Takes
 * milliseconds, whatever the server does.
 */
function notifyScript(node: string, main: string): string {
  return `#!/bin/sh
# Written by \`lineprint hook install\`.
directory=$(cd "\${0%/*}" && pwd) || exit 0
new=$(mktemp "$directory/new.XXXXXXXX") || exit 0
case $1 in
  post-commit) echo "commit $(git rev-parse HEAD)" ;;
  post-rewrite) while read -r _ sha _; do echo "commit $sha"; done ;;
  pre-push) while read -r _ sha _ known; do echo "push $sha $known $2"; done ;;
esac >"$new"
# In one step, so that a sender never reads half of it.
mv "$new" "$directory/queue/\${new##*.}"
if [ -f "$directory/pause" ] && [ "$(date +%s)" -lt "$(cat "$directory/pause")" ]; then exit 0; fi
# After an hour the number may be another program's.
if [ -n "$(find "$directory/lock" -mmin -60)" ] && kill -0 "$(cat "$directory/lock")"; then exit 0; fi
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX GIT_OBJECT_DIRECTORY GIT_QUARANTINE_PATH
(
  trap '' HUP
  cd "$directory" && exec nice ${quoted(node)} ${quoted(main)} hook send "$directory"
) </dev/null >>"$directory/hook.log" 2>&1 &
echo $! >"$directory/lock"
exit 0
`;
}
