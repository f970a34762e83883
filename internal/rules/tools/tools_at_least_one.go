package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsAtLeastOne = rule.Rule{
	ID:       "tools_at_least_one",
	Title:    "The server offers a tool",
	Group:    rule.Tools,
	Order:    1,
	Severity: rule.Critical,
	Catalog:  "tools",
	Needs:    []rule.Need{needListing},
	Basis:    []spec.Citation{spec.Advice("a server without tools gives a model nothing to call"), spec.MCP(spec.Rev20251125, "Server › Tools › User Interaction Model")},
	Why:      "Under the edition of the methodology that scores this rule, a server is audited for its tools. Revisions since 2024-11-05 make every kind of feature optional, so later editions ask for any of them instead.",
	Fix:      "Offer at least one tool, or be judged under a roster that counts resources, prompts and skills too.",
	Judge:    noTools,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tool_count": len(o.Tools.Items)}
	},
}
