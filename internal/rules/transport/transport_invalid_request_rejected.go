package transport

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

const errorObjectPage = "https://www.jsonrpc.org/specification#error_object"

var transportInvalidRequestRejected = rule.Rule{
	ID:       "transport_invalid_request_rejected",
	Title:    "A request that is no JSON-RPC request is refused",
	Group:    rule.Transport,
	Order:    3,
	Severity: rule.Medium,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{needStreamable, rule.NeedProbe(observe.ProbeInvalidRequest)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20251125, "Basic › Messages"),
		spec.JSONRPC("5.1 Error object"),
	},
	Why: "A server that crashes, stays silent or carries on when the method is a number does not look at what it is sent. That is where worse input gets through.",
	Fix: "Check the shape of a request (method is a string, jsonrpc is \"2.0\") before acting on it and answer error -32600.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeInvalidRequest)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, seen := "not_refused", httpStatus(p)+" without an error"
		served, _ := p.Bool("served")
		silent, _ := p.Bool("timed_out")
		switch {
		case silent:
			reason, seen = "no_answer", "silence, while a proper request was served"
		case served:
			reason, seen = "served", "a result"
		case p.Status >= 500:
			reason, seen = "server_error", httpStatus(p)
		}
		return []rule.Finding{rule.AtProbe(p, reason, seen+" for a request whose method is a number", "a JSON-RPC error, best -32600 (invalid request)")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeInvalidRequest)
		details := pick(p, "http_status", "error_code", "id_echoed_or_null", "shape")
		details["spec"] = errorObjectPage
		details["invalid_request_code"] = p.HasCode(spec.CodeInvalidRequest)
		details["timed_out"], _ = p.Bool("timed_out")
		if p.Outcome == observe.Unsupported {
			details["expected"] = map[string]any{"error_code": spec.CodeInvalidRequest, "http_status": "4xx"}
		}
		return details
	},
}

func seenCode(p observe.Probe) string {
	if p.Code != nil {
		return fmt.Sprintf("error %d", *p.Code)
	}
	return httpStatus(p) + " without a JSON-RPC error code"
}
