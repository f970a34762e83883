package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authClientRegistrationAdvertised = rule.Rule{
	ID:       "auth_client_registration_advertised",
	Title:    "A new client can register with the authorization server",
	Group:    rule.Security,
	Order:    12,
	Severity: rule.Medium,
	Since:    spec.Rev20250618,
	Needs:    served,
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Client Registration Approaches"),
		spec.MCP(spec.Rev20250618, "Basic › Authorization › Dynamic Client Registration"),
	},
	Why:   "Where a client can neither show a client id document nor register itself, somebody has to register each client by hand first.",
	Fix:   "Accept client id metadata documents and say so in client_id_metadata_document_supported, or offer an https registration_endpoint (RFC 7591). Both are recommendations; pre-registration alone is allowed.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		documents, _ := p.Bool("auth_server_cimd_supported")
		endpoint, _ := p.Bool("auth_server_registration_endpoint")
		if documents || endpoint {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "no_registration", "neither client id documents nor an https registration endpoint are advertised", "one of the two")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p, m := o.Probe(observe.ProbeAuthMetadata), issuerDetails(o)
		m["client_id_metadata_document_supported"], _ = p.Bool("auth_server_cimd_supported")
		m["registration_endpoint"], _ = p.Bool("auth_server_registration_endpoint")
		return m
	},
}
