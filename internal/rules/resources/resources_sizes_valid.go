package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesSizesValid = rule.Rule{
	ID:       "resources_sizes_valid",
	Title:    "Resource sizes are byte counts",
	Group:    rule.Resources,
	Order:    3,
	Severity: rule.Medium,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Resource")},
	Why:      "Hosts use the size to show it and to estimate what reading the resource will cost. A value that is no count of bytes misleads both.",
	Fix:      "Send size as a whole number of bytes, 0 or more, or leave it out when it is not known.",
	Judge:    invalidSizes,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"resources_with_invalid_size": fields.Pairs(&o.Resources, invalidSizes(o), "size", "size")}
	},
}
