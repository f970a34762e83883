package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var securityHostHeaderValidation = rule.Rule{
	ID:       "security_host_header_validation",
	Title:    "A local server refuses a foreign Host",
	Group:    rule.Security,
	Order:    15,
	Severity: rule.Medium,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{rule.NeedHTTP, rule.NeedProbe(observe.ProbeHostValidation)},
	Basis: []spec.Citation{
		spec.Advice("the Host header shows a DNS rebinding attack even where a browser sends no Origin"),
		spec.MCP(spec.Rev20251125, "Basic › Transports › Streamable HTTP › Security Warning"),
	},
	Why:   "When a name of an attacker is rebound to this machine, the browser sends that name as Host. A server that knows its own names can refuse it.",
	Fix:   "Accept only the Host values under which the server is meant to be reached and answer others with 421 or 403.",
	OWASP: []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeHostValidation)
		if p.Outcome == observe.Supported {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "foreign_host_accepted", fmt.Sprintf("a request with a foreign Host was answered with HTTP status %d", p.Status), "a refusal such as HTTP status 421 or 403")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeHostValidation)
		m := probeDetails(p, "http_status", "control_http_status", "control_shape")
		m["spec"] = originSection(o).URL
		if p.Outcome == observe.Unsupported {
			m["expected"] = map[string]any{"http_status": "4xx"}
		}
		return m
	},
}
