package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var catalogHiddenUnicode = rule.Rule{
	ID:       "catalog_hidden_unicode",
	Title:    "The catalog hides no characters",
	Group:    rule.Security,
	Order:    20,
	Severity: rule.High,
	Needs:    []rule.Need{needCatalogText(judgeHiddenUnicode)},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning"), spec.OWASP("MCP06:2025 Intent Flow Subversion")},
	Why:      "A model reads characters that people do not see. Text hidden with them is an order that no reviewer finds.",
	Fix:      "Delete the invisible characters, or type the text again.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge:    judgeHiddenUnicode,
	Details:  func(o *observe.Observation) map[string]any { return catalogDetails(o, hidden, false) },
}

func judgeHiddenUnicode(o *observe.Observation) []rule.Finding {
	return scan(catalogPassages(o), hidden, "hidden_unicode", "text that shows all it says")
}
