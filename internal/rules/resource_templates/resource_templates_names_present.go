package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesNamesPresent = rule.Rule{
	ID:       "resource_templates_names_present",
	Title:    "Every resource template has a name",
	Group:    rule.ResourceTemplates,
	Order:    22,
	Severity: rule.Medium,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate")},
	Why:      "The name is what a person picks a template by when it has no title. The schema requires it.",
	Fix:      "Give each resource template a name that can be read.",
	Judge:    unnamed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"templates_without_name": fields.Values(&o.ResourceTemplates, unnamed(o), "uriTemplate")}
	},
}
