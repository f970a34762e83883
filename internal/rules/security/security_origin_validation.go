package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var securityOriginValidation = rule.Rule{
	ID:       "security_origin_validation",
	Title:    "A foreign Origin is refused",
	Group:    rule.Security,
	Order:    4,
	Severity: rule.High,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{rule.NeedHTTP, rule.NeedProbe(observe.ProbeOriginValidation)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Transports › Streamable HTTP › Security Warning"),
		spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › Security & Endpoint"),
	},
	Why:   "A web page in the user's browser can reach servers on the user's machine by DNS rebinding. Its Origin gives it away, if the server looks at it.",
	Fix:   "Compare the Origin header of every request with a list of your own and answer 403 to any other; let requests without one pass.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeOriginValidation)
		if p.Status == 403 || !originStrict(o) && p.Status >= 400 && p.Status < 500 {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "foreign_origin_accepted", fmt.Sprintf("a request with a foreign Origin was answered with HTTP status %d", p.Status),
			"HTTP status "+originWant(o))}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeOriginValidation)
		m := probeDetails(p, "http_status", "control_http_status", "control_shape")
		if p.Has("modern_control_http_status") {
			m["modern_control_http_status"] = p.Facts["modern_control_http_status"]
		}
		m["spec"] = originSection(o).URL
		if p.Outcome == observe.Unsupported {
			m["expected"] = map[string]any{"http_status": originWant(o)}
		}
		return m
	},
}

// originStrict reports whether exactly 403 is asked for: since 2025-11-25. Before, the refusal was required and its status left open.
func originStrict(o *observe.Observation) bool {
	return o.Probe(observe.ProbeOriginValidation).Text("control_shape") == "modern" || !o.Negotiated.WellFormed() || o.Negotiated >= spec.Rev20251125
}

func originWant(o *observe.Observation) string {
	if originStrict(o) {
		return "403"
	}
	return "4xx"
}

func originSection(o *observe.Observation) spec.Citation {
	if o.Negotiated.Stateful() && o.Probe(observe.ProbeOriginValidation).Text("control_shape") != "modern" {
		return spec.MCP(o.Negotiated, "Basic › Transports › Streamable HTTP › Security Warning")
	}
	return spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › Security & Endpoint")
}
