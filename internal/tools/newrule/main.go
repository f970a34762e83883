// Command newrule writes the two files of a new rule: its declaration and its golden. Usage: newrule GROUP ID, from the root of the
// module; then fill in both and run make generate.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: newrule GROUP ID")
		os.Exit(1)
	}
	if err := create(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "newrule:", err)
		os.Exit(1)
	}
}

func create(group, id string) error {
	dir := filepath.Join("internal", "rules", group)
	if _, err := os.Stat(dir); err != nil {
		return fmt.Errorf("group %q: %w", group, err)
	}
	name := camel(id)
	declaration := fmt.Sprintf(`package %s

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var %s = rule.Rule{
	ID:       %q,
	Title:    "",
	Group:    %q,
	Order:    0,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedAccess},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "")},
	Why:      "",
	Fix:      "",
	Judge: func(o *observe.Observation) []rule.Finding {
		return nil
	},
}
`, group, name, id, group)
	golden := "# The worked examples of " + id + ".\n\ncase: what passes\ninput: {}\n-> pass\n\ncase: what fails\ninput: {}\n-> fail\n\ncase: what cannot be judged\ninput: {\"partial\":true}\n-> skip insufficient-data\n"
	if err := writeNew(filepath.Join(dir, id+".go"), declaration); err != nil {
		return err
	}
	return writeNew(filepath.Join(dir, "testdata", id+".txt"), golden)
}

func camel(id string) string {
	parts := strings.Split(id, "_")
	for i, p := range parts[1:] {
		if p != "" {
			parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "")
}

func writeNew(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
