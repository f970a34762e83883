package security

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var securityMalformedRequestHandling = rule.Rule{
	ID:       "security_malformed_request_handling",
	Title:    "Malformed JSON is answered with a parse error",
	Group:    rule.Security,
	Order:    2,
	Severity: rule.Medium,
	Needs: []rule.Need{func(o *observe.Observation) *rule.Skip {
		if overStdio(o) {
			return rule.SkipFor(rule.Insufficient, "malformed JSON is only sent over HTTP: over stdio it could end the server")
		}
		return nil
	}, rule.NeedProbe(observe.ProbeMalformedJSON)},
	Basis: []spec.Citation{
		spec.JSONRPC("5 Response object"), spec.JSONRPC("5.1 Error object"),
		spec.MCP(spec.Rev20251125, "Basic › Messages › Error Responses"),
	},
	Why: "A client that gets a page or a bare status instead of a JSON-RPC error cannot tell its own fault from a broken server.",
	Fix: "Answer a body that is no JSON with the JSON-RPC error -32700 and the id null.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeMalformedJSON)
		if p.Outcome == observe.Supported {
			return nil
		}
		absent, read := p.Bool("response_id_absent_or_null")
		seen := fmt.Sprintf("HTTP status %d without a JSON-RPC error", p.Status)
		switch {
		case p.HasCode(spec.CodeParseError) && read && !absent:
			seen = "error -32700 with an id of its own"
		case p.Code != nil:
			seen = fmt.Sprintf("error %d", *p.Code)
		case p.Result.Exists():
			seen = "a result"
		}
		return []rule.Finding{rule.AtProbe(p, "no_parse_error", "a truncated JSON body was answered with "+seen, "JSON-RPC error -32700 with a null or absent id")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeMalformedJSON)
		m := probeDetails(p, "http_status", "error_code", "response_id_absent_or_null", "control_http_status")
		m["spec"] = spec.JSONRPC("").URL
		if p.Outcome == observe.Unsupported {
			m["expected"] = map[string]any{"error_code": spec.CodeParseError, "response_id_absent_or_null": true}
		}
		return m
	},
}
