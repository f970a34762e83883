package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authIssParameterSupported = rule.Rule{
	ID:       "auth_iss_parameter_supported",
	Title:    "Authorization responses name their issuer",
	Group:    rule.Security,
	Order:    12,
	Severity: rule.Low,
	Since:    spec.Rev20260728,
	Needs:    append(served[:len(served):len(served)], needIssRevision),
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Authorization › Authorization Response Validation"),
		spec.RFC(9207, "2.3 Authorization Server Metadata"),
	},
	Why:   "The iss parameter lets a client that talks to several authorization servers notice when one passes off another's answer as its own.",
	Fix:   "Send iss in authorization responses and set authorization_response_iss_parameter_supported to true.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeAuthMetadata)
		if yes, _ := p.Bool("auth_server_iss_parameter_supported"); yes {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "iss_not_advertised", "authorization_response_iss_parameter_supported is not true", "true")}
	},
	Details: issuerDetails,
}

// needIssRevision wants the revision to be known: older ones do not mention the parameter.
func needIssRevision(o *observe.Observation) *rule.Skip {
	if !o.Negotiated.WellFormed() {
		return rule.SkipFor(rule.Insufficient, "the parameter came with revision 2026-07-28, and the server's revision is not known")
	}
	return nil
}
