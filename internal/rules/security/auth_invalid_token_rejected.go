package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authInvalidTokenRejected = rule.Rule{
	ID:       "auth_invalid_token_rejected",
	Title:    "A made-up token is refused",
	Group:    rule.Security,
	Order:    13,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs:    []rule.Need{needGate, needTokenProbe},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Authorization › Token Handling"),
		spec.RFC(6750, "3.1 Error Codes"),
	},
	Why:   "A server that only looks whether there is a token, and not whether it is one, is open to everybody.",
	Fix:   "Check signature or introspection, expiry and audience of every token and answer 401 when any of them fails.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeInvalidToken)
		if p.Outcome == observe.Supported {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "invalid_token_served", fmt.Sprintf("%s with a made-up bearer token was served", p.Text("method")), "HTTP status 401")}
	},
	Details: func(o *observe.Observation) map[string]any {
		m := probeDetails(o.Probe(observe.ProbeInvalidToken), "method", "http_status", "anonymous_http_status")
		if m["anonymous_http_status"] == nil {
			m["anonymous_http_status"] = o.Probe(observe.ProbeUnauthenticated).Facts["http_status"]
		}
		return m
	},
}

func needTokenProbe(o *observe.Observation) *rule.Skip {
	if s := rule.NeedProbe(observe.ProbeInvalidToken)(o); s != nil {
		return rule.SkipFor(rule.Insufficient, "%s", s.Text)
	}
	return nil
}
