#!/usr/bin/env bash
# The image node:24-bookworm-slim out of Debian's packages and the npm packages node-linux-* and npm, laid out like the
# public image of that name, for places that no registry of images can be reached from. For tools/check-deploy.mjs.
#
#   base-image.sh NAME      makes the image NAME in the storage of "buildah $BUILDAH_OPTIONS"
#
# Needs root, Debian, debootstrap, buildah and npm. It trusts the certificates that this machine trusts.
set -euo pipefail
name=${1:?name of the image} major=24
read -ra options <<< "${BUILDAH_OPTIONS:-}"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tree=$folder/tree

# As in the public image: neither packages that were installed nor manuals stay.
mkdir -p "$tree/etc/apt/apt.conf.d" "$tree/etc/dpkg/dpkg.cfg.d"
printf '%s\n' 'Dir::Cache::archives "";' 'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' \
  'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' > "$tree/etc/apt/apt.conf.d/docker-clean"
printf 'path-exclude /usr/share/%s/*\n' doc man locale > "$tree/etc/dpkg/dpkg.cfg.d/docker"

mirror=$(awk '/^URIs:/ { print $2; exit } /^deb / { print $2; exit }' \
  /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2> /dev/null || true)
debootstrap --variant=minbase --no-check-gpg --include=ca-certificates bookworm "$tree" "$mirror" > "$folder/log" 2>&1 || {
  tail -n 5 "$folder/log" >&2
  exit 1
}
package=node-linux-$(node -p process.arch)
npm install --silent --no-save --prefix "$folder" "$package@$major" npm@11
install -D "$folder/node_modules/$package/bin/node" "$tree/usr/local/bin/node"
mkdir -p "$tree/usr/local/lib/node_modules" "$tree/usr/local/include"
cp -a "$folder/node_modules/npm" "$tree/usr/local/lib/node_modules/npm"
cp -a "$folder/node_modules/$package/include/node" "$tree/usr/local/include/node"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$tree/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$tree/usr/local/bin/npx"
cp /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/certs/ca-certificates.crt"
chroot "$tree" useradd -m -u 1000 node
rm -rf "$tree"/var/cache/apt/archives/*.deb "$tree"/var/lib/apt/lists/* "$tree"/usr/share/{doc,man,locale}/*

container=$(buildah "${options[@]}" from scratch)
buildah "${options[@]}" add -q "$container" "$tree" / > /dev/null
buildah "${options[@]}" config --cmd node \
  --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah "${options[@]}" commit -q "$container" "$name"
buildah "${options[@]}" rm "$container" > /dev/null
