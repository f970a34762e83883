package transport

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var transportGetStreamContract = rule.Rule{
	ID:       "transport_get_stream_contract",
	Title:    "GET opens an event stream or gets 405",
	Group:    rule.Transport,
	Order:    5,
	Severity: rule.Low,
	Since:    spec.Rev20250326,
	Until:    spec.Rev20251125,
	Needs:    []rule.Need{needStreamable, rule.NeedProbe(observe.ProbeGetStream)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Basic › Transports › Listening for Messages from the Server")},
	Why:      "Clients ask with GET whether the server has a stream for them. Anything but a stream or a plain no makes them try again and again.",
	Fix:      "Answer GET with a text/event-stream, or with status 405 when the server offers none.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeGetStream)
		if p.Outcome == observe.Supported {
			return nil
		}
		seen := httpStatus(p)
		if t := p.Text("content_type"); t != "" {
			seen += " with content type " + t
		}
		return []rule.Finding{rule.AtProbe(p, "neither_stream_nor_405", seen+" for GET", "text/event-stream, or HTTP status 405")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeGetStream)
		details := pick(p, "http_status", "content_type")
		details["spec"] = page(o, spec.LatestStateful, "#listening-for-messages-from-the-server")
		if p.Outcome == observe.Unsupported {
			details["expected"] = map[string]any{"http_status": "405 or 2xx text/event-stream"}
		}
		return details
	},
}
