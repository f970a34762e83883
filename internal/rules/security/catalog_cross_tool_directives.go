package security

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var catalogCrossToolDirectives = rule.Rule{
	ID:       "catalog_cross_tool_directives",
	Title:    "The catalog directs only its own tools",
	Group:    rule.Security,
	Order:    24,
	Severity: rule.High,
	Needs:    []rule.Need{needCatalogText(judgeCrossTool)},
	Basis:    []spec.Citation{spec.OWASP("MCP03:2025 Tool Poisoning")},
	Why:      "An order to call or avoid other tools lets one server steer what the user's other servers do.",
	Fix:      "Direct the model to tools of this server only, by the names it lists.",
	OWASP:    []string{"MCP03:2025", "MCP06:2025"},
	Judge:    judgeCrossTool,
	Details:  func(o *observe.Observation) map[string]any { return catalogDetails(o, crossTool(o), false) },
}

func judgeCrossTool(o *observe.Observation) []rule.Finding {
	return scan(catalogPassages(o), crossTool(o), "cross_tool_directive", "orders about this server's own tools only")
}
