package transport

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var transportSessionDelete = rule.Rule{
	ID:       "transport_session_delete",
	Title:    "DELETE ends a session, or gets 405",
	Group:    rule.Transport,
	Order:    6,
	Severity: rule.Low,
	Since:    spec.Rev20250326,
	Until:    spec.Rev20251125,
	Needs:    []rule.Need{needStreamable, rule.NeedProbe(observe.ProbeSessionDelete)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Transports › Session Management")},
	Why:      "Clients end their sessions so that the server can free them, and start a new one when they see 404. Another status leaves sessions behind, or clients stuck in a dead one.",
	Fix:      "End the session on DELETE and answer 404 to its id from then on, or refuse DELETE with 405.",
	OWASP:    []string{"MCP07:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeSessionDelete)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, seen := "delete_refused", httpStatus(p)+" for DELETE"
		if after, sent := p.Int("after_delete_http_status"); sent && p.Status < 300 {
			reason, seen = "ended_session_not_404", fmt.Sprintf("HTTP status %d for the session's id after DELETE", after)
		}
		return []rule.Finding{rule.AtProbe(p, reason, seen, "2xx and then 404, or 405")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeSessionDelete)
		details := pick(p, "http_status", "after_delete_http_status")
		details["spec"] = page(o, spec.LatestStateful, "#session-management")
		if p.Outcome == observe.Unsupported {
			details["expected"] = map[string]any{"http_status": "2xx then 404, or 405"}
		}
		return details
	},
}
