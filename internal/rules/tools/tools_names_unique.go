package tools

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsNamesUnique = rule.Rule{
	ID:       "tools_names_unique",
	Title:    "Tool names are unique",
	Group:    rule.Tools,
	Order:    3,
	Severity: rule.Critical,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedWhole(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Tools › Tool Names").WithSEP(986)},
	Why:      "A client calls a tool by its name alone. Of two tools with one name only one can be reached, and which one differs between clients.",
	Fix:      "Give every tool a name of its own.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		counts := nameCounts(o.Tools.Items)
		var found []rule.Finding
		for _, item := range o.Tools.Items {
			if name, ok := item.Get("name").Text(); ok && counts[name] > 1 {
				found = append(found, rule.AtItem("tool", item, "/name", "duplicate_name",
					fmt.Sprintf("%d tools are called %q", counts[name], name), "a name that no other tool has"))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		counts := nameCounts(o.Tools.Items)
		all := make(map[string]any, len(counts))
		var duplicates []string
		for _, item := range o.Tools.Items {
			name, ok := item.Get("name").Text()
			if !ok {
				continue
			}
			if _, seen := all[name]; !seen && counts[name] > 1 {
				duplicates = append(duplicates, name)
			}
			all[name] = counts[name]
		}
		return map[string]any{"duplicate_names": duplicates, "name_counts": all}
	},
}

func nameCounts(items []observe.Item) map[string]int {
	counts := map[string]int{}
	for _, item := range items {
		if name, ok := item.Get("name").Text(); ok {
			counts[name]++
		}
	}
	return counts
}
