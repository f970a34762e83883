#!/usr/bin/env bash
# The step of action.yml that audits. It fails only when the audit left no report; the exit code is an output, so that the report still
# reaches the summary, the comment and code scanning.
set -euo pipefail

hallmark=${HALLMARK_BINARY:-$RUNNER_TEMP/hallmark/hallmark}
reports=$RUNNER_TEMP/hallmark-reports
rm -rf "$reports"
mkdir -p "$reports"

words=(audit)
for format in json md html sarif; do
  words+=(--output "$reports/report.$format")
done
if [ -n "${HALLMARK_FAIL_UNDER:-}" ]; then words+=(--fail-under "$HALLMARK_FAIL_UNDER"); fi
if [ -n "${HALLMARK_BASELINE:-}" ]; then words+=(--baseline "$HALLMARK_BASELINE"); fi
while IFS= read -r word; do
  if [ -n "$word" ]; then words+=("$word"); fi
done <<<"${HALLMARK_ARGS:-}"

if [ -n "${HALLMARK_TARGET:-}" ] && [ -n "${HALLMARK_COMMAND:-}" ]; then
  echo "::error::hallmark: give target or command, not both"
  exit 1
elif [ -n "${HALLMARK_COMMAND:-}" ]; then
  words+=(--stdio)
  command=${HALLMARK_COMMAND%$'\n'}
  if [[ $command == *$'\n'* ]]; then
    while IFS= read -r word; do
      if [ -n "$word" ]; then words+=("$word"); fi
    done <<<"$command"
  else
    read -ra split <<<"$command"
    words+=("${split[@]}")
  fi
elif [ -n "${HALLMARK_TARGET:-}" ]; then
  words+=(-- "$HALLMARK_TARGET")
else
  echo "::error::hallmark: neither target nor command is given"
  exit 1
fi

code=0
"$hallmark" "${words[@]}" || code=$?
if [ ! -s "$reports/report.json" ]; then
  echo "::error::hallmark: the audit left no report (exit code $code)"
  exit "$((code == 0 ? 1 : code))"
fi
{
  echo "exit-code=$code"
  echo "score=$(jq -r '.percentage // empty' "$reports/report.json")"
  echo "reports=$reports"
} >>"$GITHUB_OUTPUT"
if [ "${HALLMARK_SUMMARY:-true}" = true ]; then cat "$reports/report.md" >>"$GITHUB_STEP_SUMMARY"; fi
