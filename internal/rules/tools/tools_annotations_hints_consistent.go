package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsAnnotationsHintsConsistent = rule.Rule{
	ID:       "tools_annotations_hints_consistent",
	Title:    "Hints of a tool do not contradict each other",
	Group:    rule.Tools,
	Order:    20,
	Severity: rule.Low,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools), needTool(declaredReadOnly, "no tool declares readOnlyHint true")},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Schema › ToolAnnotations")},
	Why:      "A tool cannot both change nothing and destroy something. One of the hints is wrong, and which one clients believe differs.",
	Fix:      "Take destructiveHint off tools that only read, or set readOnlyHint to false.",
	OWASP:    []string{"MCP02:2025"},
	Judge:    contradictory,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"contradictory_tools": names(o, contradictory(o))}
	},
}
