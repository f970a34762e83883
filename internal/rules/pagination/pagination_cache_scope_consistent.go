package pagination

import (
	"encoding/json"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var paginationCacheScopeConsistent = rule.Rule{
	ID:         "pagination_cache_scope_consistent",
	Title:      "All pages of a listing have one cache scope",
	Group:      rule.Pagination,
	Order:      5,
	Severity:   rule.High,
	Since:      spec.Rev20260728,
	ByEvidence: true,
	Needs:      []rule.Need{rule.NeedProbe(observe.ProbeCacheScope)},
	Basis: []spec.Citation{
		spec.MCP(spec.Rev20260728, "Server › Utilities › Caching › Interaction with Pagination").WithSEP(2549),
		spec.MCP(spec.Rev20260728, "Server › Utilities › Caching › Cacheable Results").WithSEP(2549),
	},
	Why:   "A cache keeps each page by its own scope. If one page of a private list is marked public, one user's items can be shown to another.",
	Fix:   "Put the same cacheScope, public or private, on every page of a listing; private where the list depends on who asks.",
	OWASP: []string{"MCP10:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeCacheScope)
		surfaces, _ := p.Facts["surfaces"].(map[string]any)
		var found []rule.Finding
		for _, name := range p.Strings("inconsistent_surfaces") {
			surface, _ := surfaces[name].(map[string]any)
			scopes, _ := json.Marshal(surface["cache_scopes"]) // built from JSON values, so it always encodes
			f := rule.AtProbe(p, "inconsistent_cache_scope", "its pages have the scopes "+bounded(string(scopes)), `"public" on every page or "private" on every page`)
			f.Entity, f.Name = "catalog", name
			found = append(found, f)
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeCacheScope)
		return map[string]any{
			"spec":                  "https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching#interaction-with-pagination",
			"inconsistent_surfaces": p.Facts["inconsistent_surfaces"], "surfaces": p.Facts["surfaces"],
		}
	},
}

func bounded(s string) string {
	if runes := []rune(s); len(runes) > 120 {
		return string(runes[:120]) + "…"
	}
	return s
}
