#!/usr/bin/env bash
# install.sh FOLDER: installs the packages of servers.txt into FOLDER, by the ordinary client and without running their
# install scripts. Needs node >= 20; about 2 GB.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "${1:?usage: install.sh FOLDER}"
cd "$1"
[ -e package.json ] || echo '{"private":true}' > package.json
# A few at a time: one package that is gone must not lose the others.
grep '^npm ' "$here/servers.txt" | awk '{print $2 "@" $3}' | xargs -n 12 | while read -r batch; do
  # shellcheck disable=SC2086
  npm install --ignore-scripts --no-audit --no-fund --omit=dev --loglevel=error --force $batch ||
    for one in $batch; do
      npm install --ignore-scripts --no-audit --no-fund --omit=dev --loglevel=error --force "$one" || echo "not installed: $one" >&2
    done
done
