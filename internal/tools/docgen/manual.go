package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-hallmark/hallmark/internal/cli"
)

// writeManual writes what a release carries besides the program: hallmark.1, and completions under the names by which the shells look for
// them. The texts depend on nothing but the program.
func writeManual(dir string) error {
	root := cli.Commands()
	completions := filepath.Join(dir, "completions")
	if err := os.MkdirAll(completions, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "hallmark.1"), []byte(manual(root)), 0o644); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		"hallmark.bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_hallmark":     root.GenZshCompletionFile,
		"hallmark.fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
		"hallmark.ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}

// manual is the manual page in the man macros of roff (groff_man(7)).
func manual(root *cobra.Command) string {
	m := &manPage{}
	m.macro("TH", "HALLMARK", "1", "", "hallmark", "User Commands")
	m.macro("SH", "NAME")
	m.text("hallmark - " + strings.ToLower(root.Short[:1]) + root.Short[1:])
	m.macro("SH", "SYNOPSIS")
	for _, c := range visible(root) {
		if c.Runnable() {
			m.macro("PP")
			m.text(c.UseLine())
		}
	}
	m.macro("SH", "DESCRIPTION")
	m.prose(root.Long)
	m.macro("SH", "COMMANDS")
	for _, c := range visible(root) {
		m.macro("SS", c.CommandPath())
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		m.prose(about)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				m.flag(f)
			}
		})
		if c.Example != "" {
			m.macro("PP")
			m.text("Examples:")
			m.macro("PP")
			m.macro("nf")
			m.text(strings.TrimRight(dedent(c.Example), "\n"))
			m.macro("fi")
		}
	}
	m.macro("SH", "EXIT STATUS")
	for _, e := range exitCodes {
		m.item(fmt.Sprint(e.code), unquoted(e.meaning))
	}
	m.macro("SH", "ENVIRONMENT")
	for _, v := range variables {
		m.item(v.name, unquoted(v.meaning))
	}
	return m.b.String()
}

type manPage struct{ b strings.Builder }

// macro writes a request with its arguments.
func (m *manPage) macro(name string, args ...string) {
	m.b.WriteString("." + name)
	for _, a := range args {
		m.b.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	m.b.WriteByte('\n')
}

// text writes lines that begin no request, whatever stands in them.
func (m *manPage) text(text string) {
	for line := range strings.Lines(text) {
		line = roff(strings.TrimRight(line, "\n"))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		m.b.WriteString(line + "\n")
	}
}

func (m *manPage) prose(text string) {
	for p := range strings.SplitSeq(text, "\n\n") {
		m.macro("PP")
		m.text(p)
	}
}

func (m *manPage) item(term, text string) {
	m.macro("TP")
	m.macro("B", term)
	m.text(text)
}

func (m *manPage) flag(f *pflag.Flag) {
	argument, usage := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if argument != "" {
		name += " " + argument
	}
	if v := f.DefValue; v != "" && v != "[]" && v != "false" {
		usage += " (default " + v + ")"
	}
	m.item(name, usage)
}

// roff escapes what roff would take for its own.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
}

// unquoted drops the quotes of Markdown's code.
func unquoted(text string) string { return strings.ReplaceAll(text, "`", "") }
