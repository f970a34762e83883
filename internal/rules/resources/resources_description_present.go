package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesDescriptionPresent = rule.Rule{
	ID:       "resources_description_present",
	Title:    "Every resource has a description",
	Group:    rule.Resources,
	Order:    6,
	Severity: rule.Medium,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.Advice("a description is optional, and a model that must choose needs one"), spec.MCP(spec.Rev20251125, "Server › Resources › Resource")},
	Why:      "The description tells a person and a model what a resource holds before it is read. A name alone rarely does.",
	Fix:      "Describe in a sentence what each resource holds and what it is good for.",
	Judge:    undescribed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"resources_without_description": fields.Values(&o.Resources, undescribed(o), "name")}
	},
}
