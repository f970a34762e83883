package readiness

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026SupportedVersions = rule.Rule{
	ID:       "readiness_2026_supported_versions",
	Title:    "Discovery lists the revision it answers under",
	Group:    rule.Readiness,
	Order:    13,
	Severity: rule.High,
	Needs:    []rule.Need{rule.NeedProbe(observe.ProbeDiscover), rule.NeedModern, discoveryAnswered},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Schema › DiscoverResult").WithSEP(2575),
		spec.MCP(spec.Rev20260728, "Basic › Versioning › Protocol Version Negotiation").WithSEP(2575),
	},
	Why: "A client chooses its revision from this list. One that is not listed will not be used, even if the server has just answered under it.",
	Fix: "List every revision that the server implements in supportedVersions, as strings.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeDiscover)
		versions, _ := p.Facts["supported_versions"].([]any)
		var found []rule.Finding
		answered := false
		for i, v := range versions {
			text, ok := v.(string)
			if !ok {
				found = append(found, resultFinding(p, fmt.Sprintf("supportedVersions/%d", i), "wrong_type", "the entry is "+shown(v), "a string"))
			}
			answered = answered || text == string(spec.Latest)
		}
		if !answered && len(found) == 0 {
			seen := fmt.Sprintf("%d versions without %s, under which the request was answered", len(versions), spec.Latest)
			if len(versions) == 0 {
				seen = "an empty list"
			}
			found = append(found, resultFinding(p, "supportedVersions", "answered_version_missing", seen, string(spec.Latest)+" among the versions"))
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeDiscover)
		d := facts(p, "http_status", "error_code", "error_message", "content_type", "ttl_ms", "cache_scope", "result_type", "supported_versions")
		d["sep"], d["target_version"], d["schema_field"] = "SEP-2575", string(spec.Latest), "DiscoverResult.supportedVersions"
		return d
	},
}

func discoveryAnswered(o *observe.Observation) *rule.Skip {
	if o.Probe(observe.ProbeDiscover).Outcome == observe.Unsupported {
		return rule.SkipFor(rule.Insufficient, "server/discover gave no list of versions")
	}
	return nil
}
