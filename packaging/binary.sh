#!/usr/bin/env bash
# Builds hallmark for one system, as the release does: binary.sh VERSION OS ARCH FILE, with Go's names of systems.
set -euo pipefail
version=$1 os=$2 arch=$3 file=$4
cd "$(dirname "${BASH_SOURCE[0]}")/.."
CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath \
  -ldflags "-s -w -X github.com/mcp-hallmark/hallmark/internal/cli.Version=$version" -o "$file" ./cmd/hallmark
