#!/usr/bin/env bash
# Gets what the tests of report files are checked with, into FOLDER: a browser and xmllint (packages of the system, where this may install
# any), the JUnit schema that pytest tests its own reports with, and axe-core. Whatever cannot be had is left out; the tests then say so.
#   tools.sh FOLDER
set -uo pipefail
folder=$1
mkdir -p "$folder"

missing=()
command -v chromium >/dev/null || missing+=(chromium fonts-dejavu-core)
command -v xmllint >/dev/null || missing+=(libxml2-utils)
if [ ${#missing[@]} -gt 0 ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

schema=testing/example_scripts/junit-10.xsd
if [ ! -f "$folder/junit-10.xsd" ] && command -v pip3 >/dev/null; then
  pip3 download -q --no-deps --no-binary pytest -d "$folder/pytest" pytest==8.3.5 &&
    tar -xzf "$folder/pytest/pytest-8.3.5.tar.gz" -C "$folder/pytest" &&
    cp "$folder/pytest/pytest-8.3.5/$schema" "$folder/"
fi

if [ ! -f "$folder/node_modules/axe-core/axe.min.js" ] && command -v npm >/dev/null; then
  npm install --prefix "$folder" --ignore-scripts --no-audit --no-fund --loglevel=error axe-core@4.14.1
fi
exit 0
