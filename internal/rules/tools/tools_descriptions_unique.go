package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsDescriptionsUnique = rule.Rule{
	ID:       "tools_descriptions_unique",
	Title:    "Tool descriptions tell the tools apart",
	Group:    rule.Tools,
	Order:    21,
	Severity: rule.Low,
	Catalog:  "tools",
	Needs: []rule.Need{rule.NeedWhole(rule.PickTools),
		needDescriptions(2, "fewer than two tools have a description to compare")},
	Basis: []spec.Citation{spec.Advice("a model chooses between tools by their descriptions"), spec.MCP(spec.Rev20251125, "Server › Tools › User Interaction Model")},
	Why:   "Of two tools with one description a model can only take one by chance.",
	Fix:   "Say in each description what sets the tool apart and when to prefer it.",
	Judge: repeatedDescriptions,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_description_groups": descriptionGroups(o)}
	},
}
