package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesNamesPresent = rule.Rule{
	ID:       "resources_names_present",
	Title:    "Every resource has a name",
	Group:    rule.Resources,
	Order:    2,
	Severity: rule.Medium,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Resources › Resource"), spec.MCP(spec.Rev20251125, "Schema › Resource")},
	Why:      "The name is what a person picks a resource by when it has no title. The schema requires it.",
	Fix:      "Give each resource a name that can be read.",
	Judge:    unnamed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"resources_without_name": fields.Values(&o.Resources, unnamed(o), "uri")}
	},
}
