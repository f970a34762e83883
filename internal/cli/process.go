package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Run runs the program with the arguments, streams and environment of this process and returns its exit code. The first SIGINT ends an
// audit in good order: its processes are stopped and what was read so far is reported. So do SIGTERM and SIGHUP, since the processes of a
// server stand in groups of their own and would outlive us.
func Run() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	return Main(ctx, os.Args[1:], Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Width: TerminalWidth,
	})
}
