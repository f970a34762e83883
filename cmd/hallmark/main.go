// Command hallmark audits MCP servers.
package main

import (
	"os"

	_ "github.com/mcp-hallmark/hallmark/cmd/hallmark/collector"
	"github.com/mcp-hallmark/hallmark/internal/cli"
)

func main() { os.Exit(cli.Run()) }
