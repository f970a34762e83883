package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesDescriptionPresent = rule.Rule{
	ID:       "resource_templates_description_present",
	Title:    "Every resource template has a description",
	Group:    rule.ResourceTemplates,
	Order:    26,
	Severity: rule.Medium,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.Advice("a description is optional, and a model that must fill in the variables needs one"), spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate")},
	Why:      "To use a template a model must know what it yields and what its variables mean. Only the description says that.",
	Fix:      "Describe what each template yields, what its variables stand for and when to use it.",
	Judge:    undescribed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"templates_without_description": fields.Values(&o.ResourceTemplates, undescribed(o), "uriTemplate")}
	},
}
