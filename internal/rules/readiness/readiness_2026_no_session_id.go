package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026NoSessionId = rule.Rule{
	ID:       "readiness_2026_no_session_id",
	Title:    "Session ids are ignored and not handed out",
	Group:    rule.Readiness,
	Order:    11,
	Severity: rule.High,
	Needs:    overHTTP(observe.ProbeSessionIDEcho),
	Basis: []spec.Citation{
		streamable("Earlier Streamable HTTP Revisions", 2567),
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Compatibility Matrix").WithSEP(2567),
	},
	Why: "This revision has no sessions. A session id in an answer makes clients and load balancers hold on to one instance, which statelessness was meant to end.",
	Fix: "Ignore Mcp-Session-Id on requests of this revision and send none back.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeSessionIDEcho)
		var found []rule.Finding
		if served, known := p.Bool("request_served"); known && !served {
			found = append(found, rule.AtProbe(p, "not_served", seen(p)+" for a request with a session id", "the answer that the request gets without the session id"))
		}
		if p.Has("response_session_id") {
			found = append(found, rule.AtProbe(p, "session_id_returned", "an Mcp-Session-Id header in the answer", "no such header"))
		}
		if len(found) == 0 && p.Outcome == observe.Unsupported {
			found = append(found, rule.AtProbe(p, "not_served", seen(p)+" for a request with a session id", "the session id to be ignored"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		d := facts(o.Probe(observe.ProbeSessionIDEcho), "http_status", "error_code", "error_message", "request_served", "response_session_id")
		d["sep"], d["target_version"] = "SEP-2567", string(spec.Latest)
		return d
	},
}
