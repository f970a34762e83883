package experimental

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalParseErrorIdNull = rule.Rule{
	ID:       "experimental_parse_error_id_null",
	Title:    "An error about unreadable JSON has the id null",
	Group:    rule.Experimental,
	Order:    11,
	Severity: rule.Low,
	Needs:    []rule.Need{rule.NeedHTTP, needErrorID},
	Basis:    []spec.Citation{spec.JSONRPC("5 Response object"), spec.MCP(spec.Rev20251125, "Schema › JSONRPCErrorResponse")},
	Why: "JSON-RPC has null stand for an id that could not be read. MCP also lets the member be left out, which a client with a plain JSON-RPC library" +
		" may not take for an answer; an invented id belongs to another request.",
	Fix: "Answer text that is no JSON with error -32700 and \"id\": null.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeMalformedJSON)
		switch p.Text("response_id") {
		case "absent":
			return []rule.Finding{rule.AtProbe(p, "absent_id", "the error has no id", "\"id\": null")}
		case "other":
			return []rule.Finding{rule.AtProbe(p, "invented_id", "the error has an id although none could be read", "\"id\": null")}
		}
		return nil
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"response_id": o.Probe(observe.ProbeMalformedJSON).Text("response_id")}
	},
}

// needErrorID wants a JSON-RPC error in answer to text that is no JSON. Whether there should have been one is another rule's question.
func needErrorID(o *observe.Observation) *rule.Skip {
	p := o.Probe(observe.ProbeMalformedJSON)
	if p.Code != nil && p.Has("response_id") {
		return nil
	}
	if s := rule.NeedProbe(observe.ProbeMalformedJSON)(o); s != nil {
		return s
	}
	return rule.SkipFor(rule.NotApplicable, "the answer to text that is no JSON is no JSON-RPC error")
}
