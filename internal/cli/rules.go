package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcp-hallmark/hallmark/internal/policy"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/rules"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

// listedRule is a rule as hallmark rules --json shows it.
type listedRule struct {
	ID       string          `json:"rule_id"`
	Title    string          `json:"title"`
	Group    rule.Group      `json:"group"`
	Category string          `json:"category,omitempty"` // of the roster, empty when the rule does not count there
	Severity rule.Severity   `json:"severity"`
	Points   int             `json:"points"`
	Since    spec.Revision   `json:"since,omitempty"`
	Until    spec.Revision   `json:"until,omitempty"`
	Basis    []spec.Citation `json:"basis"`
	Why      string          `json:"why"`
	Fix      string          `json:"fix"`
	OWASP    []string        `json:"owasp,omitempty"`
}

func newRules(env *Env) *cobra.Command {
	var asJSON bool
	var roster string
	cmd := &cobra.Command{
		Use:   "rules [flags]",
		Short: "List every rule",
		Args:  noWords,
		RunE: func(*cobra.Command, []string) error {
			p, err := policy.Load(roster)
			if err != nil {
				return usage(err.Error(), "")
			}
			list := listRules(p)
			if asJSON {
				enc := json.NewEncoder(env.Stdout)
				enc.SetIndent("", "  ")
				enc.SetEscapeHTML(false)
				return enc.Encode(list)
			}
			group := rule.Group("")
			for _, r := range list {
				if r.Group != group {
					if group != "" {
						fmt.Fprintln(env.Stdout)
					}
					group = r.Group
					fmt.Fprintf(env.Stdout, "%s\n", strings.ReplaceAll(string(group), "_", " "))
				}
				points := fmt.Sprintf("%d", r.Points)
				if r.Category == "" {
					points = "-"
				}
				fmt.Fprintf(env.Stdout, "  %-8s %s  %-52s %s\n", r.Severity, points, r.ID, r.Title)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.Flags().StringVar(&roster, "policy", "", "`roster` whose points to show (roster_150, roster_102)")
	return cmd
}

func listRules(p *policy.Policy) []listedRule {
	var list []listedRule
	for _, r := range rules.All() {
		l := listedRule{ID: r.ID, Title: r.Title, Group: r.Group, Severity: r.Severity, Since: r.Since, Until: r.Until, Basis: r.Basis, Why: r.Why, Fix: r.Fix, OWASP: r.OWASP}
		if place, ok := p.Place(r.ID); ok {
			l.Category, l.Severity, l.Points = place.Category, place.Severity, place.Points
		}
		list = append(list, l)
	}
	return list
}
