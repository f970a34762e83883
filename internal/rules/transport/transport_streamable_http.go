package transport

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/recording"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var transportStreamableHttp = rule.Rule{
	ID:       "transport_streamable_http",
	Title:    "The server is reached over Streamable HTTP",
	Group:    rule.Transport,
	Order:    1,
	Severity: rule.Low,
	Needs:    []rule.Need{knownHTTPTransport},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Transports › Streamable HTTP › HTTP+SSE Transport").WithSEP(2596),
		spec.MCP(spec.Rev20251125, "Basic › Transports › Streamable HTTP"),
	},
	Why: "The HTTP+SSE transport was replaced in 2025-03-26 and is deprecated; newer clients no longer speak it.",
	Fix: "Offer a Streamable HTTP endpoint. The old endpoints may stay beside it for old clients.",
	Judge: func(o *observe.Observation) []rule.Finding {
		if o.Transport == recording.StreamableHTTP {
			return nil
		}
		return []rule.Finding{{Entity: "server", Index: -1, Step: "session/initialize", Reason: "old_transport",
			Seen: "only the " + string(o.Transport) + " transport answered", Want: "Streamable HTTP"}}
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"transport_type": string(o.Transport), "url": o.Target.URL}
	},
}

func knownHTTPTransport(o *observe.Observation) *rule.Skip {
	switch {
	case o.Transport == recording.Stdio:
		return rule.SkipFor(rule.NotApplicable, "the server runs over stdio")
	case o.Transport == "" || o.Target.URL == "":
		return rule.SkipFor(rule.Insufficient, "the transport was never confirmed: no lifecycle could be opened")
	}
	return nil
}
