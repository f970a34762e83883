package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authScopesAdvertised = rule.Rule{
	ID:       "auth_scopes_advertised",
	Title:    "The metadata lists the scopes",
	Group:    rule.Security,
	Order:    9,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Needs:    documented,
	Basis: []spec.Citation{
		spec.RFC(9728, "2 Protected Resource Metadata"),
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Scope Selection Strategy"),
	},
	Why:   "A client that does not know the scopes asks for none or for everything, and the user approves more than is needed.",
	Fix:   "List the scopes that clients may ask for in scopes_supported.",
	OWASP: []string{"MCP02:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		if list, ok := o.Probe(observe.ProbeAuthMetadata).Facts["scopes_supported"].([]any); ok && len(list) > 0 {
			return nil
		}
		return []rule.Finding{atMetadata(o, "/scopes_supported", "no_scopes", "scopes_supported is missing, empty or no array", "an array with at least one scope")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return probeDetails(o.Probe(observe.ProbeAuthMetadata), "scopes_supported")
	},
}
