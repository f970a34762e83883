package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsAnnotationsReadOnlyDeclared = rule.Rule{
	ID:       "tools_annotations_read_only_declared",
	Title:    "Tools that only read say so",
	Group:    rule.Tools,
	Order:    19,
	Severity: rule.Low,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools), needTool(annotatedReader, "no annotated tool is one that only reads")},
	Basis:    []spec.Citation{spec.Advice("the default of readOnlyHint is false, so a tool that reads gains from declaring it"), spec.MCP(spec.Rev20251125, "Schema › ToolAnnotations")},
	Why:      "Without readOnlyHint a client must take a tool for one that changes things, and asks a person before each call.",
	Fix:      "Declare readOnlyHint on tools that only read.",
	OWASP:    []string{"MCP02:2025"},
	Judge:    readersWithoutHint,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_without_read_only_hint": names(o, readersWithoutHint(o))}
	},
}
