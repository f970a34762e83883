package cli

import (
	"os"
	"time"

	"github.com/spf13/cobra"
)

// Commands returns the command line as a tree of commands with their flags, for the documentation. Nothing of it is meant to be run.
func Commands() *cobra.Command {
	env := &Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Getenv: func(string) string { return "" }, Now: func() time.Time { return time.Time{} }, Width: TerminalWidth,
	}
	return newRoot(env, &stdioCommand{})
}
