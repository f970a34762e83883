package readiness

import (
	"fmt"

	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026NoGetStream = rule.Rule{
	ID:       "readiness_2026_no_get_stream",
	Title:    "GET on the endpoint gets 405",
	Group:    rule.Readiness,
	Order:    21,
	Severity: rule.Medium,
	Needs:    overHTTP(observe.ProbeGetStreamRemoved, withoutHandshake),
	Basis:    []spec.Citation{streamable("Earlier Streamable HTTP Revisions", 2575), spec.MCP(spec.Rev20260728, "Changelog › Major changes").WithSEP(2575)},
	Why:      "This revision has no stream behind GET. Older clients that get anything but a plain no keep a useless stream open, or ask again and again.",
	Fix:      "Answer GET with status 405 on an endpoint that serves only this revision.",
	Judge: func(o *observe.Observation) []rule.Finding {
		p := o.Probe(observe.ProbeGetStreamRemoved)
		if p.Outcome == observe.Supported {
			return nil
		}
		return []rule.Finding{rule.AtProbe(p, "other_status", fmt.Sprintf("HTTP status %d for GET", p.Status), "HTTP status 405")}
	},
	Details: func(o *observe.Observation) map[string]any {
		p := o.Probe(observe.ProbeGetStreamRemoved)
		d := map[string]any{"spec": streamableURL("Earlier Streamable HTTP Revisions"), "target_version": string(spec.Latest), "http_status": p.Facts["http_status"]}
		if p.Outcome == observe.Unsupported {
			d["expected"] = map[string]any{"http_status": 405}
		}
		return d
	},
}
