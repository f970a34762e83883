package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var missingResource = refusal{spec.CodeInvalidParams, 0, "a resource that does not exist"}

var readiness2026ErrorCodeMigration = rule.Rule{
	ID:       "readiness_2026_error_code_migration",
	Title:    "A missing resource gets -32602",
	Group:    rule.Readiness,
	Order:    7,
	Severity: rule.Medium,
	Needs:    detail(observe.ProbeMissingResource, resourcesOffered),
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Server › Resources › Error Handling").WithSEP(2164),
		spec.MCP(spec.Rev20260728, "Basic › Error Codes").WithSEP(2164),
	},
	Why: "The old code -32002 now lies in a range that says nothing about resources, so clients of this revision do not recognise it.",
	Fix: "Answer resources/read for an unknown URI with error -32602 in requests of this revision, never with -32002 or an empty result.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeMissingResource)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason := "other_code"
		switch {
		case p.HasCode(spec.CodeResourceNotFoundLegacy):
			reason = "legacy_code"
		case p.Code == nil && p.Result.Exists():
			reason = "served"
		}
		return []rule.Finding{rule.AtProbe(p, reason, seen(p)+" for "+missingResource.what, "error -32602 (invalid params)")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeMissingResource)
		d := facts(p, "http_status", "error_code", "error_message", "legacy_code_emitted")
		d["sep"], d["target_version"] = "SEP-2164", string(spec.Latest)
		d["legacy_code_emitted"] = p.HasCode(spec.CodeResourceNotFoundLegacy)
		if p.Outcome == observe.Unsupported {
			d["expected"] = map[string]any{"error_code": spec.CodeInvalidParams}
		}
		return d
	},
}

func resourcesOffered(o *observe.Observation) *rule.Skip { return offered(o, "resources") }
