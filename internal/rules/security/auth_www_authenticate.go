package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var authWwwAuthenticate = rule.Rule{
	ID:       "auth_www_authenticate",
	Title:    "A 401 carries a challenge",
	Group:    rule.Security,
	Order:    4,
	Severity: rule.High,
	Since:    spec.Rev20250618,
	Needs: []rule.Need{func(o *observe.Observation) *rule.Skip {
		if p := o.Probe(observe.ProbeUnauthenticated); !overStdio(o) && p.Outcome == observe.Supported && p.Status == 403 && !challenged(p) {
			return rule.SkipFor(rule.NotApplicable, "HTTP asks for a challenge with 401, not with 403")
		}
		return needGate(o)
	}},
	Basis: []spec.Citation{
		spec.RFC(9110, "15.5.2 401 Unauthorized"),
		spec.RFC(6750, "3 The WWW-Authenticate Response Header Field"),
		spec.MCP(spec.Rev20250618, "Basic › Authorization › Authorization Server Location"),
	},
	Why:   "The challenge is how a client learns that it needs a token and where to begin; without it the refusal is a dead end.",
	Fix:   "Send a WWW-Authenticate header with a Bearer challenge whenever you answer 401.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeUnauthenticated)
		if challenged(p) {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "no_challenge", fmt.Sprintf("HTTP status %d without a WWW-Authenticate header that says anything", p.Status), "a WWW-Authenticate header with a challenge")}
	},
	Details: func(o *observe.Observation) map[string]any {
		return probeDetails(o.Probe(observe.ProbeUnauthenticated), "www_authenticate", "http_status")
	},
}
