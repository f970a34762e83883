package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026MetaValidation = rule.Rule{
	ID:       "readiness_2026_meta_validation",
	Title:    "A request without required _meta is refused",
	Group:    rule.Readiness,
	Order:    3,
	Severity: rule.High,
	Needs:    detail(observe.ProbeMalformedMeta),
	Basis:    []spec.Citation{spec.MCP(spec.Rev20260728, "Basic › _meta").WithSEP(2575)},
	Why:      "A request that does not say what its client can do cannot be served rightly. Guessing leads to answers that the client cannot read.",
	Fix:      "Check that _meta holds the protocol version and the client capabilities before anything else; answer error -32602, over HTTP with status 400.",
	Judge:    malformedMeta.judge(observe.ProbeMalformedMeta),
	Details:  malformedMeta.details(observe.ProbeMalformedMeta, "sep", "SEP-2575"),
}
