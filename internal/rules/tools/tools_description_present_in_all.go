package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsDescriptionPresentInAll = rule.Rule{
	ID:       "tools_description_present_in_all",
	Title:    "Every tool has a description",
	Group:    rule.Tools,
	Order:    6,
	Severity: rule.High,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.Advice("a model knows of a tool only what its description says"), spec.MCP(spec.Rev20251125, "Server › Tools › Tool"), spec.MCP(spec.Rev20251125, "Schema › Tool")},
	Why:      "A model decides by the description whether and how to call a tool. Without one it must guess from the name.",
	Fix:      "Say in the description of each tool what it does, what it returns and when to call it.",
	Judge:    undescribed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_with_empty_descriptions": names(o, undescribed(o))}
	},
}
