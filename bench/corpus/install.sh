#!/usr/bin/env bash
# install.sh FOLDER: installs the packages of servers.txt into FOLDER, each in a folder of its own, by the ordinary client and
# without running their install scripts. What is there already is left alone. Needs node >= 20; about 3 GB.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: install.sh FOLDER}"
cd "$1"
grep '^npm ' "$here/servers.txt" | while read -r _ name version _; do
  folder=$(echo "$name" | tr '@/' '__')
  [ -e "$folder/node_modules/$name" ] && continue
  mkdir -p "$folder"
  echo '{"private":true}' > "$folder/package.json"
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --omit=dev --prefer-offline --loglevel=error \
    "$name@$version" < /dev/null > "$folder.log" 2>&1 || echo "not installed: $name@$version (see $folder.log)" >&2
done
