package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesMimeTypesValid = rule.Rule{
	ID:       "resources_mime_types_valid",
	Title:    "Resource MIME types are well-formed",
	Group:    rule.Resources,
	Order:    4,
	Severity: rule.Medium,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › Resource"), spec.RFC(9110, "section 8.3.1")},
	Why:      "Clients choose by the MIME type how to show a resource or whether to hand it to a model. A value that is none leaves them guessing.",
	Fix:      "Write mimeType as type/subtype with optional parameters (text/markdown; charset=utf-8), or leave it out.",
	Judge:    invalidMediaTypes,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"resources_with_invalid_mime_type": fields.Pairs(&o.Resources, invalidMediaTypes(o), "mimeType", "mime_type")}
	},
}
