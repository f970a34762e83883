package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesUrisUnique = rule.Rule{
	ID:       "resources_uris_unique",
	Title:    "Resource URIs are unique",
	Group:    rule.Resources,
	Order:    7,
	Severity: rule.High,
	Catalog:  "resources",
	Needs:    []rule.Need{fields.NeedComparable(rule.PickResources, "uri")},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Resources › Resource")},
	Why:      "Reads and subscriptions name a resource by its URI. Of two resources with one URI only one can be meant, and which one is chance.",
	Fix:      "List each URI once; give different content different URIs.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		return fields.Repeated("resource", &o.Resources, "uri", "duplicate_uri", "a URI that no other resource has")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"duplicate_uris": fields.RepeatedTexts(&o.Resources, "uri")}
	},
}
