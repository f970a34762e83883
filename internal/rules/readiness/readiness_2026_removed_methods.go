package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026RemovedMethods = rule.Rule{
	ID:       "readiness_2026_removed_methods",
	Title:    "Methods that the revision removed are gone",
	Group:    rule.Readiness,
	Order:    12,
	Severity: rule.Medium,
	Needs:    detail(observe.ProbeRemovedMethod),
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Changelog › Major changes").WithSEP(2575), streamable("Protocol Version Header", 2575)},
	Why:      "A server that still serves ping to clients of this revision mixes two lifecycles; what a client learns from it holds for neither.",
	Fix:      "Refuse ping in requests of this revision with error -32601, over HTTP with status 404; keep it in sessions of older revisions.",
	Judge:    removedMethod.judge(observe.ProbeRemovedMethod),
	Details:  removedMethod.details(observe.ProbeRemovedMethod, "sep", "SEP-2575", "method_served"),
}
