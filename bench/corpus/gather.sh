#!/usr/bin/env bash
# gather.sh PACKAGES OUT.jsonl: collects the benign corpus of docs/text-rules.md from real MCP servers.
#
# PACKAGES is the folder install.sh filled; ORACLE_WORK names the folder in which ../shared/oracle/install.sh
# installed its servers. Nothing is installed here. The servers run in a network namespace of their own that has
# only the loopback interface (HALLMARK_CORPUS_NETWORK=host runs them without). Then:
#   HALLMARK_CORPUS=OUT.jsonl go test -v -run TestCorpus ./internal/textscan
set -eu
here=$(cd "$(dirname "$0")" && pwd)
packages=$(cd "${1:?usage: gather.sh PACKAGES OUT.jsonl}" && pwd)
out=$(realpath "${2:?usage: gather.sh PACKAGES OUT.jsonl}")
oracle=$(cd "$here/../../../shared/oracle" && pwd)
work=$(cd "${ORACLE_WORK:?ORACLE_WORK: folder of the installed oracle servers}" && pwd)
case $out in "$(cd "$here/../.." && pwd)"/*) echo "gather.sh: keep the corpus outside the repository" >&2; exit 2 ;; esac
run() { python3 "$here/gather.py" "$oracle" "$work" "$here/servers.txt" "$packages" "$out"; }
if [ "${HALLMARK_CORPUS_NETWORK:-none}" = host ]; then
  run
else
  export -f run
  export here oracle work packages out
  unshare --user --map-root-user --net bash -c 'ip link set lo up 2>/dev/null || true; run'
fi
