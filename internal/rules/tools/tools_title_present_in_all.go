package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsTitlePresentInAll = rule.Rule{
	ID:       "tools_title_present_in_all",
	Title:    "Every tool has a title to show",
	Group:    rule.Tools,
	Order:    5,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.Advice("a title is optional, and people read it better than an identifier"), spec.MCP(spec.Rev20251125, "Server › Tools › Tool"), spec.MCP(spec.Rev20251125, "Schema › Tool")},
	Why:      "People approve calls and choose tools by the title. Without one they are shown the name, which is written for programs.",
	Fix:      "Add a short title for display to each tool.",
	Judge:    untitled,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_without_title": names(o, untitled(o))}
	},
}
