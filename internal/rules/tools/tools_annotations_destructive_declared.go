package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsAnnotationsDestructiveDeclared = rule.Rule{
	ID:       "tools_annotations_destructive_declared",
	Title:    "Tools that delete do not claim to be safe",
	Group:    rule.Tools,
	Order:    18,
	Severity: rule.High,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools), needTool(destructive, "no tool says that it deletes")},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › ToolAnnotations")},
	Why:      "Clients skip the approval of calls to tools that declare themselves harmless. A tool that deletes and says so misleads them.",
	Fix:      "Set readOnlyHint to false and destructiveHint to true on tools that delete, or leave destructiveHint out.",
	OWASP:    []string{"MCP02:2025", "MCP03:2025"},
	Judge:    understated,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"understated_tools": names(o, understated(o))}
	},
}
