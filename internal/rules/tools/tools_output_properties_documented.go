package tools

import (
	"github.com/mcp-hallmark/hallmark/internal/observe"
	"github.com/mcp-hallmark/hallmark/internal/rule"
	"github.com/mcp-hallmark/hallmark/internal/spec"
)

var toolsOutputPropertiesDocumented = rule.Rule{
	ID:       "tools_output_properties_documented",
	Title:    "Result fields are described",
	Group:    rule.Tools,
	Order:    22,
	Severity: rule.Low,
	Since:    spec.Rev20250618,
	Catalog:  "tools",
	Needs:    []rule.Need{rule.NeedItems(rule.PickTools), needOutputSchema},
	Basis:    []spec.Citation{spec.Advice("a model reads results by the descriptions of their fields"), spec.MCP(spec.Rev20251125, "Server › Tools › Output Schema")},
	Why:      "A model that gets a structured result must know what its fields mean, in which unit and form.",
	Fix:      "Describe each property of the outputSchema: what it means, its unit, its form.",
	Judge: func(o *observe.Observation) []rule.Finding {
		return undocumentedFindings(o, "outputSchema")
	},
	Details: func(o *observe.Observation) map[string]any {
		return map[string]any{"undocumented_properties": undocumentedList(o, "outputSchema")}
	},
}
