package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsInputPropertiesDocumented = rule.Rule{
	ID:       "tools_input_properties_documented",
	Title:    "Parameters are described",
	Group:    rule.Tools,
	Order:    16,
	Severity: rule.Medium,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools)},
	Basis:    []spec.Citation{spec.Advice("a model fills in parameters by their descriptions"), spec.MCP(spec.Rev20251125, "Server › Tools › Listing Tools")},
	Why:      "A model fills in arguments from the names and descriptions of the parameters. Where a description is missing it guesses the meaning, the format and the limits.",
	Fix:      "Describe each parameter in its schema: what it means, its format, its limits.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return undocumentedFindings(o, "inputSchema")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"undocumented_properties": undocumentedList(o, "inputSchema")}
	},
}
