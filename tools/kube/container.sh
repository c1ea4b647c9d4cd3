#!/usr/bin/env bash
# Runs a command in an image's tree as a kubelet does under the chart's security context: as a user without rights, PID 1 of
# its own processes, the tree read-only, /tmp and volumes empty. The network is this machine's; nothing limits memory.
# SIGTERM reaches the command, and its exit code is this script's. For tools/kube/images.mjs.
#
#   VOLUMES=FOLDER:… container.sh TREE USER:GROUP FOLDER [NAME=VALUE …] COMMAND…
#
# Needs root and util-linux.
set -euo pipefail

if [ "$1" != inside ]; then
  unshare --mount --pid --ipc --uts --fork "$0" inside "$@" &
  parent=$!
  trap 'isTold=yes; kill -TERM $(cat "/proc/$parent/task/$parent/children" 2> /dev/null) 2> /dev/null || true' TERM
  while :; do
    isTold=
    code=0
    wait "$parent" || code=$?
    # A trapped signal ends the waiting, not the command.
    [ -n "$isTold" ] || exit "$code"
  done
fi

tree=$2 user=${3%:*} group=${3#*:} folder=$4
shift 4
mount --bind "$tree" "$tree"
mount -t proc proc "$tree/proc"
mount -t tmpfs -o mode=1777 tmp "$tree/tmp"
mount -t tmpfs -o mode=755 dev "$tree/dev"
for device in null zero full random urandom; do
  : > "$tree/dev/$device"
  mount --bind "/dev/$device" "$tree/dev/$device"
done
ln -s /proc/self/fd "$tree/dev/fd"
IFS=: read -ra volumes <<< "${VOLUMES:-}"
for volume in "${volumes[@]}"; do
  mount -t tmpfs -o "mode=755,uid=$user,gid=$group" volume "$tree$volume"
done
mount -o remount,bind,ro "$tree"
home=$(awk -F: -v user="$user" '$3 == user { print $6; exit }' "$tree/etc/passwd")
exec chroot "$tree" /usr/bin/env -i --chdir="$folder" HOME="${home:-/}" \
  /usr/bin/setpriv --reuid="$user" --regid="$group" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all \
  /usr/bin/env "$@"
