package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var catalogPromptInjectionPhrasing = rule.Rule{
	ID:       "catalog_prompt_injection_phrasing",
	Title:    "The catalog gives the model no orders about its instructions",
	Group:    rule.Security,
	Order:    22,
	Severity: rule.High,
	Needs:    []rule.Need{needCatalogText(judgePromptInjection)},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning"), spec.OWASP("MCP06:2025 Intent Flow Subversion"), spec.MCP(spec.Rev20251125, "Specification › Key Principles › Tool Safety")},
	Why:      "Descriptions go into the model's context. Phrases that override instructions, hide things from the user or change the model's role turn it against the user.",
	Fix:      "Say what the tool does and when it fits; drop orders about earlier instructions, roles or what the user may know.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge:    judgePromptInjection,
	Details:  func(o *observe.Observation) map[string]any { return catalogDetails(o, injection, true) },
}

func judgePromptInjection(o *observe.Observation) []rule.Finding {
	return scan(catalogPassages(o), injection, "prompt_injection_phrasing", "a description of what the item does")
}
