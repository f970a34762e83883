package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesTitlesPresent = rule.Rule{
	ID:       "resources_titles_present",
	Title:    "Every resource has a title",
	Group:    rule.Resources,
	Order:    8,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.Advice("a title is optional, and people read it better than an identifier"), spec.MCP(spec.Rev20251125, "Server › Resources › Resource")},
	Why:      "Clients show the title to people and fall back to the name, which is often written for programs.",
	Fix:      "Add a short title for display to each resource.",
	Judge:    untitled,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"resources_without_title": fields.Values(&o.Resources, untitled(o), "uri")}
	},
}
