package security

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/challenge"
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
	"github.com/mcp-hallmark/hallmark/internal/textscan"
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
		m := probeDetails(o.Probe(observe.ProbeUnauthenticated), "www_authenticate", "http_status")
		if m["www_authenticate"] != nil {
			m["www_authenticate"] = challengeText(o)
		}
		return m
	},
}

// challengeText writes the challenges with credentials masked in each value by itself: in the whole header the words after "Bearer" would
// look like a token.
func challengeText(o *observe.Observation) string {
	var list []string
	for _, c := range challenge.Parse(o.Probe(observe.ProbeUnauthenticated).Text("www_authenticate")) {
		for i, p := range c.Params {
			c.Params[i].Value = textscan.Mask(p.Value)
		}
		list = append(list, c.String())
	}
	return clip(strings.Join(list, ", "))
}
