package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsNamePresentInAll = rule.Rule{
	ID:       "tools_name_present_in_all",
	Title:    "Every tool has a name",
	Group:    rule.Tools,
	Order:    2,
	Severity: rule.Critical,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.MCP(spec.Rev20251125, "Server › Tools › Tool"), spec.MCP(spec.Rev20251125, "Server › Tools › Tool Names").WithSEP(986)},
	Why:      "The name is what a client sends to call a tool. Without one the tool cannot be called, and strict clients drop the whole list for its sake.",
	Fix:      "Give every tool a name of type string that is not empty.",
	Judge:    unnamed,
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"tools_with_empty_names": len(unnamed(o))}
	},
}
