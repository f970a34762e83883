package transport

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var transportNotificationAccepted = rule.Rule{
	ID:       "transport_notification_accepted",
	Title:    "Notifications get 202 without a body, or a refusal",
	Group:    rule.Transport,
	Order:    2,
	Severity: rule.Low,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{needStreamable, rule.NeedProbe(observe.ProbeNotificationAccepted)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Transports › Sending Messages to the Server"),
		spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › Sending Messages"),
	},
	Why: "A notification has no answer. A client that finds a body or another status where 202 belongs may wait for a message that never comes, or take the body for one.",
	Fix: "Answer a notification that you accept with status 202 and no body, and one that you refuse with a status of 400 or above.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeNotificationAccepted)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, seen := "wrong_status", httpStatus(p)
		if body, known := p.Bool("body_present"); known && body {
			seen += " with a body"
			if p.Status == 202 {
				reason = "body_present"
			}
		}
		return []rule.Finding{rule.AtProbe(p, reason, seen+" for a notification", "HTTP status 202 without a body")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeNotificationAccepted)
		details := pick(p, "http_status", "body_present", "shape")
		details["spec"] = page(o, spec.Latest, "#sending-messages-to-the-server")
		if o.Negotiated == "" || o.Negotiated.AtLeast(spec.Latest) {
			details["spec"] = page(o, spec.Latest, "#sending-messages")
		}
		if p.Outcome == observe.Unsupported {
			details["expected"] = map[string]any{"http_status": 202, "body": "empty"}
		}
		return details
	},
}
