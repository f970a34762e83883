// Package cli is the command line: one file per command, flags and their checks, exit codes, and the wiring of collecting with judging.
// It decides nothing about servers.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/textscan"
)

// Exit codes. 0 to 4 mean what they mean to the users of the comparable tool; see docs/cli.md.
const (
	ExitOK          = 0
	ExitUsage       = 1   // wrong command line, configuration or output file
	ExitTarget      = 2   // the target could not be audited
	ExitGate        = 3   // the audit ran and a gate failed
	ExitSmoke       = 4   // a smoke check failed
	ExitPartly      = 5   // of several targets some could not be audited
	ExitInterrupted = 130 // SIGINT
)

// Env is what a run of the program touches outside itself.
type Env struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Getenv func(string) string
	Now    func() time.Time
	// Width returns the columns of the terminal that w is, 0 when it is none.
	Width func(w io.Writer) int
}

// Main runs the program and returns its exit code.
func Main(ctx context.Context, args []string, env Env) int {
	args, command := splitStdio(args)
	root := newRoot(&env, command)
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitOK
	}
	code := ExitOK
	for _, exit := range exitErrors(err) {
		if exit.message != "" {
			fmt.Fprintf(env.Stderr, "hallmark: error: %s\n", textscan.Visible(exit.message))
		}
		if exit.hint != "" {
			fmt.Fprintf(env.Stderr, "hallmark: hint: %s\n", textscan.Visible(exit.hint))
		}
		if code == ExitOK {
			code = exit.code
		}
	}
	return code
}

// exitErrors takes a joined error apart. The first one decides the exit code.
func exitErrors(err error) []*exitError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*exitError
		for _, e := range joined.Unwrap() {
			all = append(all, exitErrors(e)...)
		}
		return all
	}
	var exit *exitError
	if !errors.As(err, &exit) {
		exit = usage(err.Error(), "")
	}
	return []*exitError{exit}
}

// exitError ends the program with a code. Message and hint follow one form: lower case, no full stop, what was wrong and where, then what
// to do. An empty message ends it quietly, for what has been said in the report.
type exitError struct {
	code          int
	message, hint string
}

func (e *exitError) Error() string { return e.message }

func usage(message, hint string) *exitError {
	return &exitError{code: ExitUsage, message: message, hint: hint}
}

func newRoot(env *Env, stdio *stdioCommand) *cobra.Command {
	version := false
	root := &cobra.Command{
		Use:   "hallmark",
		Short: "Audit MCP servers: what they serve, how they serve it, and what that is worth",
		Long: `Hallmark connects to an MCP server, records what it answers, and judges the recording with rules that each cite their source.
It only reads: unless asked to, it calls no tool and changes nothing on the server.`,
		Example: `  hallmark audit https://example.com/mcp
  hallmark audit --stdio npx -y @modelcontextprotocol/server-everything
  hallmark replay audit.rec.json`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          knownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if version {
				return printVersion(env)
			}
			return cmd.Help()
		},
	}
	root.Flags().BoolVar(&version, "version", false, "print the version")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(err.Error(), "see "+cmd.CommandPath()+" --help")
	})
	root.AddCommand(newAudit(env, stdio), newWatch(env, stdio), newReplay(env), newBaseline(env, stdio), newLock(env, stdio), newDiff(env), newPolicy(env, stdio), newRules(env), newMCP(env), newExplain(env), newVersion(env))
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.HasSubCommands() { // completion: a shell that it does not know must not pass for a request for help
			c.Args = knownCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// knownCommand refuses a word that names no command, with the nearest one that does.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "see " + cmd.CommandPath() + " --help"
	if name := nearest(args[0], names); name != "" {
		hint = "did you mean " + cmd.CommandPath() + " " + name + "?"
	}
	return usage(fmt.Sprintf("%s has no command %q", cmd.CommandPath(), args[0]), hint)
}

// noWords refuses any word after a command that takes none.
func noWords(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usage(fmt.Sprintf("%s takes no %q", cmd.CommandPath(), args[0]), "see "+cmd.CommandPath()+" --help")
	}
	return nil
}

// reason is the last part of a file error, without the path that the message names already.
func reason(err error) string {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
