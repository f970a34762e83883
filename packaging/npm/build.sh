#!/usr/bin/env bash
# Packs hallmark for npm: a package for each system that carries the binary, and one that depends on all of them optionally, so that an
# install takes the one that fits and runs and downloads nothing else.
#   build.sh VERSION FOLDER [OS/ARCH...]      all systems when none is named; Go's names (linux/amd64)
set -euo pipefail
version=$1
mkdir -p "$2"
folder=$(cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
all=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
wanted=("$@")
if [ $# = 0 ]; then wanted=("${all[@]}"); fi

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# nodes_name OS/ARCH: how Node.js calls a system.
nodes_name() {
  local os=${1%/*} arch=${1#*/}
  if [ "$os" = windows ]; then os=win32; fi
  if [ "$arch" = amd64 ]; then arch=x64; fi
  echo "$os-$arch"
}

for system in "${wanted[@]}"; do
  name=$(nodes_name "$system")
  dir=$stage/$name
  mkdir -p "$dir/bin"
  binary=hallmark
  if [ "${system%/*}" = windows ]; then binary=hallmark.exe; fi
  bash "$here/../binary.sh" "$version" "${system%/*}" "${system#*/}" "$dir/bin/$binary"
  chmod 755 "$dir/bin/$binary"
  cp "$root/LICENSE" "$dir/"
  node "$here/manifest.js" system "$version" "$name" >"$dir/package.json"
  npm pack --silent --ignore-scripts --pack-destination "$folder" "$dir"
done

mkdir -p "$stage/main/bin"
cp "$here/hallmark.js" "$stage/main/bin/"
chmod 755 "$stage/main/bin/hallmark.js"
cp "$root/LICENSE" "$root/README.md" "$stage/main/"
names=()
for system in "${all[@]}"; do names+=("$(nodes_name "$system")"); done
node "$here/manifest.js" main "$version" "${names[@]}" >"$stage/main/package.json"
npm pack --silent --ignore-scripts --pack-destination "$folder" "$stage/main"
