package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesUriTemplatesValid = rule.Rule{
	ID:       "resource_templates_uri_templates_valid",
	Title:    "Every uriTemplate is a URI template",
	Group:    rule.ResourceTemplates,
	Order:    20,
	Severity: rule.High,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › ResourceTemplate"), spec.RFC(6570, "section 2")},
	Why:      "A client fills in the template to get a URI. One that breaks the grammar cannot be expanded, so nothing behind it can be read.",
	Fix:      "Write uriTemplate by RFC 6570: balanced braces, variable names of letters, digits, _ and dots, * or :n as modifiers, everything else percent-encoded.",
	Judge:    invalidTemplates,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"invalid_uri_templates": fields.Pairs(&o.ResourceTemplates, invalidTemplates(o), "uriTemplate", "uri_template")}
	},
}
