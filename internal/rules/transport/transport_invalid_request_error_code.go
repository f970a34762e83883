package transport

import (
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var transportInvalidRequestErrorCode = rule.Rule{
	ID:       "transport_invalid_request_error_code",
	Title:    "An invalid request is refused with the code for it",
	Group:    rule.Transport,
	Order:    4,
	Severity: rule.Low,
	Since:    spec.Rev20250326,
	Needs:    []rule.Need{needStreamable, rule.NeedProbe(observe.ProbeInvalidRequest), refusalRead},
	Basis: []spec.Citation{
		spec.JSONRPC("5.1 Error object"),
		spec.MCP(spec.Rev20260728, "Basic › Error Codes"),
	},
	Why: "The code tells a client whether its request was malformed, its parameters were wrong or the text was no JSON. With another code it looks for the fault in the wrong place.",
	Fix: "Answer a request object that is malformed with error -32600.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeInvalidRequest)
		if p.HasCode(spec.CodeInvalidRequest) || modernShape(p) && p.HasCode(spec.CodeHeaderMismatch) {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "other_code", seenCode(p)+" for a request whose method is a number", "error -32600 (invalid request)")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeInvalidRequest)
		details := pick(p, "http_status", "error_code", "shape")
		details["spec"] = errorObjectPage
		if !p.HasCode(spec.CodeInvalidRequest) && !(modernShape(p) && p.HasCode(spec.CodeHeaderMismatch)) {
			details["expected"] = map[string]any{"error_code": spec.CodeInvalidRequest}
		}
		return details
	},
}

// modernShape reports whether the request was one of the stateless lifecycle, whose headers are checked first: Mcp-Method cannot agree
// with a method that is a number.
func modernShape(p observe.Probe) bool { return strings.HasPrefix(p.Text("shape"), "modern") }

func refusalRead(o *observe.Observation) *rule.Skip {
	p := o.Probe(observe.ProbeInvalidRequest)
	if p.Outcome == observe.Unsupported {
		return rule.SkipFor(rule.NotApplicable, "nothing was refused")
	}
	if why := p.Text("body_unobservable"); why != "" {
		return rule.SkipFor(rule.Insufficient, "the body of the refusal could not be read: %s", why)
	}
	return nil
}
