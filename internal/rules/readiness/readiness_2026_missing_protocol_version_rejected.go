package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026MissingProtocolVersionRejected = rule.Rule{
	ID:       "readiness_2026_missing_protocol_version_rejected",
	Title:    "A request without MCP-Protocol-Version is refused",
	Group:    rule.Readiness,
	Order:    17,
	Severity: rule.Low,
	Needs:    overHTTP(observe.ProbeMissingProtocolVersion, withoutHandshake),
	Basis:    []spec.Citation{streamable("Protocol Version Header", 2575), streamable("Server Validation", 2243)},
	Why:      "Whoever stands in front of the server reads the revision from this header. A request that hides it is served under rules that nobody checked.",
	Fix:      "Refuse a request without MCP-Protocol-Version with status 400 and error -32020.",
	OWASP:    []string{"MCP07:2025"},
	Judge:    missingVersion.judge(observe.ProbeMissingProtocolVersion),
	Details:  missingVersion.details(observe.ProbeMissingProtocolVersion, "spec", streamableURL("Server Validation")),
}
