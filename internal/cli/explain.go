package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
)

func newExplain(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "explain RULE",
		Short:   "Explain a rule: why it matters, how to fix what it finds, what grounds it, examples",
		Example: "  hallmark explain tools_names_unique",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("explain takes the id of one rule", "hallmark rules lists them")
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, r := range rules.All() {
				ids = append(ids, r.ID+"\t"+r.Title)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			for _, r := range rules.All() {
				if r.ID == args[0] {
					return explain(env.Stdout, r)
				}
			}
			return usage(fmt.Sprintf("there is no rule %q%s", args[0], nearestRule(args[0])), "hallmark rules lists them")
		},
	}
}

func explain(w io.Writer, r rule.Rule) error {
	cases, err := rules.Cases(r.ID)
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n\n", r.ID, r.Title)
	fmt.Fprintf(&b, "severity   %s\n", r.Severity)
	fmt.Fprintf(&b, "group      %s\n", r.Group)
	fmt.Fprintf(&b, "revisions  %s\n", window(r))
	for _, name := range policy.Names() {
		p, err := policy.Load(name)
		if err != nil {
			return err
		}
		if place, ok := p.Place(r.ID); ok {
			fmt.Fprintf(&b, "%-10s %s, %d points, category %s\n", name, place.Severity, place.Points, place.Category)
		} else {
			fmt.Fprintf(&b, "%-10s does not count\n", name)
		}
	}
	section := func(title, text string) { fmt.Fprintf(&b, "\n%s\n%s\n", title, wrapped(text, 78)) }
	section("Why it matters", r.Why)
	section("How to fix", r.Fix)
	b.WriteString("\nGrounded in\n")
	for _, c := range r.Basis {
		fmt.Fprintf(&b, "  %s\n", c)
		if c.URL != "" {
			fmt.Fprintf(&b, "    %s\n", c.URL)
		}
	}
	if len(r.OWASP) > 0 {
		fmt.Fprintf(&b, "\nOWASP MCP Top 10\n  %s\n", strings.Join(r.OWASP, ", "))
	}
	b.WriteString("\nExamples\n")
	for _, c := range cases {
		fmt.Fprintf(&b, "\n  %s\n", c.Name)
		for _, line := range strings.Split(visibleLines(c.Input), "\n") {
			fmt.Fprintf(&b, "    %s\n", line)
		}
		fmt.Fprintf(&b, "    -> %s\n", c.Verdict)
		for _, f := range c.Finds {
			fmt.Fprintf(&b, "       %s\n", visible(f))
		}
	}
	_, err = io.WriteString(w, b.String())
	return err
}

func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = visible(strings.TrimRight(l, " \t"))
	}
	return strings.Join(lines, "\n")
}

func window(r rule.Rule) string {
	switch {
	case r.Since == "" && r.Until == "":
		return "all"
	case r.Until == "":
		return "from " + string(r.Since)
	case r.Since == "":
		return "up to " + string(r.Until)
	}
	return string(r.Since) + " to " + string(r.Until)
}

// wrapped breaks text into lines of at most width columns, indented by two.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len(word) > width {
			b.WriteString("\n")
			column = 0
		}
		if column == 0 {
			b.WriteString("  ")
			column = 2
		} else {
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// nearestRule suggests a rule for an id that is none.
func nearestRule(typed string) string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.ID)
	}
	if id := nearest(typed, ids); id != "" {
		return fmt.Sprintf("; did you mean %q?", id)
	}
	return ""
}
