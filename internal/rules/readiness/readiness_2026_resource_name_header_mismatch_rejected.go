package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026ResourceNameHeaderMismatchRejected = rule.Rule{
	ID:       "readiness_2026_resource_name_header_mismatch_rejected",
	Title:    "A resource read under another name is refused",
	Group:    rule.Readiness,
	Order:    19,
	Severity: rule.Low,
	Needs:    overHTTP(observe.ProbeResourceNameHeader, ifOffered(observe.ProbeResourceNameHeader, "resources")),
	Basis:    []spec.Citation{streamable("Server Validation", 2243)},
	Why:      "A gateway that allows some resources by the Mcp-Name header is bypassed when the server reads the one in the body instead.",
	Fix:      "Compare Mcp-Name with params.uri of resources/read before reading; answer status 400 with error -32020 when they differ.",
	OWASP:    []string{"MCP07:2025"},
	Judge:    resourceName.judge(observe.ProbeResourceNameHeader),
	Details:  resourceName.details(observe.ProbeResourceNameHeader, "spec", streamableURL("Server Validation"), "control_http_status", "control_error_code"),
}
