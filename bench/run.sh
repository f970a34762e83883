#!/usr/bin/env bash
# bench/run.sh [NAME...]: hallmark and the comparable program mcpscore side by side on real servers: wall time, CPU time of the program
# itself, peak memory and requests, with 0, 50 and 100 ms added each way. Writes a Markdown table to standard output. See bench/README.md.
#
#   BENCH_REPEATS  runs of each, of which the medians are shown (5)
#   BENCH_DELAYS   milliseconds added each way ("0 50 100")
#   BENCH_CACHE    where the comparable program is installed (${XDG_CACHE_HOME:-$HOME/.cache}/hallmark-bench)
#   BENCH_LARGE    0 to leave out the servers with 10,000 tools
#   ORACLE_WORK    where ../shared/oracle/install.sh put the servers ($HOME/.cache/hallmark-oracle)
set -euo pipefail
cd "$(dirname "$0")/.."
[ "$(uname)" = Linux ] || { echo "bench/run.sh reads process clocks of Linux" >&2; exit 2; }
oracle=$PWD/../shared/oracle
export ORACLE_WORK=${ORACLE_WORK:-$HOME/.cache/hallmark-oracle}
cache=${BENCH_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hallmark-bench}
repeats=${BENCH_REPEATS:-5}
delays=${BENCH_DELAYS:-0 50 100}
names=("$@")
[ $# -gt 0 ] || names=(everything-http ts2-todos-http ts2-modern-only-http everything-sse everything-stdio py2-dual-era-stdio)
[ -d "$oracle" ] || { echo "../shared/oracle is not here" >&2; exit 2; }
[ -d "$ORACLE_WORK/.done" ] || [ -d "$ORACLE_WORK/node" ] || { echo "no servers in $ORACLE_WORK: run ../shared/oracle/install.sh $ORACLE_WORK" >&2; exit 2; }

peer=mcpscore==1.29.0
if [ ! -x "$cache/venv/bin/mcpscore" ] || [ "$(cat "$cache/installed" 2>/dev/null)" != "$peer" ]; then
  mkdir -p "$cache"
  python3 -m venv "$cache/venv"
  "$cache/venv/bin/pip" -q install --disable-pip-version-check "$peer" >&2
  echo "$peer" > "$cache/installed"
fi
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -trimpath -o "$bin/hallmark" ./cmd/hallmark
go build -o "$bin/measure" ./bench/measure
go build -o "$bin/delay" ./bench/delay
go build -o "$bin/manytools" ./bench/manytools
python=$cache/venv/bin/python
"$python" -m compileall -q "$cache/venv/lib" || true # so that the first run pays for nothing the others do not

# once PROGRAM NAME DELAY: one line "wall cpu peak requests exit"
once() {
  local log=$bin/requests out=$bin/sample transport
  rm -f "$log" "$out"
  transport=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["transport"])' "$oracle/$2/server.json")
  local delay=("$bin/delay" -each-way "${3}ms" -log "$log")
  local program=("$bin/hallmark" audit --json)
  [ "$1" = hallmark ] || program=("$cache/venv/bin/mcpscore")
  local flags=()
  if [ "$transport" = stdio ]; then
    mapfile -t flags < <("$python" -c 'import json, os, sys
for k, v in json.load(open(sys.argv[1]))["env"].items(): print("--env"); print(k + "=" + v.replace("$WORK", os.environ["ORACLE_WORK"]))' "$oracle/$2/server.json")
    "$oracle/run.sh" "$2" -- "$bin/measure" -o "$out" "${program[@]}" "${flags[@]}" --stdio "${delay[@]}" -- {cmd} >/dev/null 2>"$bin/errors" || true
  else
    ORACLE_PROXY="${delay[*]} -port {port}" "$oracle/run.sh" "$2" -- "$bin/measure" -o "$out" "${program[@]}" {} >/dev/null 2>"$bin/errors" || true
  fi
  [ -s "$out" ] || { echo "no measurement of $1 on $2:" >&2; cat "$bin/errors" >&2; exit 1; }
  "$python" - "$out" "$log" <<'PY'
import json, re, sys
r = json.load(open(sys.argv[1]))
n = sum(int(m) for m in re.findall(r"requests (\d+)", open(sys.argv[2]).read()))
print(r["wall_ms"], r["cpu_ms"], r["peak_mib"], n, r["exit"])
PY
}

echo "| server | added each way | program | wall s | CPU s | peak MiB | requests | wall, of the peer's | CPU, of the peer's |"
echo "|---|---:|---|---:|---:|---:|---:|---:|---:|"
for name in "${names[@]}"; do
  for delay in $delays; do
    : > "$bin/all"
    for ((i = 0; i < repeats; i++)); do # in turns, so that what else the machine does meets both
      for program in hallmark mcpscore; do
        once "$program" "$name" "$delay" | sed "s/^/$program /" >> "$bin/all"
      done
    done
    "$python" - "$bin/all" "$name" "$delay" <<'PY'
import statistics, sys
rows = [l.split() for l in open(sys.argv[1])]
med = lambda p, i: statistics.median(float(r[i]) for r in rows if r[0] == p)
for p in ("hallmark", "mcpscore"):
    wall, cpu, peak, n = (med(p, i) for i in (1, 2, 3, 4))
    ratio = f"{wall / med('mcpscore', 1):.0%} | {cpu / med('mcpscore', 2):.0%}" if p == "hallmark" else " | "
    print(f"| {sys.argv[2]} | {sys.argv[3]} ms | {p} | {wall / 1000:.2f} | {cpu / 1000:.3f} | {peak:.0f} | {n:.0f} | {ratio} |", flush=True)
PY
  done
done

if [ "${BENCH_LARGE:-1}" = 1 ]; then
  echo
  echo "| 10,000 tools on 100 pages | wall s | CPU s | peak MiB | requests |"
  echo "|---|---:|---:|---:|---:|"
  for lifecycle in stateful stateless dual stdio; do
    server=
    if [ $lifecycle = stdio ]; then
      target=(--stdio "$bin/manytools")
    else
      "$bin/manytools" -listen 127.0.0.1:0 -lifecycle $lifecycle > "$bin/url" &
      server=$!
      for _ in $(seq 100); do [ -s "$bin/url" ] && break; sleep 0.1; done
      target=("$(cat "$bin/url")")
    fi
    "$bin/measure" -n 3 -o "$bin/sample" -stdout "$bin/report" "$bin/hallmark" audit --json "${target[@]}" 2>/dev/null
    if [ -n "$server" ]; then kill "$server"; wait "$server" 2>/dev/null || true; fi
    "$python" - "$bin/sample" "$bin/report" $lifecycle <<'PY'
import json, sys
r, report = json.load(open(sys.argv[1])), json.load(open(sys.argv[2]))
tools = next(c for c in report["catalogs"] if c["name"] == "tools")
assert tools["items"] == 10000 and tools["complete"], tools
print(f"| {sys.argv[3]} | {r['wall_ms'] / 1000:.2f} | {r['cpu_ms'] / 1000:.2f} | {r['peak_mib']:.0f} | {report['measurements']['requests']} |")
PY
  done
fi
