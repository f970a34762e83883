package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesMimeTypesValid = rule.Rule{
	ID:       "resource_templates_mime_types_valid",
	Title:    "Resource template MIME types are well-formed",
	Group:    rule.ResourceTemplates,
	Order:    24,
	Severity: rule.Medium,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate"), spec.RFC(9110, "section 8.3.1")},
	Why:      "The MIME type promises what every resource behind the template will be. A value that is no media type promises nothing.",
	Fix:      "Write mimeType as type/subtype with optional parameters, and only when it holds for every resource of the template.",
	Judge:    invalidMediaTypes,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"templates_with_invalid_mime_type": fields.Pairs(&o.ResourceTemplates, invalidMediaTypes(o), "mimeType", "mime_type")}
	},
}
