package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026CacheMetadata = rule.Rule{
	ID:       "readiness_2026_cache_metadata",
	Title:    "Results say how they may be cached",
	Group:    rule.Readiness,
	Order:    5,
	Severity: rule.High,
	Needs:    []rule.Need{rule.NeedModern},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Server › Utilities › Caching › Cacheable Results").WithSEP(2549),
		spec.MCP(spec.Rev20260728, "Server › Utilities › Caching › Time-to-Live (TTL) Field").WithSEP(2549),
	},
	Why:   "Without a lifetime clients ask again and again or keep stale lists; without a scope a shared cache may hand one user's list to another.",
	Fix:   "Put ttlMs (an integer, 0 or more) and cacheScope (public or private) on results of server/discover and of all lists; private where they depend on who asks.",
	OWASP: []string{"MCP10:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		var found []rule.Finding
		for _, p := range supportedGateways(o) {
			found = append(found, cacheHints(p)...)
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		d := map[string]any{"sep": "SEP-2549", "target_version": string(spec.Latest), "observed": observed(o, "")}
		for _, p := range supportedGateways(o) {
			if len(cacheHints(p)) > 0 {
				d["expected"] = map[string]any{"ttlMs": "integer >= 0", "cacheScope": []string{"public", "private"}}
			}
		}
		return d
	},
}
