package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026ResultType = rule.Rule{
	ID:       "readiness_2026_result_type",
	Title:    "Results say that they are complete",
	Group:    rule.Readiness,
	Order:    8,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedModern},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Basic › Messages › Result Responses").WithSEP(2322),
		spec.MCP(spec.Rev20260728, "Basic › Messages › ResultType").WithSEP(2322),
	},
	Why: "A result may also ask for more input. Clients tell the two apart by resultType and must treat a value they do not know as invalid.",
	Fix: "Put \"resultType\": \"complete\" on every finished result.",
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, p := range supportedGateways(o) {
			if v := p.Facts["result_type"]; v != "complete" {
				found = append(found, resultFinding(p, "resultType", missingOr(v), "resultType is "+shown(v), `"complete"`))
			}
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		d := map[string]any{"sep": "SEP-2322", "target_version": string(spec.Latest), "observed": observed(o, "result_type")}
		for _, p := range supportedGateways(o) {
			if p.Facts["result_type"] != "complete" {
				d["expected"] = map[string]any{"resultType": "complete"}
			}
		}
		return d
	},
}
