package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026MissingMethodHeaderRejected = rule.Rule{
	ID:       "readiness_2026_missing_method_header_rejected",
	Title:    "A request without Mcp-Method is refused",
	Group:    rule.Readiness,
	Order:    18,
	Severity: rule.Low,
	Needs:    overHTTP(observe.ProbeMissingMethodHeader),
	Basis:    []spec.Citation{streamable("Standard Request Headers", 2243), streamable("Server Validation", 2243)},
	Why:      "Gateways filter by this header without reading bodies. A server that does without it lets callers past such filters.",
	Fix:      "Refuse a request without Mcp-Method with status 400 and error -32020.",
	OWASP:    []string{"MCP07:2025"},
	Judge:    missingMethod.judge(observe.ProbeMissingMethodHeader),
	Details:  missingMethod.details(observe.ProbeMissingMethodHeader, "spec", streamableURL("Server Validation")),
}
