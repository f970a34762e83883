package resources

import (
	"github.com/mcp-hallmark/hallmark/internal/fields"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var resourcesUrisValid = rule.Rule{
	ID:       "resources_uris_valid",
	Title:    "Every resource has an absolute URI",
	Group:    rule.Resources,
	Order:    1,
	Severity: rule.High,
	Catalog:  "resources",
	Needs:    []rule.Need{rule.NeedItems(rule.PickResources)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Resources › Custom URI Schemes"), spec.MCP(spec.Rev20251125, "Schema › Resource"), spec.RFC(3986, "section 3")},
	Why:      "A client reads a resource by its URI and by nothing else. Text that is no URI gets re-encoded, resolved against something or refused on the way, so that the read fails.",
	Fix:      "Give each resource a URI with a scheme, percent-encode every character that RFC 3986 does not allow, and list parameterised addresses as resource templates.",
	Judge:    invalidURIs,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"invalid_resource_uris": fields.Pairs(&o.Resources, invalidURIs(o), "uri", "uri")}
	},
}
