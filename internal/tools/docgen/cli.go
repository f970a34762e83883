package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

// exitCodes says what each way to end means.
var exitCodes = []struct {
	code    int
	meaning string
}{
	{cli.ExitOK, "The command did what it was asked; an audit that finds faults is one of these, as long as no gate was set."},
	{cli.ExitUsage, "The command line, a configuration or an output file is wrong. Nothing was audited, or the report could not be written."},
	{cli.ExitTarget, "The target could not be audited: nothing there answers, or what answers is no MCP server. The JSON report says why in `failure`."},
	{cli.ExitGate, "The audit ran and a gate such as `--fail-under` failed. Each gate that failed is named on standard error."},
	{cli.ExitSmoke, "A smoke check failed."},
	{cli.ExitPartly, "Of several targets some could not be audited, and the others were. The summary says which and why. A failed gate (3) comes first; where no target at all could be audited it is 2."},
	{cli.ExitInterrupted, "The run was interrupted (SIGINT). What was read so far is in the report."},
}

// variables are the variables of the environment that are read.
var variables = []struct{ name, meaning string }{
	{"HALLMARK_TOKEN", "Bearer token for a server at a URL, when `--token` is not given. Unlike a flag it does not show in the list of processes."},
	{"MCPSCORE_TOKEN", "The same, read when `HALLMARK_TOKEN` is not set."},
	{"HALLMARK_CLIENT_SECRET", "Secret of the OAuth client that `--client-id` names."},
	{"HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "Proxy for requests to URLs, in capitals or small letters. The report says that one was used."},
	{"NO_COLOR", "No colours on a terminal, when set to anything."},
	{"TERM", "`dumb` means no colours and no progress line."},
}

const cliIntro = `Reports go to standard output, everything else (progress, warnings, errors, gates) to standard error. ` + "`-h`" + ` or ` + "`--help`" + ` after any command shows this
text, ` + "`hallmark completion SHELL`" + ` writes completions for bash, zsh, fish and PowerShell.`

func cliPage() (string, error) {
	root := cli.Commands()
	var b strings.Builder
	b.WriteString("# Command line\n\n" + paragraphs(cliIntro) + "\n\n")
	var rows [][]string
	for _, c := range visible(root) {
		rows = append(rows, []string{"[" + c.CommandPath() + "](#" + strings.ReplaceAll(c.CommandPath(), " ", "-") + ")", escape(c.Short)})
	}
	b.WriteString(table([]string{"Command", "What it does"}, rows))
	rows = nil
	for _, e := range exitCodes {
		rows = append(rows, []string{fmt.Sprint(e.code), e.meaning})
	}
	b.WriteString("\n## Exit codes\n\n" + table([]string{"Code", "Meaning"}, rows))
	rows = nil
	for _, v := range variables {
		rows = append(rows, []string{code(v.name), v.meaning})
	}
	b.WriteString("\n## Environment\n\n" + table([]string{"Variable", "Meaning"}, rows))
	b.WriteString("\n" + wrap("A server that is started with `--stdio` sees none of these, only a short list (such as `PATH`, `HOME`, the locale and the folder for temporary files) and what `--env` names.", "") + "\n")
	for _, c := range visible(root) {
		writeCommand(&b, c)
	}
	return b.String(), nil
}

// visible lists the commands that people are shown, those below others after them.
func visible(parent *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		list = append(list, c)
		list = append(list, visible(c)...)
	}
	return list
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", c.CommandPath())
	b.WriteString("```\n" + strings.TrimSpace(c.UseLine()) + "\n```\n")
	about := c.Long
	if about == "" {
		about = c.Short + "."
	}
	for _, p := range strings.Split(about, "\n\n") {
		b.WriteString("\n" + wrap(escape(p), "") + "\n")
	}
	if c.Example != "" {
		b.WriteString("\nExamples:\n\n```\n" + strings.TrimRight(dedent(c.Example), "\n") + "\n```\n")
	}
	var rows [][]string
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		rows = append(rows, flagRow(f))
	})
	if len(rows) > 0 {
		b.WriteString("\n" + table([]string{"Flag", "Default", "Meaning"}, rows))
	}
}

func flagRow(f *pflag.Flag) []string {
	argument, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if argument != "" {
		name += " " + argument
	}
	value := f.DefValue
	if value == "[]" || value == "false" {
		value = ""
	}
	if value != "" {
		value = code(value)
	}
	return []string{cell(code(name)), cell(value), escape(usage)}
}

// cell keeps code from ending a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func dedent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
