package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026HeaderValidation = rule.Rule{
	ID:       "readiness_2026_header_validation",
	Title:    "Headers that contradict the body are refused",
	Group:    rule.Readiness,
	Order:    4,
	Severity: rule.High,
	Needs:    overHTTP(observe.ProbeHeaderMismatch),
	Basis:    []spec.Citation{streamable("Server Validation", 2243)},
	Why:      "Gateways route and filter by the headers. If the server then acts on a different body, a caller gets past them.",
	Fix:      "Compare Mcp-Method and MCP-Protocol-Version with the body before acting on it; answer status 400 with error -32020 when they differ.",
	OWASP:    []string{"MCP07:2025"},
	Judge:    methodMismatch.judge(observe.ProbeHeaderMismatch),
	Details:  methodMismatch.details(observe.ProbeHeaderMismatch, "sep", "SEP-2243"),
}
