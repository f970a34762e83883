// Command docgen writes the pages of docs that follow from the program: rules.md, owasp.md, cli.md and differences.md. Run it from the root
// of the module; with -check it changes nothing and fails when a page is stale. With -manual it writes the manual page and the completions of a
// release into a folder instead.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// pages are what is written, in this order.
var pages = []struct {
	path  string
	write func() (string, error)
}{
	{"docs/rules.md", rulesPage},
	{"docs/owasp.md", owaspPage},
	{"docs/cli.md", cliPage},
	{"docs/differences.md", func() (string, error) { return differencesPage("docs/differences") }},
}

const notice = "<!-- Written by docgen. Do not edit: change what it is made from and run make generate. -->\n\n"

func main() {
	check := flag.Bool("check", false, "fail when a page is stale instead of writing it")
	folder := flag.String("manual", "", "`folder` for the manual page and the completions of a release")
	flag.Parse()
	if *folder != "" {
		if err := writeManual(*folder); err != nil {
			fmt.Fprintln(os.Stderr, "docgen:", err)
			os.Exit(1)
		}
		return
	}
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	var stale []string
	for _, p := range pages {
		text, err := p.write()
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		page := []byte(notice + strings.TrimRight(text, "\n") + "\n")
		old, err := os.ReadFile(p.path)
		switch {
		case err == nil && bytes.Equal(old, page):
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return err
		case check:
			stale = append(stale, p.path)
		default:
			if err := os.WriteFile(p.path, page, 0o644); err != nil {
				return err
			}
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("stale: %s; run make generate", strings.Join(stale, ", "))
	}
	return nil
}
