// Command hallmark audits MCP servers.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := cli.Main(ctx, os.Args[1:], cli.Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Width: cli.TerminalWidth,
	})
	stop()
	os.Exit(code)
}
