package resource_templates

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourceTemplatesUnique = rule.Rule{
	ID:       "resource_templates_unique",
	Title:    "URI templates are unique",
	Group:    rule.ResourceTemplates,
	Order:    21,
	Severity: rule.High,
	Catalog:  "resource_templates",
	Needs:    []rule.Need{rule.NeedWhole(rule.PickResourceTemplates)},
	Basis:    []spec.Citation{spec.Advice("clients tell templates apart by their uriTemplate"), spec.MCP(spec.Rev20251125, "Server › Resources › Resource Templates")},
	Why:      "Two entries with one uriTemplate build the same URIs, so a client cannot tell which description holds for what it reads.",
	Fix:      "List each uriTemplate once; merge the descriptions or tell the addresses apart.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return fields.Repeated("resource_template", &o.ResourceTemplates, "uriTemplate", "duplicate_uri_template", "a template that stands once")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_uri_templates": fields.RepeatedTexts(&o.ResourceTemplates, "uriTemplate")}
	},
}
