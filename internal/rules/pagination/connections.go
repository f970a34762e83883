package pagination

import (
	"fmt"
	"strings"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
)

const connectionWhy = "Without sessions, any request may reach any worker over any connection. If what is listed depends on that, a client calls things that the next connection does not have."

// judgeConnections fails when two connections were told of different catalogs.
func judgeConnections(probe, catalog string) func(*observe.Observation) []rule.Finding {
	return func(o *observe.Observation) []rule.Finding {
		p := o.Probe(probe)
		if p.Outcome == observe.Supported {
			return nil
		}
		reason, seen := "catalogs_differ", differing(p)
		if p.Has("first_declares_capability") || p.Has("second_declares_capability") {
			reason, seen = "capability_differs", "one of two connections is told of the capability, the other is not"
		}
		f := rule.AtProbe(p, reason, seen, "the same "+catalog+" whatever the connection")
		f.Entity, f.Name = "catalog", catalog
		return []rule.Finding{f}
	}
}

func differing(p observe.Probe) string {
	var parts []string
	for _, side := range []struct{ fact, who string }{{"only_first", "first"}, {"only_second", "second"}} {
		if only := p.Strings(side.fact); len(only) > 0 {
			parts = append(parts, fmt.Sprintf("only the %s of two connections has %s", side.who, bounded(strings.Join(only, ", "))))
		}
	}
	if len(parts) == 0 {
		return "two connections see different catalogs"
	}
	return strings.Join(parts, "; ")
}

func connectionDetails(probe, page string) func(*observe.Observation) map[string]any {
	return func(o *observe.Observation) map[string]any {
		p := o.Probe(probe)
		details := map[string]any{"spec": "https://modelcontextprotocol.io/specification/2026-07-28/server/" + page + "#capabilities"}
		for _, name := range []string{"first_count", "second_count", "results_complete", "only_first", "only_second", "differences_truncated",
			"first_declares_capability", "second_declares_capability", "reason"} {
			if v, ok := p.Facts[name]; ok {
				details[name] = v
			}
		}
		return details
	}
}
