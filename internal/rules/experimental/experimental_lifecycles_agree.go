package experimental

import (
	"strconv"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var experimentalLifecyclesAgree = rule.Rule{
	ID:       "experimental_lifecycles_agree",
	Title:    "The session and the stateless lifecycle list the same",
	Group:    rule.Experimental,
	Order:    9,
	Severity: rule.Medium,
	Needs:    []rule.Need{rule.NeedProbe(observe.ProbeLifecycles)},
	Basis:    []spec.Citation{spec.Advice("what was reviewed in one lifecycle should be what is served in the other"), spec.MCP(spec.Rev20260728, "Basic › Versioning › Backward Compatibility with Initialization-Based Versions"), spec.OWASP("MCP03:2025 Tool Poisoning")},
	Why:      "One client reads the catalog in a session, another without. If they are told different things, a review of the one says nothing about the other, and a client that moves to the new lifecycle loses what it relied on.",
	Fix:      "Build both listings from one registry, and offer what only one lifecycle can serve in a way that both can name.",
	OWASP:    []string{"MCP03:2025"},
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeLifecycles)
		var found []rule.Finding
		list, _ := p.Facts["differences"].([]any)
		for _, entry := range list {
			d, _ := entry.(map[string]any)
			catalog, _ := d["catalog"].(string)
			id, _ := d["id"].(string)
			kind, _ := d["kind"].(string)
			f := rule.AtProbe(p, kind, lifecycleClause(kind, id), "the same item in both")
			f.Entity, f.Name = "catalog", catalog
			found = append(found, f)
		}
		return found
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeLifecycles)
		return map[string]any{"compared": p.Facts["compared"], "differences_total": p.Facts["differences_total"]}
	},
}

func lifecycleClause(kind, id string) string {
	switch quoted := strconv.Quote(id); kind {
	case "only_session":
		return "only the session lists " + quoted
	case "only_stateless":
		return "only the stateless lifecycle lists " + quoted
	default:
		return quoted + " is described in other words"
	}
}
