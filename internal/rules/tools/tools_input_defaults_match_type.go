package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/lexical"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsInputDefaultsMatchType = rule.Rule{
	ID:       "tools_input_defaults_match_type",
	Title:    "Defaults fit their parameters",
	Group:    rule.Tools,
	Order:    23,
	Severity: rule.Medium,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools), needDefaults},
	Basis:    []spec.Citation{{Document: "JSON Schema", Revision: "2020-12", Section: "Validation › 9.2 default", URL: "https://json-schema.org/draft/2020-12/json-schema-validation#section-9.2"}, spec.MCP(spec.Rev20251125, "Server › Tools › Tool")},
	Why:      "Clients fill in defaults and models copy them. One that its own schema rejects makes the simplest call fail.",
	Fix:      "Make each default fit the schema it stands in: allow null there if null is meant, or take the default out.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, m := range misfits(o) {
			found = append(found, at(m.item, "/inputSchema"+m.Pointer+"/default", "default_type_mismatch",
				"the default "+lexical.Excerpt(m.Default)+" is rejected by "+m.Keyword, "a default that is valid where it stands"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		list := []map[string]any{}
		for _, m := range misfits(o) {
			if len(list) == 20 {
				break
			}
			entry := map[string]any{"tool": m.item.Label(), "default_type": m.Default.Kind().String(), "mismatch": m.Keyword, "path": orRoot(m.Pointer)}
			if m.Keyword == "type" {
				entry["declared_type"] = observe.Plain(m.Type)
			}
			list = append(list, entry)
		}
		return map[string]any{"mismatched_defaults": list}
	},
}
