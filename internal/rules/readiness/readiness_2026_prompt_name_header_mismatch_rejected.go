package readiness

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var readiness2026PromptNameHeaderMismatchRejected = rule.Rule{
	ID:       "readiness_2026_prompt_name_header_mismatch_rejected",
	Title:    "A prompt asked for under another name is refused",
	Group:    rule.Readiness,
	Order:    20,
	Severity: rule.Low,
	Needs:    overHTTP(observe.ProbePromptNameHeader, ifOffered(observe.ProbePromptNameHeader, "prompts")),
	Basis:    []spec.Citation{streamable("Server Validation", 2243)},
	Why:      "A gateway that allows some prompts by the Mcp-Name header is bypassed when the server returns the one in the body instead.",
	Fix:      "Compare Mcp-Name with params.name of prompts/get before acting; answer status 400 with error -32020 when they differ.",
	OWASP:    []string{"MCP07:2025"},
	Judge:    promptName.judge(observe.ProbePromptNameHeader),
	Details:  promptName.details(observe.ProbePromptNameHeader, "spec", streamableURL("Server Validation"), "control_http_status", "control_error_code"),
}
