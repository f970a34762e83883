package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026SkillsListCacheHints = rule.Rule{
	ID:       "readiness_2026_skills_list_cache_hints",
	Title:    "skills/list says how it may be cached",
	Group:    rule.Readiness,
	Order:    5,
	Severity: rule.High,
	Needs:    []rule.Need{skillsDeclared, rule.NeedModern, rule.NeedProbe(observe.ProbeSkillsList)},
	Basis: []spec.Citation{
		{Document: "Skills extension", Section: "Listing Skills › Response", SEP: 2640},
		spec.MCP(spec.Rev20260728, "Server › Utilities › Caching › Cacheable Results").WithSEP(2549),
	},
	Why:   "A list of skills is cached like any other list: without a lifetime and a scope clients keep it too long, or show it to the wrong user.",
	Fix:   "Put ttlMs and cacheScope on the result of skills/list.",
	OWASP: []string{"MCP10:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeSkillsList)
		if p.Outcome == observe.Unsupported {
			return []rule.Finding{rule.AtProbe(p, "not_answered", seen(p)+" for skills/list", "a result with ttlMs and cacheScope")}
		}
		return cacheHints(p)
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeSkillsList)
		d := map[string]any{"sep": "SEP-2640, SEP-2549", "target_version": string(spec.Latest)}
		if p.Outcome == observe.Unsupported {
			outcome := map[string]any{"outcome": "invalid_response"}
			if p.Code != nil {
				outcome = map[string]any{"outcome": "rpc_error", "error_code": *p.Code}
			}
			d["observed"] = map[string]any{"error": outcome}
			return d
		}
		hints := map[string]any{}
		for _, name := range []string{"result_type", "ttl_ms", "cache_scope"} {
			hints[name] = brief(p.Facts[name])
		}
		d["observed"] = hints
		return d
	},
}

// brief bounds a value for a report: long strings are cut, arrays and objects become their type.
func brief(v any) any {
	switch x := v.(type) {
	case string:
		if runes := []rune(x); len(runes) > 200 {
			return string(runes[:200])
		}
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return v
}

func skillsDeclared(o *observe.Observation) *rule.Skip {
	for _, c := range []observe.Field{modernCapabilities(o), o.Capabilities} {
		if !c.Path("extensions", spec.ExtensionSkills).Missing() {
			return nil
		}
	}
	return rule.SkipFor(rule.NotApplicable, "the server does not declare the skills extension")
}
