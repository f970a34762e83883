package experimental

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalMadeUpSessionRefused = rule.Rule{
	ID:       "experimental_made_up_session_refused",
	Title:    "An unknown session id is answered with 404",
	Group:    rule.Experimental,
	Order:    10,
	Severity: rule.Medium,
	Since:    spec.Rev20250326,
	Until:    spec.LatestStateful,
	Needs:    []rule.Need{rule.NeedHTTP, needStreamable, rule.NeedProbe(observe.ProbeMadeUpSession)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Transports › Session Management"), spec.MCP(spec.Rev20251125, "Basic › Security Best Practices › Session Hijacking")},
	Why: "Status 404 tells a client that its session is gone and that it must begin again; after any other error it may repeat the request for ever." +
		" A server that serves an id it never issued does not look at the id at all, which then protects nothing.",
	Fix:   "Look every session id up, and answer one that you do not know with HTTP status 404 before anything else.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeMadeUpSession)
		if p.Outcome == observe.Supported {
			return nil
		}
		const want = "HTTP status 404"
		if served, _ := p.Bool("served"); served {
			return []rule.Finding{rule.AtProbe(p, "served", "a ping with a session id that nobody issued is answered", want)}
		}
		return []rule.Finding{rule.AtProbe(p, "wrong_status", fmt.Sprintf("HTTP status %d for a session id that nobody issued", p.Status), want)}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeMadeUpSession)
		return map[string]any{"http_status": p.Facts["http_status"], "served": p.Facts["served"]}
	},
}

// needStreamable wants the transport that has session ids in a header.
func needStreamable(o *observe.Observation) *rule.Skip {
	if o.Transport == recording.SSE {
		return rule.SkipFor(rule.NotApplicable, "the HTTP+SSE transport has no session ids of this kind")
	}
	return nil
}
