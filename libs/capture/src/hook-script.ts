export interface HookPrograms {
  /** The Node that runs the sender. */
  readonly node: string;
  /** `send.cjs` of the SDK. */
  readonly sender: string;
  /** The folder of everything that capture keeps. */
  readonly state: string;
}

/**
 * What `runHook` does, as a program of the shell: Node alone takes longer to start than an assistant may be held up.
 * `SCRIPT ASSISTANT`, the event on standard input; ends with 0, whatever happens.
 */
export function hookScript({ node, sender, state }: HookPrograms): string {
  return `#!/bin/sh
# Written by \`lineprint capture install\`.
state=${quoted(state)}
log="$state/capture.log"
inbox="$state/inbox"
lock="$state/sender.lock"
umask 077
if [ ! -f "$state/settings.json" ]; then
  [ -n "$(find "$log" -size +2047 2>/dev/null)" ] ||
    echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) $1: an edit was not captured: run \\\`lineprint login\\\`" >>"$log"
  exit 0
fi
{
  [ -d "$inbox" ] || mkdir "$inbox"
  new=$(mktemp "$inbox/new.XXXXXXXX") &&
    # An event is one line; what ends one within it is white space between its parts.
    { printf '{"assistant":"%s","event":' "$1" && LC_ALL=C tr '\\r\\n' '  ' && echo '}'; } >"$new" &&
    mv "$new" "$inbox/0$(date +%s)000-\${new##*.}.jsonl"
} 2>>"$log" || exit 0
# One that nobody touched for a minute belongs to a program that is gone.
if [ -f "$lock" ] && [ -n "$(find "$lock" -mmin -1)" ] && kill -0 "$(cat "$lock")"; then exit 0; fi 2>/dev/null
(
  trap '' HUP
  exec ${quoted(node)} ${quoted(sender)} --state "$state"
) </dev/null >/dev/null 2>>"$log" &
exit 0
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
