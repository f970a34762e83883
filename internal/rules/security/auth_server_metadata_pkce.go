package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authServerMetadataPkce = rule.Rule{
	ID:       "auth_server_metadata_pkce",
	Title:    "The authorization server advertises PKCE with S256",
	Group:    rule.Security,
	Order:    11,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs:    served,
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Authorization Code Protection"),
		spec.RFC(9700, "2.1.1 Authorization Code Grant"), spec.RFC(8414, "2 Authorization Server Metadata"),
	},
	Why:   "PKCE keeps a stolen authorization code useless. Clients must not go on with a server that does not say it supports it.",
	Fix:   "Support PKCE with S256 and list S256 in code_challenge_methods_supported.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		if yes, _ := p.Bool("auth_server_pkce_s256"); yes {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "no_s256", "code_challenge_methods_supported is missing or does not hold S256", "an array with S256")}
	},
	Details: issuerDetails,
}

func issuerDetails(o *observe.Observation) map[string]any {
	return map[string]any{"issuer": bounded(o.Probe(observe.ProbeAuthMetadata).Facts["auth_server_issuer"])}
}
