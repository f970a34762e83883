// Command hallmark audits MCP servers.
package main

import (
	"os"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

func main() { os.Exit(cli.Run()) }
