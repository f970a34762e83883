package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesAnnotationsValid = rule.Rule{
	ID:       "resource_templates_annotations_valid",
	Title:    "Resource template annotations hold allowed values",
	Group:    rule.ResourceTemplates,
	Order:    25,
	Severity: rule.Medium,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Resources › Annotations"), spec.MCP(spec.Rev20251125, "Schema › Annotations")},
	Why:      "Clients filter by audience, rank by priority and sort by lastModified. A value outside what the specification defines is ignored at best; some clients refuse the whole list.",
	Fix:      "Use user and assistant in audience, a number from 0 to 1 as priority and an ISO 8601 timestamp as lastModified, or leave the member out.",
	Judge:    invalidAnnotations,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"templates_with_invalid_annotations": fields.Values(&o.ResourceTemplates, invalidAnnotations(o), "uriTemplate")}
	},
}
