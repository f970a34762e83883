package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesTitlesPresent = rule.Rule{
	ID:       "resource_templates_titles_present",
	Title:    "Every resource template has a title",
	Group:    rule.ResourceTemplates,
	Order:    27,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.Advice("a title is optional, and people read it better than an identifier"), spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate")},
	Why:      "Clients show the title to people and fall back to the name, which is often written for programs.",
	Fix:      "Add a short title for display to each resource template.",
	Judge:    untitled,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"templates_without_title": fields.Values(&o.ResourceTemplates, untitled(o), "uriTemplate")}
	},
}
