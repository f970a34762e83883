package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026StatelessRequest = rule.Rule{
	ID:       "readiness_2026_stateless_request",
	Title:    "A list is served without a handshake",
	Group:    rule.Readiness,
	Order:    2,
	Severity: rule.Critical,
	Needs:    []rule.Need{rule.NeedProbe(observe.ProbeStatelessList)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Statelessness").WithSEP(2575),
		spec.MCP(spec.Rev20260728, "Basic › _meta").WithSEP(2575),
	},
	Why: "From this revision on, each request says for itself which revision and capabilities it is made under. A server that waits for initialize serves such a client nothing.",
	Fix: "Take revision and client capabilities from _meta of each request and serve it without any request before it.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeStatelessList)
		if p.Outcome == observe.Supported {
			return nil
		}
		method := "tools/list"
		if m := p.Text("method"); m != "" {
			method = m
		}
		reason, what := "not_served", seen(p)
		if p.Result.Exists() {
			reason, what = "no_list", "a result without the list"
		}
		return []rule.Finding{rule.AtProbe(p, reason, what+" for "+method+" without a handshake", "a result that holds the list")}
	},
	Details: func(o *observe.Observation) map[string]any {
		d := facts(o.Probe(observe.ProbeStatelessList), "http_status", "error_code", "error_message", "content_type", "result_type", "ttl_ms", "cache_scope", "method")
		d["sep"], d["target_version"] = "SEP-2575", string(spec.Latest)
		return d
	},
}
